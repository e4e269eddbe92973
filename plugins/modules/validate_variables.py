#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: the variables of a playbook."""

from __future__ import annotations

DOCUMENTATION = r"""
module: validate_variables
short_description: Check the variables of a playbook of this collection
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Every playbook of this collection begins with it. All problems are reported at once, before anything else is done.
  - The variables of a playbook must have the types and choices that its argument spec says, and those that are required
    must be set. A variable with an empty text is not set. The specs are the files in C(playbooks/meta).
  - A variable whose name begins with C(kops_), and that no playbook has, is an error with the nearest name that one
    has. So is a variable of the command line, or of the import of a playbook, that only other playbooks have. Variables
    about a user's environment, such as C(kops_state_store), are accepted by every playbook.
  - In an inventory, only names are an error that look like those of a playbook, because an inventory may have variables
    of its own.
extends_documentation_fragment:
  - kubeops.kops.attributes.unchanging
options:
  playbook:
    description: Name of the playbook, without that of the collection.
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Check the variables
  kubeops.kops.validate_variables:
    playbook: update_cluster
"""

RETURN = r"""
problems:
  description: What is wrong, a line for each variable. The values of secrets are not shown.
  returned: failure
  type: list
  elements: str
  sample: ["kops_node_cuont: no playbook has this variable; did you mean kops_node_count?"]
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome

ARGUMENTS = {"playbook": {"type": "str", "required": True}}


def run(module: Call) -> Outcome:
    """The action plugin of the same name does it: only Ansible's own process knows the variables of a run."""
    raise KopsError(f"the variables of {module.text('playbook')} can only be seen on the controller")


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
