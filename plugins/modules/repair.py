#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: instances of a cluster in a cloud whose nodes have failed are replaced."""

from __future__ import annotations

DOCUMENTATION = r"""
module: repair
short_description: Replace the instances of a cluster in a cloud whose nodes have failed
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Replaces instances whose nodes have not been ready for longer than O(after), which have not become nodes within
    O(join_after), which are stopped, or which the cloud has found impaired for longer than O(after). So are those whose
    nodes are ready and lack a static pod for longer than O(after). Instances with the
    tag of an instance group that are in none are drained and deleted, and so are Nodes that are not ready and have no
    instance any more.
  - It runs where the state store can be reached, and connects to no node; the cloud and the API of the cluster are
    enough. Without the API it changes nothing, since only the API knows which nodes have failed.
  - Never more instances of a group are repaired at a time than C(spec.rollingUpdate) allows (C(maxUnavailable)), and
    nothing is started beforehand. After each one the cluster must be as it should be, apart from what has failed, too.
  - Each of them is tried, whatever becomes of the others. If any is left, a table says what became of each, and the
    module fails.
  - If more than O(max_unhealthy) of a group, or of all groups of its role, fail at the same time, none of them is
    repaired, and the module fails. Nodes that have failed only just now count, too.
  - Control planes are repaired one at a time, and only while all other members of etcd are healthy. The successor gets
    the volume, and is the same member.
  - A node that does not answer is not waited for. Its pods are evicted for at most O(dead_drain_timeout). When its
    instance has ended, the taint C(node.kubernetes.io/out-of-service) gives its pods and volumes free, and its Node is
    deleted.
  - Only one run at a time replaces instances of a cluster. Another one waits, see O(lease_wait).
  - Groups with C(drainAndTerminate) false and those of Karpenter are left alone, and so are warm pools, instances on
    standby and those that a rolling update has detached.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.clouds.instances
  - kubeops.kops.cluster
  - kubeops.kops.progress
  - kubeops.kops.lease
  - kubeops.kops.policy
  - kubeops.kops.api_server
  - kubeops.kops.replacing
  - kubeops.kops.failed_nodes
attributes:
  check_mode:
    description: Reports what would change, and changes nothing.
    support: full
    details: The plan is exact. What is repaired, why, and in which order, and what is not.
  diff_mode:
    description: Reports what changed, or would change in check mode.
    support: none
    details: The plan says it.
requirements:
  - cryptography >= 42
options:
  instance_groups:
    description: Names of the instance groups to repair; empty means all. Not together with O(instance_group_roles).
    type: list
    elements: str
    default: []
  instance_group_roles:
    description:
      - Only instance groups of these roles, written as for O(kubeops.kops.rolling_update#module:instance_group_roles).
        With this or O(instance_groups), instances of no group and Nodes without an instance are left alone.
    type: list
    elements: str
    default: []
  join_after:
    description: Seconds that an instance may take to become a node.
    type: int
    default: 900
  dead_drain_timeout:
    description:
      - Seconds that the evictions of a node may take together that does not answer. O(drain_timeout) is for instances
        of no group whose nodes are ready.
    type: int
    default: 60
notes:
  - While the module runs, each step is shown, and what it waits for.
  - It works on AWS.
seealso:
  - module: kubeops.kops.rolling_update
  - module: kubeops.kops.delete_instance
"""

EXAMPLES = r"""
- name: Replace what has failed for ten minutes
  kubeops.kops.repair:
    state_store: s3://example-state
    name: demo.example.com

- name: Replace workers earlier, but never more than two of a group
  kubeops.kops.repair:
    state_store: s3://example-state
    name: demo.example.com
    instance_group_roles: [node]
    after: 300
    max_unhealthy: "2"
"""

RETURN = r"""
missing:
  description: Instance groups that lack instances, which are made. Only in clouds that keep no numbers of instances.
  returned: always
  type: list
  elements: dict
  contains:
    instance_group:
      description: Its name.
      type: str
      returned: always
    instances:
      description: How many it lacks.
      type: int
      returned: always
    result:
      description: V(made), or V(not started).
      type: str
      returned: always
watched:
  description: Instances that have failed, but not for long enough.
  returned: always
  type: list
  elements: dict
  contains:
    instance:
      description: Its id.
      type: str
      returned: always
    reason:
      description: What is wrong with it.
      type: str
      returned: always
nodes:
  description: Nodes without an instance, that are deleted.
  returned: always
  type: list
  elements: dict
  contains:
    node:
      description: Its name.
      type: str
      returned: always
    reason:
      description: Why it is deleted.
      type: str
      returned: always
    result:
      description: V(deleted), or V(not started).
      type: str
      returned: always
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

from dataclasses import replace
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    CLUSTER,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.replacing import (
    FAILED_NODES,
    REPLACING,
    drain_of,
    options_of,
    outcome_of,
    patience_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.next_steps import (
    FAILED,
    PLANNED,
    REFUSED,
    REPAIR,
    UNVALIDATED,
    WATCHED,
    next_steps,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.ailing import Times
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.repair import (
    PlannedRepair,
    Repair,
    plan_repair,
    repair,
)

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **PROGRESS,
    **REPLACING,
    **FAILED_NODES,
    "api_server": {"type": "str"},
    "instance_groups": {"type": "list", "elements": "str", "default": []},
    "instance_group_roles": {"type": "list", "elements": "str", "default": []},
    "join_after": {"type": "int", "default": 900},
    "dead_drain_timeout": {"type": "int", "default": 60},
}


def run(module: Call) -> Outcome:
    """Plan, and repair unless it is only asked what would be."""
    given = module.parameters
    request = Repair(
        module.state_store,
        module.cluster_name,
        module.text("api_server"),
        given["instance_groups"],
        given["instance_group_roles"],
        Times(patience_of(module), given["join_after"]),
        given["lease_wait"],
        given["break_lease"],
        drain_of(module),
        given["dead_drain_timeout"],
        options_of(module),
        given["policy"],
    )
    with progress_to(given["progress_file"]) as progress:
        done = plan_repair(request, progress) if module.check else repair(request, progress)
    found = done.diagnosis
    outcome = outcome_of(
        REPAIR,
        module,
        done.update,
        done.lines,
        missing=[
            {"instance_group": name, "instances": count, "result": "made" if name in done.made else "not started"}
            for name, count in done.missing.items()
        ],
        watched=[{"instance": name, "reason": why} for name, why in found.waiting.items()],
        nodes=[
            {"node": node, "reason": why, "result": "deleted" if node in done.deleted else "not started"}
            for node, why in found.orphans.items()
        ],
    )
    changed = (
        done.has_work and not done.is_forbidden if module.check else outcome.changed or bool(done.deleted or done.made)
    )
    return replace(
        outcome,
        changed=changed,
        failure="\n".join(filter(None, [*done.refusals, outcome.failure])),
        next_steps=next_steps(REPAIR, _ended(done, changed, module.check)),
    )


def _ended(done: PlannedRepair, changed: bool, check: bool) -> dict[str, Any]:
    return {
        REFUSED: done.refusals,
        PLANNED: check and changed and not done.refusals,
        FAILED: not done.refusals and done.update.problems,
        WATCHED: done.diagnosis.waiting,
        UNVALIDATED: bool(done.made) and not done.update.problems,
    }


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
