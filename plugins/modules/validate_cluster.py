#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: whether a running cluster is as it should be."""

from __future__ import annotations

DOCUMENTATION = r"""
module: validate_cluster
short_description: Tell whether a running cluster is as it should be
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Looks at everything and returns all that is not as it should be, as C(kops validate cluster) does.
  - Every instance group has its nodes, and they are ready. Pods of the priorities C(system-cluster-critical) and
    C(system-node-critical) run, and so do the pods of each control plane. Pods that share no host with others of their
    kind, and have none because there are too few, are a warning.
  - Besides what kops looks at, each API server answers, the cluster's DNS knows the API server's service, and serving
    certificates of API servers and kubelets do not expire soon. Each addon has all its pods; the failure names the
    addon, with the reasons that its pods report. Nodes that an interrupted rolling update has left cordoned are a
    failure, too.
  - With O(pod_image), a pod is started on every node that is ready, once nothing else fails, and deleted again. This
    shows that every node runs pods with a network.
extends_documentation_fragment:
  - kubeops.kops.attributes.info
  - kubeops.kops.kubernetes
  - kubeops.kops.pods
attributes:
  check_mode:
    description: Reports what would change, and changes nothing.
    support: full
    details: Starts no pods, and says so in a warning if O(pod_image) is given.
options:
  name:
    description: Name of the cluster, for the text.
    type: str
    required: true
  groups:
    description: The instance groups that there are.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description:
          - Name of the group. Nodes with it in the label C(kops.k8s.io/instancegroup) are the group's.
        type: str
        required: true
      role:
        description: Role of the group.
        type: str
        choices: [ControlPlane, APIServer, Node, Bastion]
        default: Node
      size:
        description: How many nodes the group has at least.
        type: int
        default: 0
      nodes:
        description: Names of nodes that are the group's, labelled or not. Each of them has to be there.
        type: list
        elements: str
        default: []
  api_addresses:
    description: Addresses of the API servers, which are asked one by one.
    type: list
    elements: str
    default: []
  dns_domain:
    description: Domain of the cluster's DNS.
    type: str
    default: cluster.local
  certificate_days:
    description: Certificates that expire within so many days are a failure. Less than 0 looks at none.
    type: int
    default: 30
  max_unready_nodes:
    description: So many nodes that are no control plane may be away or not ready, with their pods.
    type: int
    default: 0
  instance_groups:
    description: Groups whose failures count, besides those that are of no group; by default all.
    type: list
    elements: str
    default: []
  pod_trust:
    description:
      - Whether all pods must know the cluster's present keys. Pods that started before the last step of a key rotation
        are failures, and so are API servers that new pods would not trust.
      - Before the end of a step, set it to V(false).
    type: bool
    default: true
  unfinished_updates:
    description:
      - Whether a node that an interrupted rolling update has left cordoned is a failure.
      - Set it to V(false) where a rolling update comes next, which begins with these nodes. RV(nodes) names them in any
        case.
    type: bool
    default: true
  leaving:
    description:
      - Names of nodes of which nothing is expected, because they are replaced or mended next, or because their hosts
        were left out of a run. What fails of them is no failure then.
    type: list
    elements: str
    default: []
  host_failures:
    description: Failures that were found on the hosts, as M(kubeops.kops.hosts_info) returns them. They do not go away.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name of the node.
        type: str
        required: true
      problem:
        description: What is not as it should be.
        type: str
        required: true
      instance_group:
        description: Its instance group.
        type: str
        default: ""
  workloads:
    description:
      - Workloads that addons must have, as M(kubeops.kops.hosts_info) returns them. One that does not exist is a
        failure; without this, only what there is can be looked at.
    type: list
    elements: dict
    default: []
    version_added: 0.1.0
    suboptions:
      addon:
        description: Name of the addon.
        type: str
        required: true
      kind:
        description: Kind of the workload.
        type: str
        required: true
      namespace:
        description: Its namespace.
        type: str
        required: true
      name:
        description: Its name.
        type: str
        required: true
      again:
        description: What applies it again, for the message.
        type: str
        default: ""
  wait:
    description: Seconds to wait until the cluster is as it should be.
    type: int
    default: 0
  interval:
    description: Seconds between two looks.
    type: int
    default: 5
  api_timeout:
    description: Seconds that the API server is waited for at each look.
    type: int
    default: 5
  count:
    description: How many times in a row the cluster has to be as it should be.
    type: int
    default: 1
notes:
  - While the module waits, what is still missing is shown whenever it changes.
seealso:
  - module: kubeops.kops.addons
"""

EXAMPLES = r"""
- name: Wait until the cluster is as it should be
  kubeops.kops.validate_cluster:
    name: demo.example.com
    groups:
      - name: control-plane
        role: ControlPlane
        size: 3
      - name: nodes
        nodes: [worker-1, worker-2]
    api_addresses: [10.0.0.11, 10.0.0.12, 10.0.0.13]
    wait: 600
  become: true
"""

RETURN = r"""
failures:
  description: All that is not as it should be; empty if the module succeeds.
  returned: always
  type: list
  elements: dict
  contains:
    kind:
      description: >-
        What it is about, such as V(InstanceGroup), V(Machine), V(Node), V(Pod), V(Addon), V(Controller), V(APIServer),
        V(DNS) or V(Certificate).
      type: str
      returned: always
    name:
      description: Name of the object.
      type: str
      returned: always
    message:
      description: What is not as it should be.
      type: str
      returned: always
    instance_group:
      description: The instance group that it is of; empty if of none.
      type: str
      returned: always
failing:
  description:
    - Name of a node, and what fails of it itself, such as a pod of its control plane. Changing or replacing the node
      may mend it.
  returned: always
  type: dict
# From plugins/doc_fragments/validation.py, by script/module-docs:
nodes:
  description: The nodes that there are.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the node.
      type: str
      returned: always
    role:
      description: Role of its instance group.
      type: str
      returned: always
    instance_group:
      description: Its instance group; empty if it is of none.
      type: str
      returned: always
    ready:
      description: V(True), V(False) or V(Unknown).
      type: str
      returned: always
    cordoned_for_update:
      description:
        - When a rolling update that has not finished with the node has cordoned it. Empty for all other nodes, also for
          those that an administrator has cordoned.
      type: str
      returned: always
      sample: "2026-05-08T12:00:00Z"
    needs_update:
      description:
        - Whether the node has the annotation C(kops.k8s.io/needs-update), because an addon has changed that needs it,
          or because a user has set it. A rolling update drains the node, and removes the annotation.
      type: bool
      returned: always
    old_pods:
      description:
        - Its pods of addons that are as they were before their DaemonSet changed. Their DaemonSet does not replace them
          by itself (C(OnDelete)); a rolling update of the node does.
      type: list
      elements: str
      returned: always
      sample: [kube-system/cilium-x7k2p]
    version:
      description: Version of its kubelet.
      type: str
      returned: always
text:
  description: Everything as tables, for people.
  returned: always
  type: str
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.kubernetes import KUBERNETES, PODS
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import RetryPolicy
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.addons import Workload
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import Failure, groups_from
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.pods import PodProbe
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.run import (
    Expectation,
    Timing,
    check_once,
    check_until,
    text_of,
)

_NO_PODS = "in check mode no pods are started, so it was not validated that every node runs pods with a network"
GROUP = {
    "name": {"type": "str", "required": True},
    "role": {"type": "str", "choices": ["ControlPlane", "APIServer", "Node", "Bastion"], "default": "Node"},
    "size": {"type": "int", "default": 0},
    "nodes": {"type": "list", "elements": "str", "default": []},
}
HOST_FAILURE = {
    "name": {"type": "str", "required": True},
    "problem": {"type": "str", "required": True},
    "instance_group": {"type": "str", "default": ""},
}
WORKLOAD = {
    "addon": {"type": "str", "required": True},
    "kind": {"type": "str", "required": True},
    "namespace": {"type": "str", "required": True},
    "name": {"type": "str", "required": True},
    "again": {"type": "str", "default": ""},
}
ARGUMENTS = {
    **KUBERNETES,
    **PODS,
    "name": {"type": "str", "required": True},
    "groups": {"type": "list", "elements": "dict", "required": True, "options": GROUP},
    "api_addresses": {"type": "list", "elements": "str", "default": []},
    "dns_domain": {"type": "str", "default": "cluster.local"},
    "certificate_days": {"type": "int", "default": 30},
    "max_unready_nodes": {"type": "int", "default": 0},
    "instance_groups": {"type": "list", "elements": "str", "default": []},
    "pod_trust": {"type": "bool", "default": True},
    "unfinished_updates": {"type": "bool", "default": True},
    "leaving": {"type": "list", "elements": "str", "default": []},
    "host_failures": {"type": "list", "elements": "dict", "default": [], "options": HOST_FAILURE},
    "workloads": {"type": "list", "elements": "dict", "default": [], "options": WORKLOAD},
    "wait": {"type": "int", "default": 0},
    "interval": {"type": "int", "default": 5},
    "count": {"type": "int", "default": 1},
    "api_timeout": {"type": "int", "default": 5},
}


def run(module: Call) -> Outcome:
    """Look until the cluster is as it should be, or the time is over."""
    given, groups = module.parameters, groups_from(module.parameters["groups"])
    expected = Expectation(
        groups=groups,
        api_addresses=given["api_addresses"],
        dns_domain=given["dns_domain"],
        certificate_days=given["certificate_days"],
        max_unready_nodes=given["max_unready_nodes"],
        only=given["instance_groups"],
        pod_trust=given["pod_trust"],
        unfinished_updates=given["unfinished_updates"],
        workloads=[Workload(**each) for each in given["workloads"]],
        leaving=given["leaving"],
        found=[
            Failure("Node", each["name"], each["problem"], each["instance_group"], each["name"])
            for each in given["host_failures"]
        ],
        kubeconfig=given["kubeconfig"],
        pods=PodProbe("" if module.check else module.text("pod_image"), module.text("pod_network")),
    )
    retry = RetryPolicy(deadline=given["api_timeout"])
    # What was found on the hosts stays the same, so waiting is of no use.
    timing = Timing(0 if given["host_failures"] else given["wait"], given["interval"], given["count"])
    found = check_until(lambda: check_once(expected, retry), timing)
    failures = [failure.as_dict() for failure in found.failures]
    lines = [f"cluster {given['name']} is not as it should be:"]
    lines += [f"- {failure['kind']} {failure['name']}: {failure['message']}" for failure in failures]
    return Outcome(
        values={
            "failures": failures,
            "nodes": found.nodes,
            "failing": found.failing,
            "text": text_of(found, groups, given["name"]),
        },
        warnings=[*found.warnings, *([_NO_PODS] if module.check and module.text("pod_image") else [])],
        failure="\n".join(lines) if failures else "",
    )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
