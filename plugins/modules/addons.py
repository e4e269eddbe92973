#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: addons of a running cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: addons
short_description: Make the addons of a running cluster, and the labels and taints of its nodes, what they should be
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Applies the objects of addons by server-side apply, and deletes what carries an addon's label but has left it.
  - Waits at the end until what the addons run is rolled out. If it is not in time, the error says what is missing, and
    why its pods do not run.
  - Pods of which no two share a host are not waited for if the cluster has fewer hosts than pods; a warning names what
    they belong to. If such pods are to be replaced and there is no host for a new one, an old one is taken away first.
  - With O(pod_image), a pod is started on every node meanwhile, once all nodes are ready, and deleted again; anew after
    something was changed. So M(kubeops.kops.validate_cluster) need not do that if they ran, as RV(pods_ran) says.
  - Gives nodes the labels of their role and instance group, which a kubelet may not give to itself, and the taints that
    were changed after they had registered, which a kubelet does not look at again.
  - What the API server fills in by itself, and what others have changed in fields that the addons do not name, is left
    as it is.
extends_documentation_fragment:
  - kubeops.kops.attributes
  - kubeops.kops.kubernetes
  - kubeops.kops.pods
options:
  addons:
    description:
      - The addons, applied in this order.
      - What is refused because of another addon, such as a kind that is not known yet or a webhook that does not answer
        yet, is tried again. What stays refused keeps no other addon from being applied; the error names all of it.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name of the addon, which its objects carry in the label C(addon.kops.k8s.io/name).
        type: str
        required: true
      objects:
        description: The Kubernetes objects.
        type: list
        elements: dict
        required: true
      needs_pki:
        description:
          - Whether the addon gets a certificate authority of its own, an Issuer of cert-manager with the addon's name
            in the namespace kube-system. An authority that is there is kept.
        type: bool
        default: false
      id:
        description: Id of the addon in kops' index.
        type: str
        default: ""
        version_added: 0.1.0
      needs_rolling_update:
        description:
          - Which nodes have to be updated when the addon changes. They get the annotation C(kops.k8s.io/needs-update),
            as from kops, and C(kubeops.kops.rolling_update) drains them. Nodes are not marked when the addon is new.
        type: str
        choices: ["", control-plane, workers, all]
        default: ""
        version_added: 0.1.0
      pruned:
        description:
          - Of an addon of a channel, which objects are deleted when they have left the addon, as the channel says it -
            C(group), C(kind), C(namespaces), C(labelSelector) and C(fieldSelector). Of those that are selected, only
            objects are deleted that have the addon's name in the annotation C(kubeops.kops/addon).
          - Without it, those are deleted that carry the addon's name in the label C(addon.kops.k8s.io/name).
        type: list
        elements: dict
        version_added: 0.1.0
  retired:
    description:
      - Names of addons of which nothing is to be left.
      - Namespaces and definitions of kinds are never deleted, because they would take with them what is not the
        addon's.
    type: list
    elements: str
    default: []
  node_labels:
    description:
      - Labels by name of the node. Nodes that have not registered yet are waited for.
      - A label that was given before and is not given any more is removed. Other labels of the nodes are left as they
        are.
    type: dict
    default: {}
  node_taints:
    description:
      - Taints by name of the node, as in a Node object. Nodes that have not registered are left out.
      - A taint that was given before and is not given any more is removed. Other taints of the nodes are left as they
        are. The annotation C(kubeops.kops/taints) of a node names those that were given.
    type: dict
    default: {}
  control_planes:
    description:
      - Names of the nodes of all control planes. Another node with the role's label that is not ready, or whose kubelet
        is silent, is deleted, since another host has taken its place. Without names none is.
    type: list
    elements: str
    default: []
  keys:
    description:
      - Hash of the keys that the whole control plane uses now. It is recorded as by M(kubeops.kops.pod_trust), once
        everything runs. Without it, nothing is recorded.
    type: str
  authorities:
    description: CAs of the API server, as PEM. Required with O(keys).
    type: str
  wait:
    description:
      - Seconds to wait until the nodes have registered, and then until everything runs. With V(0) the module does not
        wait, and leaves out nodes that have not registered.
    type: int
    default: 300
notes:
  - In check mode the API server says what would be; nothing is stored, and nothing is waited for.
seealso:
  - module: kubeops.kops.validate_cluster
"""

EXAMPLES = r"""
- name: Apply the addons
  kubeops.kops.addons:
    addons: "{{ kops_addons }}"
    retired:
      - networking.flannel
    node_labels:
      worker-1:
        node-role.kubernetes.io/node: ""
        kops.k8s.io/instancegroup: nodes
    node_taints:
      worker-1:
        - key: dedicated
          value: gpu
          effect: NoSchedule
  become: true
  run_once: true
"""

RETURN = r"""
changes:
  description: What changed, or would change in check mode.
  returned: success
  type: list
  elements: dict
  contains:
    item:
      description: Kind, namespace and name of the object.
      type: str
      returned: always
      sample: Deployment kube-system/coredns
    before:
      description: What it was; only what differs, and null if there was nothing.
      type: raw
      returned: always
    after:
      description: What it is now, or would be; null if it was deleted.
      type: raw
      returned: always
pods_ran:
  description:
    - Whether every node ran a pod with a network after all changes were made. V(false) if that was not found out, or if
      objects that were there before were changed.
  returned: success
  type: bool
count:
  description: How many objects and nodes were looked at.
  returned: success
  type: int
"""

from collections.abc import Mapping
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.kubernetes import KUBERNETES, PODS, client_of
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.apply import apply_addons
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.rollouts import (
    await_rollouts,
    workloads,
)
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.keys import trust
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.labels import label_nodes
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.replaced import delete_replaced
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.taints import taint_nodes
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.pods import PodProbe, Trial

ADDON = {
    "name": {"type": "str", "required": True},
    "objects": {"type": "list", "elements": "dict", "required": True},
    "needs_pki": {"type": "bool", "default": False},
    "id": {"type": "str", "default": ""},
    "needs_rolling_update": {"type": "str", "choices": ["", "control-plane", "workers", "all"], "default": ""},
    "pruned": {"type": "list", "elements": "dict"},
}
ARGUMENTS = {
    **KUBERNETES,
    **PODS,
    "addons": {"type": "list", "elements": "dict", "default": [], "options": ADDON},
    "retired": {"type": "list", "elements": "str", "default": []},
    "node_labels": {"type": "dict", "default": {}},
    "node_taints": {"type": "dict", "default": {}},
    "control_planes": {"type": "list", "elements": "str", "default": []},
    "keys": {"type": "str", "no_log": False},
    "authorities": {"type": "str"},
    "wait": {"type": "int", "default": 300},
}


def shown(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with no more of addons than their names: objects may be secrets."""
    return {**parameters, "addons": [addon["name"] for addon in parameters["addons"]]}


def run(module: Call) -> Outcome:
    """Apply the addons, label and taint the nodes."""
    given, client = module.parameters, client_of(module)
    waits = given["wait"] and not module.check
    probe = PodProbe(module.text("pod_image") if waits else "", module.text("pod_network"))
    running = workloads(obj for addon in given["addons"] for obj in addon["objects"])
    with Trial(client, probe, running) as trial:
        # First, as addons are not waited for on nodes that will never run them.
        forgotten = delete_replaced(client, given["control_planes"], wait=given["wait"])
        # A network waits for its operator, which runs on the control plane only, and knows it by the label.
        labels = label_nodes(client, given["node_labels"], 0)
        report = apply_addons(client, given["addons"], given["retired"], wait=given["wait"])
        # The rollout of what ran before may end after these pods, which then say nothing: validation starts its own.
        replaced = any(step.changed and step.before is not None for step in report.steps)
        labelled = {step.item for step in labels}
        late = {name: wanted for name, wanted in given["node_labels"].items() if f"Node {name}" not in labelled}
        report.steps += forgotten + labels + (label_nodes(client, late, given["wait"]) if late else [])
        report.steps += taint_nodes(client, given["node_taints"])
        if report.changed and not replaced:
            trial.begin_again()
        if waits:
            report.warnings += await_rollouts(client, running, given["wait"])
    if module.text("keys"):
        report.steps.append(trust.record(client, module.text("keys"), module.text("authorities"))[0])
    return report.outcome(count=len(report.steps), pods_ran=trial.succeeded and not replaced)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS, shown=shown, required_by={"keys": ["authorities"]}).run(run)


if __name__ == "__main__":
    main()
