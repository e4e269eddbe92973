# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of what modules support."""

from __future__ import annotations


class ModuleDocFragment:
    """Attributes of modules that change something, that only read (info), and that do neither (unchanging)."""

    DOCUMENTATION = r"""
attributes:
  check_mode:
    description: Reports what would change, and changes nothing.
    support: full
  diff_mode:
    description: Reports what changed, or would change in check mode.
    support: full
"""

    INFO = r"""
attributes:
  check_mode:
    description: Reports what would change, and changes nothing.
    support: full
    details: The module only reads.
  diff_mode:
    description: Reports what changed, or would change in check mode.
    support: N/A
    details: The module only reads.
"""

    UNCHANGING = r"""
attributes:
  check_mode:
    description: Reports what would change, and changes nothing.
    support: full
    details: The module changes nothing.
  diff_mode:
    description: Reports what changed, or would change in check mode.
    support: N/A
    details: The module changes nothing.
"""
