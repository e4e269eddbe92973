# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of everything that writes under a lease."""

from __future__ import annotations


class ModuleDocFragment:
    """Options of modules that write a cluster, or replace its instances."""

    DOCUMENTATION = r"""
options:
  lease_wait:
    description:
      - Seconds to wait for another run that does the same to this cluster; V(0) stops at once with its name.
      - The default is a little longer than the lease of a run that was killed.
    type: float
  break_lease:
    description:
      - Take the lease over from a run that has died. One that still runs stops within 20 seconds.
    type: bool
    default: false
"""
