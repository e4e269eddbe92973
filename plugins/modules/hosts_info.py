#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: which instance groups of a cluster the hosts of an inventory are in."""

from __future__ import annotations

DOCUMENTATION = r"""
module: hosts_info
short_description: Tell which instance groups the hosts of an inventory are in
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Puts the hosts of an inventory into the instance groups of a bare metal cluster, and returns what
    M(kubeops.kops.validate_cluster) expects of the cluster.
  - A host belongs to the instance group that its variable C(kops_instance_group) names, or that an inventory group of
    the host is named after. Hosts that cannot be reached are expected as well.
  - Runs where the state store can be reached, usually the controller. It only reads.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster
  - kubeops.kops.hosts
  - kubeops.kops.attributes.info
seealso:
  - module: kubeops.kops.node_info
  - module: kubeops.kops.validate_cluster
"""

EXAMPLES = r"""
- name: Tell which instance groups the hosts are in
  kubeops.kops.hosts_info:
    name: metal.example.com
    state_store: file:///srv/kops
  delegate_to: localhost
  run_once: true
  register: kops_expected
"""

RETURN = r"""
name:
  description: Name of the cluster.
  returned: success
  type: str
apiAddresses:
  description: Addresses of the API servers.
  returned: success
  type: list
  elements: str
apiServer:
  description:
    - The URL by which users reach the API, by C(spec.api.publicName), else by the address of a control plane. Empty if
      no address is known.
  returned: success
  type: str
dnsDomain:
  description: Domain of the cluster's DNS.
  returned: success
  type: str
hostFailures:
  description:
    - Nodes with a kubeconfig that does not trust the certificate of an API server, as
      M(kubeops.kops.validate_cluster) takes them.
  returned: success
  type: list
  elements: dict
controlPlane:
  description: The hosts of the control plane; those that could be reached come first.
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
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.expectation import expect

ARGUMENTS = {**STATE_STORE, **CLUSTER, "hosts": {"type": "dict"}}


def run(module: Call) -> Outcome:
    """The module's result. Raises KopsError."""
    return Outcome(values=expect(module.state_store, module.cluster_name, module.parameters["hosts"] or {}))


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
