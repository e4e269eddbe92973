# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of what comes next, as modules return it."""

from __future__ import annotations


class ModuleDocFragment:
    """Return values of modules that say what comes next."""

    RETURN = r"""
next:
  description: What comes next, each a playbook or C(the same), with what it does.
  returned: if something comes next
  type: list
  elements: str
"""
