#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: nodes of a running cluster, taken out of use and back."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_drain
short_description: Take a node of a running cluster out of use, and back
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Keeps new pods off a node, evicts those that it runs, lets pods come again, or deletes its Node object.
  - Pods are evicted, so that their PodDisruptionBudgets are kept. Pods of DaemonSets and those that the kubelet runs
    from files stay.
  - If pods are left when the time is over, the error names each of them and what holds it. The node stays cordoned
    then, and running the module again goes on.
extends_documentation_fragment:
  - kubeops.kops.attributes
  - kubeops.kops.kubernetes
options:
  name:
    description: Name of the node.
    type: str
    required: true
  state:
    description:
      - V(cordoned) keeps new pods off the node.
      - V(drained) does so, and evicts its pods. A node that does not exist is drained.
      - V(schedulable) lets pods come again.
      - V(absent) deletes the Node object. A kubelet that still runs creates it again.
    type: str
    choices: [cordoned, drained, schedulable, absent]
    default: drained
  timeout:
    description:
      - Seconds that the evictions may take together. V(0) waits for ever.
      - It has no field in the specification; C(kops rolling-update cluster) has the option C(--drain-timeout) for it.
    type: int
    default: 900
  fail_on_timeout:
    description:
      - Fail if pods are left when the time is over. Otherwise they are named in a warning.
      - Like C(--fail-on-drain-error) of C(kops rolling-update cluster), with the same default.
    type: bool
    default: true
  settle:
    description: Seconds to wait after pods have left, for clients that still send to them.
    type: int
    default: 5
  grace_period:
    description: Seconds that each pod has to end; less than 0 uses the value of each pod.
    type: int
    default: -1
  for_update:
    description:
      - Marks the node that it cordons with the annotation C(kops.k8s.io/cordoned-for-update). Nodes that are cordoned
        already are not marked.
      - With O(state=schedulable), uncordons only a node with this mark. So a node that an administrator has cordoned
        stays cordoned.
      - With O(state=drained), also deletes the node's pods of addons whose DaemonSet has changed and does not replace
        them by itself (C(OnDelete)), and waits until there are new ones.
    type: bool
    default: false
  unreachable:
    description:
      - With O(state=drained), the machine cannot be reached, and its Node object will be deleted. As soon as its
        kubelet is silent, too, pods that are held by a PodDisruptionBudget are not waited for, because nothing can end
        them.
    type: bool
    default: false
    version_added: 0.1.0
notes:
  - On a node that is not ready no kubelet confirms that pods have ended, so the module does not wait for that there.
"""

EXAMPLES = r"""
- name: Take the node out of use
  kubeops.kops.node_drain:
    name: worker-1
    timeout: 600
  become: true
  delegate_to: control-plane-1

- name: Let pods come again
  kubeops.kops.node_drain:
    name: worker-1
    state: schedulable
  become: true
  delegate_to: control-plane-1
"""

RETURN = r"""
drained:
  description: Whether all pods that had to be evicted are gone. It is V(false) only if the time was over.
  returned: with O(state=drained), if the module succeeds
  type: bool
changes:
  description: What changed, or would change in check mode.
  returned: success
  type: list
  elements: dict
  contains:
    item:
      description: The node, or a pod that was evicted.
      type: str
      returned: always
      sample: Pod default/web-7d4b9c
    before:
      description: What it was; of a pod, the node that it was on.
      type: str
      returned: always
    after:
      description: What it is now, or would be; null if it is gone.
      type: str
      returned: always
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.kubernetes import KUBERNETES, client_of
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.drain import (
    DrainOptions,
    NotDrained,
    set_node_state,
)

ARGUMENTS = {
    **KUBERNETES,
    "name": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["cordoned", "drained", "schedulable", "absent"], "default": "drained"},
    "timeout": {"type": "int", "default": 900},
    "fail_on_timeout": {"type": "bool", "default": True},
    "settle": {"type": "int", "default": 5},
    "grace_period": {"type": "int", "default": -1},
    "for_update": {"type": "bool", "default": False},
    "unreachable": {"type": "bool", "default": False},
}


def run(module: Call) -> Outcome:
    """Put the node into the state."""
    given = module.parameters
    options = DrainOptions(
        given["timeout"],
        given["settle"],
        grace=given["grace_period"],
        for_update=given["for_update"],
        unreachable=given["unreachable"],
    )
    try:
        report = set_node_state(client_of(module), given["name"], given["state"], options)
    except NotDrained as error:
        if given["fail_on_timeout"]:
            raise
        return Outcome(True, {"changes": [], "drained": False}, warnings=[str(error)])
    return report.outcome(**({"drained": True} if given["state"] == "drained" else {}))


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
