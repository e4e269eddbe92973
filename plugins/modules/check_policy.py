#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: whether a policy lets an operation change hosts."""

from __future__ import annotations

DOCUMENTATION = r"""
module: check_policy
short_description: Check an operation on hosts against a policy
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - The playbooks for hosts of bare metal ask it before they change a host. Modules that do all of an operation, such as
    M(kubeops.kops.rolling_update) for instances in a cloud, have the option O(policy) themselves.
  - Rules about the operation are asked, and rules about changes, of which there is one for each host.
extends_documentation_fragment:
  - kubeops.kops.attributes.unchanging
  - kubeops.kops.policy
options:
  operation:
    description: Name of the playbook that changes the hosts, such as V(rolling_update).
    type: str
    required: true
  hosts:
    description: Names of the hosts that it changes, or removes. Without hosts, nothing is asked.
    type: list
    elements: str
    default: []
  instance_groups:
    description: The instance group of each host, by its name.
    type: dict
    default: {}
  roles:
    description: The role of each host, by its name.
    type: dict
    default: {}
  nodes:
    description: The Node of each host, by its name.
    type: dict
    default: {}
  removed:
    description: Whether the hosts are no nodes any more afterwards.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Check the policy
  kubeops.kops.check_policy:
    policy: [policy/company.yml]
    operation: rolling_update
    hosts: [node1]
    instance_groups:
      node1: control-plane
    roles:
      node1: ControlPlane
"""

RETURN = r"""
violations:
  description:
    - What violates O(policy), in the form of RV(kubeops.kops.update_cluster#module:violations).
    - If a rule with the effect V(deny) is violated, the module fails, in check mode as well.
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import POLICY, Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.policy.operation import (
    HOST,
    Affected,
    violations_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.policy.policy import (
    Policy,
    failure_of,
    warnings_of,
)

ARGUMENTS = {
    **POLICY,
    "operation": {"type": "str", "required": True},
    "hosts": {"type": "list", "elements": "str", "default": []},
    "instance_groups": {"type": "dict", "default": {}},
    "roles": {"type": "dict", "default": {}},
    "nodes": {"type": "dict", "default": {}},
    "removed": {"type": "bool", "default": False},
}


def run(module: Call) -> Outcome:
    """Ask the rules."""
    given = module.parameters
    machines = [
        Affected(
            name,
            str(given["instance_groups"].get(name) or ""),
            str(given["roles"].get(name) or ""),
            str(given["nodes"].get(name) or ""),
            stays=not given["removed"],
            kind=HOST,
        )
        for name in given["hosts"]
    ]
    policy = Policy.read(given["policy"])
    found = violations_of(policy, module.text("operation"), machines) if machines else []
    return Outcome(
        values={"violations": [each.as_dict() for each in found]},
        warnings=warnings_of(found),
        failure=failure_of(found, "no host was changed"),
    )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
