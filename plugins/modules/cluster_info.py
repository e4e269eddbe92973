#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: what the state store says about clusters."""

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_info
short_description: Read clusters from the state store
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Reads the specifications of clusters, with their instance groups, from a state store of kops.
  - A cluster that does not exist is no error unless it is O(required); nothing is returned for it.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.attributes.info
options:
  name:
    description:
      - Name of the cluster; without it all clusters of the store are read.
      - The environment variable E(KOPS_CLUSTER_NAME) stands in for it, unless O(all=true).
    type: str
    aliases: [cluster_name]
  all:
    description: Read all clusters, whatever the environment says.
    type: bool
    default: false
  required:
    description:
      - Fail if the cluster that is named, here or by the environment, does not exist. The message names the store, and
        the clusters that it has.
    type: bool
    default: false
  full:
    description: Also return the complete specification, as the last update wrote it.
    type: bool
    default: false
seealso:
  - module: kubeops.kops.cluster
  - module: kubeops.kops.instancegroup_info
"""

EXAMPLES = r"""
- name: Which clusters are there
  kubeops.kops.cluster_info:
    state_store: s3://example-state
  register: kops_clusters

- name: Keep a cluster's manifests in a file
  kubeops.kops.cluster_info:
    state_store: s3://example-state
    name: demo.example.com
  register: kops_demo

- name: Write the file
  ansible.builtin.copy:
    content: "{{ kops_demo.manifest }}"
    dest: demo.example.com.yaml
    mode: "0644"
"""

RETURN = r"""
names:
  description: Names of the clusters.
  returned: success
  type: list
  elements: str
clusters:
  description: The clusters.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the cluster.
      type: str
      returned: always
    cloud:
      description: The cloud that it is on; V(metal) for bare metal.
      type: str
      returned: always
      sample: aws
    cluster:
      description: The Cluster, as a manifest of API version C(kops.k8s.io/v1alpha2).
      type: dict
      returned: always
    instancegroups:
      description: The InstanceGroups, as such manifests.
      type: list
      elements: dict
      returned: always
    additional_objects:
      description: The objects that are applied with the cluster.
      type: list
      elements: dict
      returned: always
    kops_version:
      description: The version of kops that last updated the cluster; empty if none did.
      type: str
      returned: always
    completed:
      description: The complete Cluster; null if no update has written it yet.
      type: dict
      returned: with full=true
manifest:
  description: All objects as one YAML text, as M(kubeops.kops.replace) takes it.
  returned: success
  type: str
"""


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import CLUSTER, STATE_STORE, Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.info import read_clusters

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    "all": {"type": "bool", "default": False},
    "required": {"type": "bool", "default": False},
    "full": {"type": "bool", "default": False},
}


def run(module: Call) -> Outcome:
    """Read the store."""
    name = "" if module.parameters["all"] else module.cluster_name
    full, required = (bool(module.parameters[option]) for option in ("full", "required"))
    return Outcome(values=read_clusters(module.state_store, name, full=full, required=required and bool(name)))


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
