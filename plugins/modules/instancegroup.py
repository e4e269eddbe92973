#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: instance groups in the state store."""

from __future__ import annotations

DOCUMENTATION = r"""
module: instancegroup
short_description: Keep the specification of instance groups in the state store
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Writes instance groups of a cluster to a state store of kops from manifests, or from a specification given as a
    dictionary; changes single fields of stored groups; or removes groups from there.
  - Nothing is created, changed or deleted in a cloud. M(kubeops.kops.update_cluster) makes the cloud follow the store.
  - Everything is validated before anything is written, and all problems are reported at once.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.feature_flags
  - kubeops.kops.cluster.owner
  - kubeops.kops.settings
  - kubeops.kops.lease
  - kubeops.kops.progress
  - kubeops.kops.metadata
  - kubeops.kops.attributes
options:
  name:
    description:
      - Name of the instance group that O(spec) is about.
      - Names of those that O(set) and O(unset) change, or that O(state=absent) removes.
    type: list
    elements: str
  state:
    description:
      - V(present) writes what is given. O(manifests) and O(spec) replace the whole specification of each group that is
        named, and leave groups that are not named as they are; O(set) and O(unset) change single fields.
      - V(absent) removes the groups O(name), or those of O(manifests). The last group of the control plane stays, and
        so does a group that a member of an etcd cluster is in.
        What removed groups have in the cloud is deleted, with their instances, by the next
        M(kubeops.kops.update_cluster); its plan says so. Drain the nodes first.
    type: str
    choices: [present, absent]
    default: present
  manifests:
    description:
      - Manifests of InstanceGroups, each as YAML text (of one or more documents) or as a dictionary.
      - The label C(kops.k8s.io/cluster) is added where it is missing.
    type: list
    elements: raw
    aliases: [manifest]
  spec:
    description: The C(spec) of an InstanceGroup of API version C(kops.k8s.io/v1alpha2), instead of O(manifests).
    type: dict
  role:
    description:
      - Role of new instance groups, called O(name) - V(control-plane), V(apiserver), V(node) or V(bastion). They get
        the image, machine type, size and subnets that kops gives a group of this role.
      - O(set) and O(unset) are applied before that, so that the image is one for the machine type that is set.
      - Of groups that are stored already, only O(subnets), O(zones) and what O(set) and O(unset) name are changed.
        Another role than the stored one is an error.
    type: str
  subnets:
    description: With O(role), names of the subnets that the groups are in.
    type: list
    elements: str
    default: []
  zones:
    description:
      - With O(role), the zones that the groups are in, instead of O(subnets); they get all subnets for nodes there.
      - With neither, groups are in all subnets for nodes, and in Google Cloud in all zones of the cluster. For a
        control plane one of them must be given.
    type: list
    elements: str
    default: []
seealso:
  - module: kubeops.kops.instancegroup_info
  - module: kubeops.kops.cluster
"""

EXAMPLES = r"""
- name: Three nodes more in a zone
  kubeops.kops.instancegroup:
    state_store: s3://example-state
    cluster_name: demo.example.com
    name: batch
    spec:
      role: Node
      image: ssm:/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id
      machineType: t3.large
      minSize: 3
      maxSize: 3
      subnets:
        - us-east-1a

- name: A group of small machines in one zone, with the defaults of kops
  kubeops.kops.instancegroup:
    state_store: s3://example-state
    cluster_name: demo.example.com
    name: small
    role: node
    zones: us-east-1a
    set: spec.machineType=t3.small

- name: Scale two groups
  kubeops.kops.instancegroup:
    state_store: s3://example-state
    cluster_name: demo.example.com
    name: [nodes-us-east-1a, nodes-us-east-1b]
    set:
      - spec.minSize=2
      - spec.maxSize=6

- name: Several groups at once
  kubeops.kops.instancegroup:
    state_store: s3://example-state
    cluster_name: demo.example.com
    manifests: "{{ lookup('ansible.builtin.file', 'groups.yaml') }}"

- name: Remove a group from the store; the next update ends its instances
  kubeops.kops.instancegroup:
    state_store: s3://example-state
    cluster_name: demo.example.com
    name: batch
    state: absent
"""

RETURN = r"""
manifest:
  description:
    - All that the store would say of the cluster, as one YAML text.
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
    IN_CLUSTER,
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
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.instance_group import (
    NewGroups,
    create_groups,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.edit import Edit, apply_edit, edit_groups
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import (
    load_manifests,
    one_object,
    sort_objects,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import (
    StoreOptions,
    put,
    remove_groups,
)

ARGUMENTS = {
    **STATE_STORE,
    **IN_CLUSTER,
    **LEASE,
    **PROGRESS,
    **PRESENT_OR_ABSENT,
    **SETTINGS,
    "name": {"type": "list", "elements": "str"},
    "manifests": {"type": "list", "elements": "raw", "aliases": ["manifest"]},
    "spec": {"type": "dict"},
    "role": {"type": "str"},
    "subnets": {"type": "list", "elements": "str", "default": []},
    "zones": {"type": "list", "elements": "str", "default": []},
    "labels": {"type": "dict"},
    "annotations": {"type": "dict"},
}
RULES: dict[str, Any] = {"mutually_exclusive": [("manifests", "spec", "role")]}


def given_groups(module: Call, names: list[str]) -> list[InstanceGroup]:
    """The instance groups that are given, as objects."""
    spec = module.parameters["spec"]
    if spec is None:
        objects = load_manifests(module.parameters["manifests"] or [])
    elif len(names) != 1:
        raise KopsError("spec is about one instance group; give its name")
    else:
        metadata = {key: module.parameters[key] for key in ("labels", "annotations")}
        objects = [one_object(InstanceGroup, names[0], spec, metadata)]
    for found in objects:
        if not isinstance(found, InstanceGroup):
            raise KopsError(f"a {type(found).__name__} is no InstanceGroup; use the module cluster or replace")
    return objects


def run(module: Call) -> Outcome:
    """Make the store what the state says."""
    with progress_to(module.parameters["progress_file"]) as progress:
        return apply_state(module, store_options(module, progress), edit_of(module))


def apply_state(module: Call, options: StoreOptions, edit: Edit) -> Outcome:
    """Store or remove what is given."""
    names = [name for name in module.parameters["name"] or [] if name]
    groups = given_groups(module, names)
    if module.text("state") == "absent":
        going = names or [str(group.metadata.name) for group in groups]
        if not going:
            raise KopsError("nothing is given to remove; give name or manifests")
        return store_outcome(module, remove_groups(options, module.cluster_name, going, check=module.check))
    if module.text("role"):
        return created(module, options, names, edit)
    if any(module.parameters[option] for option in ("subnets", "zones")):
        raise KopsError("subnets and zones are about new groups; give role, or set spec.subnets of stored groups")
    if groups:
        apply_edit(edit, groups)
        wanted = sort_objects(groups, module.cluster_name)
        return store_outcome(module, put(options, wanted, check=module.check))
    if not edit:
        raise KopsError("nothing is given to store; give manifests, spec, set or unset")
    if not names:
        raise KopsError("set and unset are about groups by name; give name")
    return store_outcome(module, edit_groups(options, module.cluster_name, names, edit, check=module.check))


def created(module: Call, options: StoreOptions, names: list[str], edit: Edit) -> Outcome:
    """Store new groups with defaults."""
    if not names:
        raise KopsError("role is about instance groups by name; give name")
    subnets, zones = ([each for each in module.parameters[option] or [] if each] for option in ("subnets", "zones"))
    given = NewGroups(names, module.text("role"), subnets, zones, edit)
    return store_outcome(module, create_groups(options, module.cluster_name, given, check=module.check))


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS, **RULES).run(run)


if __name__ == "__main__":
    main()
