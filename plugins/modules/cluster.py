#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: clusters in the state store."""

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster
short_description: Keep the specification of Kubernetes clusters in the state store
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Writes clusters to a state store of kops from manifests, or from a specification given as a dictionary; changes
    single fields of a stored cluster; or removes it from there.
  - Nothing is created, changed or deleted in a cloud. M(kubeops.kops.update_cluster) makes the cloud follow the store,
    and M(kubeops.kops.delete_cluster) deletes a cluster with its cloud objects.
  - Everything is validated before anything is written, and all problems are reported at once.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.feature_flags
  - kubeops.kops.settings
  - kubeops.kops.lease
  - kubeops.kops.progress
  - kubeops.kops.metadata
  - kubeops.kops.attributes
  - kubeops.kops.adopt
options:
  name:
    description:
      - Name of the cluster.
      - With O(manifests), only objects of this cluster are accepted, and objects that name none belong to it.
      - Taken from the environment variable E(KOPS_CLUSTER_NAME) if it is not given.
    type: str
    aliases: [cluster_name]
  state:
    description:
      - V(present) writes what is given. O(manifests) and O(spec) replace the whole specification of each object that is
        named, and leave objects that are not named as they are; O(set) and O(unset) change single fields.
      - V(absent) removes the cluster O(name) with its keys and secrets from the store. Its objects in the cloud stay,
        and no store knows them any more.
    type: str
    choices: [present, absent]
    default: present
  manifests:
    description:
      - Manifests, each as YAML text (of one or more documents) or as a dictionary.
      - Besides Clusters these may be InstanceGroups, SSHCredentials, and objects of other API groups that are to be
        applied with the cluster.
    type: list
    elements: raw
    aliases: [manifest]
  spec:
    description: The C(spec) of a Cluster of API version C(kops.k8s.io/v1alpha2), instead of O(manifests).
    type: dict
seealso:
  - module: kubeops.kops.cluster_info
  - module: kubeops.kops.create_cluster
  - module: kubeops.kops.instancegroup
  - module: kubeops.kops.replace
"""

EXAMPLES = r"""
- name: Store a cluster and its instance groups from a template
  kubeops.kops.cluster:
    state_store: s3://example-state
    manifests:
      - "{{ lookup('ansible.builtin.template', 'demo.example.com.yaml.j2') }}"

- name: Store a cluster from a dictionary
  kubeops.kops.cluster:
    state_store: s3://example-state
    name: demo.example.com
    spec:
      cloudProvider: aws
      kubernetesVersion: 1.34.1
      networkCIDR: 172.20.0.0/16
      networking:
        cilium: {}
      etcdClusters:
        - name: main
          etcdMembers:
            - name: a
              instanceGroup: control-plane-us-east-1a
      subnets:
        - name: us-east-1a
          type: Public
          zone: us-east-1a

- name: Change single fields of a stored cluster
  kubeops.kops.cluster:
    state_store: s3://example-state
    name: demo.example.com
    set:
      - spec.kubernetesVersion=1.34.2
      - spec.api.access=203.0.113.0/24,198.51.100.0/24
    unset:
      - spec.api.access

- name: Remove a cluster that another store has now
  kubeops.kops.cluster:
    state_store: s3://example-state
    name: demo.example.com
    state: absent
"""

RETURN = r"""
manifest:
  description:
    - All that the store would say of the clusters, as one YAML text.
    - M(kubeops.kops.update_cluster) takes it to plan with what is not stored yet.
  returned: in check mode
  type: str
# From plugins/doc_fragments/store_changes.py, by script/module-docs:
plan:
  description:
    - What changed in the store, or would in check mode, in the form of RV(kubeops.kops.update_cluster#module:plan).
    - The fields of an object are called by their paths in its manifest, for example C(spec.maxSize).
  returned: success
  type: list
  elements: dict
plan_text:
  description: The same for a reader. Of many objects of a kind, some are named.
  returned: success
  type: str
summary:
  description: How many objects are created, updated and deleted.
  returned: success
  type: dict
# From plugins/doc_fragments/next_steps.py, by script/module-docs:
next:
  description: What comes next, each a playbook or C(the same), with what it does.
  returned: if something comes next
  type: list
  elements: str
"""

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    ADOPT,
    CLUSTER,
    LEASE,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.store import (
    PRESENT_OR_ABSENT,
    SETTINGS,
    edit_of,
    store_options,
    store_outcome,
)
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.edit import Edit, apply_edit, edit_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import (
    load_manifests,
    one_object,
    sort_objects,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import (
    StoreOptions,
    put,
    remove_cluster,
)

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **LEASE,
    **ADOPT,
    **PROGRESS,
    **PRESENT_OR_ABSENT,
    **SETTINGS,
    "manifests": {"type": "list", "elements": "raw", "aliases": ["manifest"]},
    "spec": {"type": "dict"},
    "labels": {"type": "dict"},
    "annotations": {"type": "dict"},
}
RULES: dict[str, Any] = {"mutually_exclusive": [("manifests", "spec")]}


def run(module: Call) -> Outcome:
    """Make the store what the state says."""
    with progress_to(module.parameters["progress_file"]) as progress:
        return apply_state(module, store_options(module, progress), edit_of(module))


def apply_state(module: Call, options: StoreOptions, edit: Edit) -> Outcome:
    """Store or remove what is given."""
    if module.text("state") == "absent":
        return store_outcome(module, remove_cluster(options, module.cluster_name, check=module.check), ended={})
    if module.parameters["spec"] is not None:
        metadata = {key: module.parameters[key] for key in ("labels", "annotations")}
        objects = [one_object(Cluster, module.cluster_name, module.parameters["spec"], metadata)]
    else:
        objects = load_manifests(module.parameters["manifests"] or [])
    if not objects:
        if not edit:
            raise KopsError("nothing is given to store; give manifests, spec, set or unset")
        return store_outcome(module, edit_cluster(options, module.cluster_name, edit, check=module.check))
    apply_edit(edit, [found for found in objects if isinstance(found, Cluster)])
    wanted = sort_objects(objects, module.cluster_name)
    return store_outcome(module, put(options, wanted, check=module.check))


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS, **RULES).run(run)


if __name__ == "__main__":
    main()
