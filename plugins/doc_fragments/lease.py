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
      - The default is a little longer than the lease of a writer that was killed.
    type: float
  break_lease:
    description:
      - Take the lease over from a writer that no longer runs. A writer that still runs stops within 20 seconds.
    type: bool
    default: false
"""
