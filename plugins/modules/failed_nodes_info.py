#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: which nodes of a running cluster have failed."""

from __future__ import annotations

DOCUMENTATION = r"""
module: failed_nodes_info
short_description: Tell which nodes of a running cluster have failed
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Finds the nodes that have not been ready for longer than O(after), by the rule of M(kubeops.kops.repair), and those
    that are ready and lack a static pod - control planes without an API server, controller manager or scheduler, and
    nodes with a static pod that has not been ready for longer than O(after).
  - If more than O(max_unhealthy) of a group fail at the same time, or of all groups of its role, it says so.
extends_documentation_fragment:
  - kubeops.kops.attributes.info
  - kubeops.kops.kubernetes
  - kubeops.kops.failed_nodes
options:
  groups:
    description: The instance groups of the nodes to look at, as M(kubeops.kops.validate_cluster) takes them.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the group. Nodes with it in the label C(kops.k8s.io/instancegroup) are the group's.
        type: str
        required: true
      role:
        description: Its role.
        type: str
        choices: [ControlPlane, APIServer, Node, Bastion]
        default: Node
      size:
        description: How many nodes it has at least. It has no meaning here.
        type: int
        default: 0
      nodes:
        description: Names of nodes that are of the group, labelled or not.
        type: list
        elements: str
        default: []
seealso:
  - module: kubeops.kops.repair
  - module: kubeops.kops.validate_cluster
"""

EXAMPLES = r"""
- name: Find the nodes that have not been ready for ten minutes
  kubeops.kops.failed_nodes_info:
    groups:
      - name: nodes
        nodes: [worker-1, worker-2]
  become: true
"""

RETURN = r"""
nodes:
  description: The nodes that have failed.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the node.
      type: str
      returned: always
    instance_group:
      description: Its instance group.
      type: str
      returned: always
    reason:
      description: For how long it has not been ready, and what is said of it, or which pod it lacks.
      type: str
      returned: always
watched:
  description: Those that have failed, but not for long enough; with the same keys.
  returned: always
  type: list
  elements: dict
held_back:
  description: Instance groups of which too many nodes fail, and a sentence that says so.
  returned: always
  type: dict
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.kubernetes import KUBERNETES, client_of
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.unready import Patience, failed_nodes
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import groups_from

GROUP = {
    "name": {"type": "str", "required": True},
    "role": {"type": "str", "choices": ["ControlPlane", "APIServer", "Node", "Bastion"], "default": "Node"},
    "size": {"type": "int", "default": 0},
    "nodes": {"type": "list", "elements": "str", "default": []},
}
ARGUMENTS = {
    **KUBERNETES,
    "groups": {"type": "list", "elements": "dict", "required": True, "options": GROUP},
    "after": {"type": "int", "default": 600},
    "max_unhealthy": {"type": "str", "default": "40%"},
}


def run(module: Call) -> Outcome:
    """Look once."""
    patience = Patience(module.parameters["after"], module.text("max_unhealthy"))
    found = failed_nodes(client_of(module), groups_from(module.parameters["groups"]), patience)
    return Outcome(values={"nodes": found.nodes, "watched": found.watched, "held_back": found.held_back})


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
