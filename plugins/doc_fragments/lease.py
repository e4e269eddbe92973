# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of everything that writes under a lease."""

from __future__ import annotations


class ModuleDocFragment:
    """Options of modules that write a cluster."""

    DOCUMENTATION = r"""
options:
  lease_wait:
    description:
      - Seconds to wait for another writer of the same cluster; V(0) stops at once with its name.
      - Without it the wait is a little longer than the lease of a writer that died.
    type: float
  break_lease:
    description: Take the lease over from a writer that is gone for good. If it is not, it stops within 20 seconds.
    type: bool
    default: false
"""
