#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: what comes next after an operation."""

from __future__ import annotations

DOCUMENTATION = r"""
module: next_steps
short_description: Show what comes next after an operation
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Playbooks whose work is done by several tasks, such as those for the hosts of bare metal, end with it. It shows a
    line for each step that may come next, and nothing if there is none.
  - Modules that do all of an operation, such as M(kubeops.kops.rolling_update), show the same themselves.
extends_documentation_fragment:
  - kubeops.kops.attributes.unchanging
options:
  operation:
    description: Name of the playbook, without that of the collection.
    type: str
    required: true
  ended:
    description:
      - How it has ended, each with V(false) or an empty value if it has not ended so, and else V(true), a text or a
        list of names. What means nothing after this operation is left out.
      - The file C(plugins/module_utils/operations/next_steps.py) of the collection lists what there is.
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Say what comes next
  kubeops.kops.next_steps:
    operation: hosts
    ended:
      planned: "{{ ansible_check_mode }}"
      deferred: [node1, node2]
"""

RETURN = r"""
next:
  description: What comes next, each a playbook or C(the same), with what it does.
  returned: if something comes next
  type: list
  elements: str
  sample: ["the same without --check"]
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.next_steps import next_steps

ARGUMENTS = {
    "operation": {"type": "str", "required": True},
    "ended": {"type": "dict", "default": {}},
}


def run(module: Call) -> Outcome:
    """The steps; the action plugin of the same name shows them."""
    return Outcome(next_steps=next_steps(module.text("operation"), module.parameters["ended"]))


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
