#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: instances of a cluster in a cloud are replaced, one after the other."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rolling_update
short_description: Replace the instances of a cluster in a cloud that are not as they should be
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Replaces instances that differ from what their group would start now, as C(kops rolling-update cluster) does. It
    runs where the state store can be reached, and connects to no node; the cloud and the API of the cluster are enough.
  - An instance is replaced if its launch template has a newer version, if its node has the annotation
    C(kops.k8s.io/needs-update), or if an earlier rolling update has begun with it.
  - Bastions come first, then control planes one at a time, then API servers, then workers, by the names of their
    groups. C(spec.rollingUpdate) of the group or of the cluster says how many at a time (C(maxUnavailable)) and how
    many more are started beforehand (C(maxSurge)). Groups with C(drainAndTerminate) false are left alone.
  - Instances that are to be replaced and fail themselves come first, and so do their groups among those of the role.
  - The cluster must be as it should be before the first instance of a group, and after each one. Of instances that are
    to be replaced and fail, nothing is expected. A control plane is
    only taken away while all other members of its etcd clusters are healthy.
  - Only one run at a time replaces instances of a cluster. Another one waits, see O(lease_wait).
  - Nothing else is kept between two runs. If a run is interrupted, run it again; it goes on where the other one has
    stopped.
  - The API is asked with a certificate of an administrator that lives for four hours and is written to no file.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.clouds.instances
  - kubeops.kops.cluster
  - kubeops.kops.progress
  - kubeops.kops.lease
  - kubeops.kops.policy
  - kubeops.kops.api_server
  - kubeops.kops.replacing
attributes:
  check_mode:
    description: Reports what would change, and changes nothing.
    support: full
    details: The plan is exact. Which instances, why, and in which order.
  diff_mode:
    description: Reports what changed, or would change in check mode.
    support: none
    details: The plan says it.
requirements:
  - cryptography >= 42
options:
  instance_groups:
    description: Names of the instance groups to update; empty means all. Not together with O(instance_group_roles).
    type: list
    elements: str
    default: []
  instance_group_roles:
    description:
      - Only instance groups of these roles, instead of their names. They are written as for
        O(kubeops.kops.update_cluster#module:instance_group_roles).
    type: list
    elements: str
    default: []
  force:
    description: Replace all instances, also those that are as they should be.
    type: bool
    default: false
  cloudonly:
    description:
      - Do not use the API of the cluster. Nothing is drained and nothing is validated, and annotations of nodes do not
        count. Pods end with their instances.
    type: bool
    default: false
  limit:
    description:
      - Replace no more instances than this in one run; V(0) means no limit. Run it with V(1), look at what has become
        of the first instance, and then run it without a limit.
    type: int
    default: 0
  canary_hold:
    description: How many seconds the cluster must stay as it should be after the first worker, before the next one.
    type: int
    default: 0
  groups_at_once:
    description: How many instance groups of workers are updated at the same time.
    type: int
    default: 1
  bastion_interval:
    description: Pause after a bastion was terminated, in seconds.
    type: int
    default: 0
  control_plane_interval:
    description: Pause after a control plane was terminated, in seconds.
    type: int
    default: 0
  node_interval:
    description: Pause after another instance was terminated, in seconds.
    type: int
    default: 0
  pending:
    description:
      - In check mode, launch templates that an update before it would change, with what would change. What was started
        from them counts as if they had been changed. And instances that this update would take out of their groups.
    type: dict
    default: {}
    version_added: 0.1.0
notes:
  - While the module runs, each step is shown, and what it waits for.
  - It works on AWS. Groups that Karpenter manages are left alone.
seealso:
  - module: kubeops.kops.validate_cloud_cluster
  - module: kubeops.kops.node_drain
"""

EXAMPLES = r"""
- name: Replace what is not as it should be
  kubeops.kops.rolling_update:
    state_store: s3://example-state
    name: demo.example.com

- name: Replace one worker to see whether it works
  kubeops.kops.rolling_update:
    state_store: s3://example-state
    name: demo.example.com
    instance_groups: [nodes-us-east-1a]
    limit: 1
"""

RETURN = r"""
# From plugins/doc_fragments/replacing.py, by script/module-docs:
plan:
  description: What has to be done, or would have to be in check mode, in this order.
  returned: always
  type: list
  elements: dict
  contains:
    instance_group:
      description: Name of the instance group.
      type: str
      returned: always
    role:
      description: Its role.
      type: str
      returned: always
    instances:
      description: The instances to replace, in their order.
      type: list
      elements: dict
      returned: always
      contains:
        instance:
          description: Its id.
          type: str
          returned: always
        node:
          description: Name of its node; empty if it has none.
          type: str
          returned: always
        reasons:
          description: Why it is replaced.
          type: list
          elements: str
          returned: always
    warm:
      description: Instances of the warm pool that are deleted; with the same keys.
      type: list
      elements: dict
      returned: always
    detached:
      description: Instances that are taken out of their group first, so that others start.
      type: list
      elements: str
      returned: always
    at_once:
      description: How many are drained at the same time.
      type: int
      returned: always
    left_alone:
      description: Why nothing is done to the group; empty if something is.
      type: str
      returned: always
report:
  description: What became of the instances of the plan, in its order.
  returned: always
  type: list
  elements: dict
  contains:
    instance:
      description: Its id.
      type: str
      returned: always
    node:
      description: Name of its node; empty if it had none.
      type: str
      returned: always
    reasons:
      description: Why it had to be replaced.
      type: list
      elements: str
      returned: always
    instance_group:
      description: Name of its instance group.
      type: str
      returned: always
    result:
      description: >-
        V(replaced), V(deleted) (of a warm pool), V(failed), V(not started), or V(gone) if it has ended by itself.
      type: str
      returned: always
    detached:
      description: Whether this run has taken it out of its group, so that another one started.
      type: bool
      returned: always
    seconds:
      description: How long V(drain) has taken, and V(validate), the wait for a valid cluster after it.
      type: dict
      returned: always
    error:
      description: What has gone wrong with it.
      type: str
      returned: always
text:
  description: The plan as lines, for people.
  returned: always
  type: list
  elements: str
# From plugins/doc_fragments/policy.py, by script/module-docs:
violations:
  description:
    - What violates O(policy), in the form of RV(kubeops.kops.update_cluster#module:violations).
    - If a rule with the effect V(deny) is violated, the module fails, in check mode as well, and nothing is done. The
      plan is shown in the terminal and not returned.
  returned: always
  type: list
  elements: dict
# From plugins/doc_fragments/next_steps.py, by script/module-docs:
next:
  description: What comes next, each a playbook or C(the same), with what it does.
  returned: if something comes next
  type: list
  elements: str
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    CLUSTER,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.replacing import (
    REPLACING,
    drain_of,
    options_of,
    outcome_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.next_steps import ROLL
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.cloud import Request, plan_update, roll

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **PROGRESS,
    **REPLACING,
    "api_server": {"type": "str"},
    "instance_groups": {"type": "list", "elements": "str", "default": []},
    "instance_group_roles": {"type": "list", "elements": "str", "default": []},
    "force": {"type": "bool", "default": False},
    "cloudonly": {"type": "bool", "default": False},
    "limit": {"type": "int", "default": 0},
    "canary_hold": {"type": "int", "default": 0},
    "groups_at_once": {"type": "int", "default": 1},
    "bastion_interval": {"type": "int", "default": 0},
    "control_plane_interval": {"type": "int", "default": 0},
    "node_interval": {"type": "int", "default": 0},
    "pending": {"type": "dict", "default": {}},
}


def run(module: Call) -> Outcome:
    """Plan, and replace unless it is only asked what would be."""
    given = module.parameters
    if given["limit"] < 0:
        raise KopsError(f"limit is {given['limit']}; give a number of instances, or 0 for all of them")
    if given["pending"] and not module.check:
        raise KopsError("pending is for check mode; run kubeops.kops.update_cluster first")
    intervals = {"Bastion": given["bastion_interval"], "ControlPlane": given["control_plane_interval"]}
    request = Request(
        module.state_store,
        module.cluster_name,
        module.text("api_server"),
        given["instance_groups"],
        given["instance_group_roles"],
        given["force"],
        given["limit"],
        given["lease_wait"],
        given["break_lease"],
        drain_of(module),
        options_of(
            module,
            intervals={**intervals, **dict.fromkeys(("APIServer", "Node"), given["node_interval"])},
            cloud_only=given["cloudonly"],
            hold=given["canary_hold"],
            groups_at_once=given["groups_at_once"],
        ),
        given["pending"],
        given["policy"],
    )
    with progress_to(given["progress_file"]) as progress:
        update = plan_update(request, progress) if module.check else roll(request, progress)
    return outcome_of(ROLL, module, update)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
