#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: labels of nodes."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_labels
short_description: Give nodes the labels that they may not give themselves
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Waits until the nodes have registered, and labels them with their roles and instance groups.
  - Other labels of the nodes are left as they are.
extends_documentation_fragment:
  - kubeops.kops.attributes
  - kubeops.kops.kubernetes
options:
  nodes:
    description: The labels of each node, by its name.
    type: dict
    required: true
  wait:
    description: Seconds to wait until all nodes have registered.
    type: int
    default: 300
seealso:
  - module: kubeops.kops.node_converge
"""

EXAMPLES = r"""
- name: Label the nodes
  kubeops.kops.node_labels:
    nodes:
      worker-1:
        kops.k8s.io/instancegroup: nodes
        node-role.kubernetes.io/node: ""
  become: true
  run_once: true
"""

RETURN = r"""
items:
  description: What changed, or would change in check mode.
  returned: success
  type: list
  elements: dict
  contains:
    item:
      description: The node.
      type: str
      returned: always
      sample: Node worker-1
    before:
      description: The labels that differed, as they were.
      type: dict
      returned: always
    after:
      description: The same labels now.
      type: dict
      returned: always
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.kubeops.kops.plugins.module_utils.node.errors import NodeError
from ansible_collections.kubeops.kops.plugins.module_utils.node.kubernetes import KUBECONFIG, KubernetesClient
from ansible_collections.kubeops.kops.plugins.module_utils.node.kubernetes_connection import Patience
from ansible_collections.kubeops.kops.plugins.module_utils.node.labels import label_nodes
from ansible_collections.kubeops.kops.plugins.module_utils.node.report import Report

ARGUMENTS = {
    "nodes": {"type": "dict", "required": True},
    "wait": {"type": "int", "default": 300},
    "kubeconfig": {"type": "path", "default": KUBECONFIG},
    "api_timeout": {"type": "int", "default": 60},
}


def main() -> None:
    """Run as a module."""
    module = AnsibleModule(ARGUMENTS, supports_check_mode=True)
    given = module.params
    try:
        client = KubernetesClient.from_kubeconfig(
            given["kubeconfig"], check=module.check_mode, patience=Patience(deadline=given["api_timeout"])
        )
        report = Report(steps=label_nodes(client, given["nodes"], given["wait"]))
    except NodeError as error:
        module.fail_json(msg=str(error))
    items = [{"item": step.item, "before": step.before, "after": step.after} for step in report.steps if step.changed]
    module.exit_json(changed=report.changed, items=items, diff=report.diff())


if __name__ == "__main__":
    main()
