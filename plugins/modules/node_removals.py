#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: how hosts are removed from a cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_removals
short_description: Decide how hosts are removed from a cluster
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Decides in which order hosts are removed from a bare metal cluster, and which changes the hosts that stay need. A
    host that cannot be reached can be removed as well.
  - Refuses where no control plane would be left, or where the members of etcd that stay would have no majority.
    All reasons are reported at once.
  - Runs where the state store can be reached, usually the controller. It only reads.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster
  - kubeops.kops.hosts
  - kubeops.kops.attributes.info
options:
  remove:
    description: Names of the hosts to remove.
    type: list
    elements: str
    default: []
  everything:
    description: Remove all hosts, because the cluster is deleted.
    type: bool
    default: false
  leave_out_unreachable:
    description: With O(everything), leave hosts as they are that could not be asked. They are an error otherwise.
    type: bool
    default: false
seealso:
  - module: kubeops.kops.node_info
  - module: kubeops.kops.node_converge
  - module: kubeops.kops.etcd_member
"""

EXAMPLES = r"""
- name: Decide how two hosts are removed
  kubeops.kops.node_removals:
    name: metal.example.com
    state_store: file:///srv/kops
    remove: [worker-3, worker-4]
  delegate_to: localhost
  run_once: true
  register: kops_removal
"""

RETURN = r"""
name:
  description: Name of the cluster.
  returned: success
  type: str
hosts:
  description: The hosts to remove, in the order in which this is safe.
  returned: success
  type: list
  elements: str
removals:
  description: What there is to do for each host, by its name.
  returned: success
  type: dict
  contains:
    node:
      description: Name of the node in Kubernetes.
      type: str
      returned: always
    reachable:
      description: Whether the host could be asked.
      type: bool
      returned: always
    members:
      description: The members of etcd that it may have, with C(etcd) and C(peerUrl).
      type: list
      elements: dict
      returned: always
via:
  description:
    - The host of the control plane that stays and on which the cluster is changed.
    - With O(everything), a host of the control plane, which knows the nodes; empty if there is none.
  returned: success
  type: str
leftAlone:
  description: With O(everything), hosts that are no nodes of the cluster, or could not be asked.
  returned: success
  type: list
  elements: str
"""


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import CLUSTER, STATE_STORE, Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.removal import (
    RemovalOptions,
    plan_end,
    plan_removal,
)

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    "hosts": {"type": "dict"},
    "remove": {"type": "list", "elements": "str", "default": []},
    "everything": {"type": "bool", "default": False},
    "leave_out_unreachable": {"type": "bool", "default": False},
}


def run(module: Call) -> Outcome:
    """The module's result. Raises KopsError."""
    options = RemovalOptions(
        module.state_store,
        module.cluster_name,
        module.parameters["hosts"] or {},
        remove=module.parameters["remove"],
        without=module.parameters["leave_out_unreachable"],
    )
    plan = plan_end if module.parameters["everything"] else plan_removal
    return Outcome(values=plan(options))


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
