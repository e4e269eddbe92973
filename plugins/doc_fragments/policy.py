# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the option of modules that apply a plan."""

from __future__ import annotations


class ModuleDocFragment:
    """Options of modules whose plan a policy may stop."""

    DOCUMENTATION = r"""
options:
  policy:
    description:
      - Files with rules, and directories of such files (C(.yaml), C(.yml), C(.json)).
        They are read where the module runs.
      - The rules are checked against the specification and the plan before anything is written. If one with the effect
        V(deny) is violated, the module fails with all violations, in check mode as well.
      - Modules that drain, replace or delete instances or hosts only ask the rules about changes and about operations.
      - The page C(docs/policy.md) of the collection describes the rules. It needs the Python library jmespath.
    type: list
    elements: path
    default: []
    version_added: 0.1.0
"""

    RETURN = r"""
violations:
  description:
    - What violates O(policy), in the form of RV(kubeops.kops.update_cluster#module:violations).
    - If a rule with the effect V(deny) is violated, the module fails, in check mode as well, and nothing is done. The
      plan is shown in the terminal and not returned.
  returned: always
  type: list
  elements: dict
"""
