#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: what the hosts of an inventory have to be."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_configs
short_description: Compute what each host of an inventory has to be
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Puts the hosts of an inventory into the instance groups of a bare metal cluster, decides which members of
    etcd they are, and computes the NodeConfig of each, with the certificates that it lacks.
  - A host belongs to the instance group that its variable C(kops_instance_group) names, or that an inventory group of
    the host is named after.
  - Everything that is wrong with the hosts is reported at once - hosts without an instance group, groups without hosts,
    members of etcd without a host, too little memory, swap, ports in use, clocks that differ, and so on.
  - Runs where the state store can be reached, usually the controller. It only reads.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.feature_flags
  - kubeops.kops.cluster
  - kubeops.kops.hosts
  - kubeops.kops.attributes.info
requirements:
  - cryptography >= 42
options:
  manifest:
    description: In check mode, manifests to use instead of what is stored.
    type: str
  src:
    description:
      - In check mode, files or directories of manifests, as M(kubeops.kops.replace) takes them, to plan with as if they
        were stored.
    type: list
    elements: path
    default: []
  leave_out_unreachable:
    description: Leave out hosts that could not be asked. They are an error otherwise.
    type: bool
    default: false
  compare:
    description:
      - For hosts that are only compared with what they have to be, as M(kubeops.kops.drift_info) wants it. What is
        wrong with one of them is in RV(problems) then, and it is not in RV(hosts). It keeps its place among the others.
    type: bool
    default: false
    version_added: 0.1.0
  instance_groups:
    description: Restricts RV(rolling) to the hosts of these instance groups.
    type: list
    elements: str
    default: []
  interrupt:
    description:
      - Whether all hosts are changed at once, even if programs must be restarted. Then it is no error that hosts do not
        trust the key pairs that sign now.
    type: bool
    default: false
  addon_checksums:
    description:
      - As of M(kubeops.kops.update_cluster), for check mode; after an update the state store remembers them.
    type: dict
    default: {}
    version_added: 0.1.0
  allow_network_change:
    description:
      - In check mode, plan although the running cluster would get another network, as M(kubeops.kops.update_cluster)
        would allow it.
    type: bool
    default: false
    version_added: 0.1.0
  ignore_kubelet_version_skew:
    description:
      - Do not let workers wait for newer API servers, and do not refuse versions that skip a minor version.
    type: bool
    default: false
    version_added: 0.1.0
  report_problems:
    description:
      - Return what is wrong in C(problem) rather than fail. For tasks with C(no_log), which would hide the message.
    type: bool
    default: false
notes:
  - The result holds private keys. Use C(no_log).
seealso:
  - module: kubeops.kops.node_info
  - module: kubeops.kops.node_converge
"""

EXAMPLES = r"""
- name: Compute what the hosts have to be
  kubeops.kops.node_configs:
    name: metal.example.com
    state_store: file:///srv/kops
  delegate_to: localhost
  run_once: true
  no_log: true
  register: kops_plan
"""

RETURN = r"""
problem:
  description: What is wrong, with O(report_problems). Empty if nothing is.
  returned: success
  type: str
hosts:
  description: What each host has to be, by its name.
  returned: success
  type: dict
  contains:
    instanceGroup:
      description: Its instance group.
      type: str
      returned: always
    role:
      description: The role of the instance group.
      type: str
      returned: always
    node:
      description: Name of the node in Kubernetes.
      type: str
      returned: always
    drain:
      description: Whether its pods are evicted before it is changed.
      type: bool
      returned: always
    ahead:
      description:
        - Whether it would get a kubelet that is newer than an API server, if it were changed now. The kubelets of hosts
          that become nodes are never newer.
      type: bool
      returned: always
    new:
      description: Whether it has not been a healthy node yet.
      type: bool
      returned: always
    members:
      description: Its members of etcd clusters, with C(etcd) and C(name), except for those that have to join one.
      type: list
      elements: dict
      returned: always
    joins:
      description: The members of running etcd clusters that it becomes, with C(etcd), C(name) and C(peerUrl).
      type: list
      elements: dict
      returned: always
    config:
      description: The NodeConfig.
      type: dict
      returned: unless the cluster has no keys yet, in check mode
    secrets:
      description: Contents of the files that the NodeConfig refers to, in base64.
      type: dict
      returned: unless the cluster has no keys yet, in check mode
    facts:
      description: Values of the markers in the NodeConfig.
      type: dict
      returned: unless the cluster has no keys yet, in check mode
controlPlane:
  description: The hosts of the control plane; those that run already come first.
  returned: success
  type: list
  elements: str
addons:
  description: The addons of the cluster, as M(kubeops.kops.addons) takes them.
  returned: success
  type: list
  elements: dict
retired:
  description: Addons that the cluster does not have, as M(kubeops.kops.addons) takes them.
  returned: success
  type: list
  elements: str
nodes:
  description: The labels of each node, as M(kubeops.kops.addons) takes them.
  returned: success
  type: dict
taints:
  description: The taints of each node, as M(kubeops.kops.addons) takes them.
  returned: success
  type: dict
apiServer:
  description: URL of the API for users, by C(spec.api.publicName), else at the first host of the control plane.
  returned: success
  type: str
apiAddresses:
  description: Addresses of the API servers, and the virtual address if there is one.
  returned: success
  type: list
  elements: str
leftOutNodes:
  description: Names of the nodes of the hosts in RV(leftOut).
  returned: success
  type: list
  elements: str
rolling:
  description: In which order hosts may be changed one after the other.
  returned: success
  type: dict
  contains:
    batches:
      description: Lists of hosts that may be changed together, in their order.
      type: list
      elements: list
      returned: always
    problems:
      description: Why the rolling update must not begin.
      type: list
      elements: str
      returned: always
    newcomers:
      description: Hosts that are none of these, because they have to become nodes first.
      type: list
      elements: str
      returned: always
    disabled:
      description: >-
        Hosts that are none of these, because C(spec.rollingUpdate.drainAndTerminate) of their instance group or of the
        cluster is V(false).
      type: list
      elements: str
trust:
  description: The keys that pods depend on, for M(kubeops.kops.pod_trust).
  returned: success
  type: dict
  contains:
    hash:
      description: Hash of the keys. Empty if the cluster has none yet, in check mode.
      type: str
      returned: always
    authorities:
      description: CAs of the API server, as PEM. Empty if the cluster has none yet, in check mode.
      type: str
      returned: always
problems:
  description: What is wrong with hosts that cannot be compared, by their names. Empty without O(compare).
  returned: success
  type: dict
leftOut:
  description: Hosts that were left out because they could not be asked.
  returned: success
  type: list
  elements: str
# From plugins/doc_fragments/hosts.py, by script/module-docs:
groups:
  description: The instance groups with their nodes, as M(kubeops.kops.validate_cluster) takes them.
  returned: success
  type: list
  elements: dict
podImage:
  description: Image of the pods that validation starts, as M(kubeops.kops.validate_cluster) takes it.
  returned: success
  type: str
podNetwork:
  description: Range of the pods' addresses; empty if the user has installed the network.
  returned: success
  type: str
workloads:
  description: Workloads that the addons must have, as M(kubeops.kops.validate_cluster) takes them.
  returned: success
  type: list
  elements: dict
"""


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import CLUSTER, STATE_STORE, Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, in_one_line
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.plan import HostOptions, plan_hosts
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import load_files, sort_objects
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, would_be_stored

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    "hosts": {"type": "dict"},
    "manifest": {"type": "str"},
    "src": {"type": "list", "elements": "path", "default": []},
    "leave_out_unreachable": {"type": "bool", "default": False},
    "compare": {"type": "bool", "default": False},
    "instance_groups": {"type": "list", "elements": "str", "default": []},
    "addon_checksums": {"type": "dict", "default": {}},
    "interrupt": {"type": "bool", "default": False},
    "allow_network_change": {"type": "bool", "default": False},
    "ignore_kubelet_version_skew": {"type": "bool", "default": False},
    "report_problems": {"type": "bool", "default": False},
}


def from_files(module: Call) -> str:
    """What the store would say with the manifests of src; "" without src."""
    locations = [location for location in module.parameters["src"] if location]
    if not locations:
        return ""
    if not module.check:
        raise KopsError("src is for check mode; store the manifests first, with kubeops.kops.replace")
    return would_be_stored(StoreOptions(module.state_store), sort_objects(load_files(locations), module.cluster_name))


def run(module: Call) -> Outcome:
    """The module's result. Raises KopsError."""
    options = HostOptions(
        module.state_store,
        module.cluster_name,
        module.parameters["hosts"] or {},
        manifest=module.text("manifest") or from_files(module),
        interrupt=bool(module.parameters["interrupt"]),
        allow_network_change=module.parameters["allow_network_change"],
        ignore_kubelet_version_skew=module.parameters["ignore_kubelet_version_skew"],
        without=module.parameters["leave_out_unreachable"],
        compare=module.parameters["compare"],
        instance_groups=module.parameters["instance_groups"],
        addon_checksums=module.parameters["addon_checksums"],
    )
    try:
        return Outcome(values={"problem": "", **plan_hosts(options, check=module.check)})
    except KopsError as error:
        if not module.parameters["report_problems"]:
            raise
        return Outcome(values={"problem": in_one_line(error) if options.compare else str(error)})


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
