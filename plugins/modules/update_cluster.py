#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: the cloud objects of a cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: update_cluster
short_description: Make the cloud equal to a cluster's specification
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Reads a cluster from its state store, completes and validates it, and creates or changes what differs in the cloud.
  - In check mode it only reads, and returns the plan of what it would do. With diff mode the plan is shown as a diff.
  - What instance groups have in the cloud that are not in the state store any more is deleted, with their instances.
  - Interrupted at any point, it completes what is missing when it runs again.
  - While it runs, one line for each object is shown in the terminal.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.clouds
  - kubeops.kops.feature_flags
  - kubeops.kops.cluster
  - kubeops.kops.progress
  - kubeops.kops.attributes
  - kubeops.kops.lease
  - kubeops.kops.policy
  - kubeops.kops.adopt
options:
  target:
    description:
      - V(direct) changes the cloud.
      - V(terraform) writes a Terraform configuration to O(out) and leaves the cloud alone.
      - V(cloudformation) writes a template for AWS CloudFormation to O(out) and leaves the cloud alone.
    type: str
    choices: [direct, terraform, cloudformation]
    default: direct
  apply:
    description:
      - With V(cloudformation), let CloudFormation carry the template out. The plan is that of the stack. A stack is
        made or changed by a change set, its events are shown, and what it could not do is said when it is undone.
      - The stack is the one that has made the cluster's volumes of etcd, else that with the cluster's name, with C(-)
        for periods. One with the template of another cluster is refused.
      - What is there and in no stack, the stack takes in as it is.
    type: bool
    default: false
    version_added: 0.1.0
  release:
    description:
      - With O(apply), delete the stack, and nothing that is in it. The objects stay as they are, and belong to updates
        without a target again. Nothing else is done.
    type: bool
    default: false
    version_added: 0.1.0
  out:
    description: Directory that a target other than V(direct) writes to, and needs unless O(apply) is set.
    type: path
  terraform_variables:
    description:
      - With V(terraform), make what people change of instance groups variables of the configuration, with what the
        specification says as their defaults. They are sizes, machine types, images, and sizes of root volumes.
    type: bool
    default: false
    version_added: 0.1.0
  phase:
    description:
      - Only write one layer of the cluster. What the earlier layers own must be there.
      - Empty writes all of them.
    type: str
    choices: ["", network, security, cluster]
    default: ""
  lifecycle_overrides:
    description:
      - What may be done with objects of some kinds, as texts of the form C(Kind=Lifecycle).
      - Lifecycles are V(Sync), V(Ignore), V(ExistsAndValidates), V(ExistsAndWarnIfChanges) and
        V(WarnIfInsufficientAccess).
    type: list
    elements: str
    default: []
  instance_groups:
    description:
      - Names of the instance groups to update. What belongs to the other groups alone stays as it is, and so does what
        removed groups have left; what the groups share is updated all the same.
      - Empty updates all of them. Only with O(target=direct), and not together with O(instance_group_roles).
    type: list
    elements: str
    default: []
  instance_group_roles:
    description:
      - Roles of the instance groups to update, instead of their names.
      - Roles are V(control-plane), V(apiserver), V(node) and V(bastion); the plural and kops' other spellings too.
    type: list
    elements: str
    default: []
  prune:
    description:
      - Also delete what is only kept for instances that still run, such as old versions of launch templates.
      - On AWS also NodeConfigs and node programs in the state store that no instance needs any more. They are looked
        for only with this option and target V(direct).
    type: bool
    default: false
  plan_id:
    description:
      - The RV(plan_id) of an approved plan. If anything else would be done now, nothing is done.
    type: str
    default: ""
  manifest:
    description:
      - Manifests to store before the update, as YAML text, with the Cluster and its InstanceGroups.
      - With O(plan_id) they are stored only if that is their plan. In check mode they are only planned with.
    type: str
    default: ""
  allow_kops_downgrade:
    description: Go on although a newer kops has updated the cluster before.
    type: bool
    default: false
  allow_network_change:
    description:
      - Go on although the running cluster would get another network plug-in, or other ranges of addresses for pods or
        Services. Its running pods lose their network until they are started again.
    type: bool
    default: false
    version_added: 0.1.0
  ignore_kubelet_version_skew:
    description:
      - In a cloud, give workers the version of the specification at once. Otherwise they keep theirs until no API
        server is older, also those that join meanwhile, and a warning says which API servers are older.
    type: bool
    default: false
    version_added: 0.1.0
  api_server:
    description:
      - Another address of the API server, as C(https://host:port). In a cloud, while a change of the version is
        pending, it is asked for the versions that run.
    type: str
    version_added: 0.1.0
  addon_checksums:
    description:
      - SHA-256 checksums of files of addons that others publish, by URL; definitions of kinds, and channels of
        C(spec.addons) with their manifests.
      - A file that is not named must have the content that it had when the cluster first used it.
    type: dict
    default: {}
    version_added: 0.1.0
seealso:
  - module: kubeops.kops.cluster
  - module: kubeops.kops.delete_cluster
"""

EXAMPLES = r"""
- name: See what would be done
  kubeops.kops.update_cluster:
    state_store: s3://example-state
    name: demo.example.com
  check_mode: true
  register: kops_plan

- name: Do exactly that
  kubeops.kops.update_cluster:
    state_store: s3://example-state
    name: demo.example.com
    plan_id: "{{ kops_plan.plan_id }}"

- name: Only apply what the rules of the company allow
  kubeops.kops.update_cluster:
    state_store: s3://example-state
    name: demo.example.com
    policy: [policy/company.yml]

- name: Update the worker nodes only
  kubeops.kops.update_cluster:
    state_store: s3://example-state
    name: demo.example.com
    instance_group_roles: [node]

- name: Write it as Terraform instead
  kubeops.kops.update_cluster:
    state_store: s3://example-state
    name: demo.example.com
    target: terraform
    out: out/terraform
"""

RETURN = r"""
name:
  description: Name of the cluster.
  returned: success
  type: str
manifest:
  description: The specification that was planned with, since it is not stored.
  returned: in check mode with manifest
  type: str
cloud:
  description: The cloud of the cluster; V(metal) for bare metal.
  returned: success
  type: str
  sample: aws
is_new:
  description: Whether the cluster got its keys, or would in check mode; nothing of it runs before that.
  returned: success
  type: bool
plan:
  description: What was done, or would be done in check mode. Secrets are masked.
  returned: success
  type: list
  elements: dict
  contains:
    task:
      description: Kind and name of the task that the object belongs to; the same as the object's, but for deletions.
      type: str
      returned: always
    kind:
      description: Kind of the object.
      type: str
      returned: always
    name:
      description: Name of the object.
      type: str
      returned: always
    action:
      description:
        - V(create), V(update) or V(delete).
        - V(keep) is for what is not wanted any more and only deleted with O(prune).
      type: str
      returned: always
    before:
      description: The fields that differ, as they exist.
      type: dict
      returned: always
    after:
      description: The fields that differ, as they are wanted.
      type: dict
      returned: always
    reason:
      description:
        - Why, where that is not obvious. Of a change, what follows of it; for a launch template, what of its group's
          instances will only be different when they have been replaced.
      type: str
      returned: always
plan_id:
  description: Fingerprint of the plan, for O(plan_id).
  returned: success
  type: str
plan_text:
  description:
    - The plan for a reader, made from RV(plan).
    - Long values are shortened, and of many objects of a kind, some are named. RV(plan) has everything.
  returned: success
  type: str
summary:
  description: How many objects are created, updated, deleted, kept and unchanged.
  returned: success
  type: dict
report:
  description: What was done, or would be in check mode, in a few lines.
  returned: success
  type: list
  elements: str
pending:
  description:
    - What changes, or would in check mode, of that which instances are started from, by the names of their groups in
      the cloud, as O(kubeops.kops.rolling_update#module:pending) takes it. Of OpenStack also instances that
      leave a group which has become smaller, and why.
    - With another O(target) than V(direct), only what changes of user data is known.
  returned: success
  type: dict
  sample:
    nodes-us-east-1a.demo.example.com: "instances that run get it only when they are replaced: another NodeConfig"
to_replace:
  description:
    - The instances that run and do not get what would change before they are replaced, by the names of their groups in
      the cloud. M(kubeops.kops.rolling_update) replaces them.
  returned: always
  type: dict
  sample: {nodes-us-east-1a.demo.example.com: [i-0123456789abcdef0]}
ended:
  description: How it has ended, as O(kubeops.kops.next_steps#module:ended) takes it.
  returned: success
  type: dict
violations:
  description:
    - What violates O(policy).
    - If a rule with the effect V(deny) is violated, the module fails, in check mode as well, and nothing is written.
      The plan is shown in the terminal and not returned.
  returned: always
  type: list
  elements: dict
  contains:
    rule:
      description: Name of the rule.
      type: str
      returned: always
    effect:
      description: V(deny) or V(warn).
      type: str
      returned: always
    message:
      description: What the rule says of itself.
      type: str
      returned: always
    about:
      description: V(cluster), V(group), V(object) or V(change).
      type: str
      returned: always
    object:
      description: Kind and name of what violates it.
      type: str
      returned: always
    field:
      description: The field of the rule; empty if it has none.
      type: str
      returned: always
    value:
      description: The value that violates it, if there is one.
      type: raw
      returned: always
    what:
      description: What is wrong.
      type: str
      returned: always
    where:
      description: File and line of the rule.
      type: str
      returned: always
files:
  description: The files in O(out) that changed.
  returned: with another target than direct
  type: list
  elements: str
out:
  description: The directory that was written to.
  returned: with another target than direct
  type: str
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
    POLICY,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to
from ansible_collections.kubeops.kops.plugins.module_utils.operations.targets.table import (
    APPLIED,
    DEFAULT,
    TARGETS,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.outcome import outcome

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **LEASE,
    **ADOPT,
    **POLICY,
    **PROGRESS,
    "target": {"type": "str", "choices": [*TARGETS], "default": DEFAULT},
    "apply": {"type": "bool", "default": False},
    "release": {"type": "bool", "default": False},
    "out": {"type": "path"},
    "terraform_variables": {"type": "bool", "default": False},
    "phase": {"type": "str", "choices": ["", "network", "security", "cluster"], "default": ""},
    "lifecycle_overrides": {"type": "list", "elements": "str", "default": []},
    "instance_groups": {"type": "list", "elements": "str", "default": []},
    "instance_group_roles": {"type": "list", "elements": "str", "default": []},
    "prune": {"type": "bool", "default": False},
    "plan_id": {"type": "str", "default": ""},
    "manifest": {"type": "str", "default": ""},
    "allow_kops_downgrade": {"type": "bool", "default": False},
    "allow_network_change": {"type": "bool", "default": False},
    "ignore_kubelet_version_skew": {"type": "bool", "default": False},
    "api_server": {"type": "str"},
    "addon_checksums": {"type": "dict", "default": {}},
}

# Whether the others need it depends on what else is asked of them.
RULES: dict[str, Any] = {
    "required_if": [
        ("target", each.name, ["out"]) for each in TARGETS.values() if each.out_is and each.name not in APPLIED
    ]
}


def run(module: Call) -> Outcome:
    """Plan, and apply unless in check mode."""
    options = UpdateOptions(
        state_store=module.state_store,
        name=module.cluster_name,
        target=module.text("target"),
        out=module.text("out"),
        apply=module.parameters["apply"],
        release=module.parameters["release"],
        terraform_variables=module.parameters["terraform_variables"],
        phase=module.text("phase"),
        lifecycle_overrides=module.parameters["lifecycle_overrides"],
        instance_groups=module.parameters["instance_groups"],
        instance_group_roles=module.parameters["instance_group_roles"],
        prune=module.parameters["prune"],
        plan_id=module.text("plan_id"),
        manifest=module.text("manifest"),
        allow_kops_downgrade=module.parameters["allow_kops_downgrade"],
        allow_network_change=module.parameters["allow_network_change"],
        ignore_kubelet_version_skew=module.parameters["ignore_kubelet_version_skew"],
        api_server=module.text("api_server"),
        addon_checksums=module.parameters["addon_checksums"],
        policy=module.parameters["policy"],
        lease_wait=module.parameters["lease_wait"],
        break_lease=module.parameters["break_lease"],
        adopt=[name for name in module.parameters["adopt"] if name],
    )
    with progress_to(module.parameters["progress_file"]) as progress:
        result = update_cluster(options, check=module.check, progress=progress)
    return outcome(result, check=module.check)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS, **RULES).run(run)


if __name__ == "__main__":
    main()
