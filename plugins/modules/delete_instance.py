#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: instances of a cluster in a cloud are drained and terminated."""

from __future__ import annotations

DOCUMENTATION = r"""
module: delete_instance
short_description: Drain and terminate instances of a cluster in a cloud
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Drains and terminates instances, as C(kops delete instance) does. It runs where the state store can be reached, and
    connects to no node; the cloud and the API of the cluster are enough.
  - By default their instance groups start others in their place. With O(replace) false, the groups shrink instead,
    in the cloud and, if their C(minSize) is too large for that, in the state store.
  - The cluster must be as it should be before the first instance of a group, apart from the instances themselves, and
    after each one. A control plane is only terminated while all other members of its etcd clusters are healthy.
  - Only one run at a time replaces instances of a cluster. Another one waits, see O(lease_wait).
  - An instance that is gone already is no error, if its name has the form of an id or of a private DNS name.
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
    details: The plan is exact. Which instances, in which order, and how large their groups are then.
  diff_mode:
    description: Reports what changed, or would change in check mode.
    support: none
    details: The plan says it.
requirements:
  - cryptography >= 42
options:
  instances:
    description: Ids of the instances, or names of their nodes.
    type: list
    elements: str
    required: true
    aliases: [instance]
  surge:
    description:
      - Take an instance out of its group first, so that another one starts before it is drained. Control planes go
        without, since a member of etcd needs the volume of the one that it replaces.
    type: bool
    default: true
  replace:
    description:
      - Whether other instances start in their place. Otherwise their groups shrink; O(surge) has no meaning then.
        Control planes can only be replaced.
    type: bool
    default: true
  cloudonly:
    description: Do not use the API of the cluster. Nothing is drained and nothing is validated. No O(surge), either.
    type: bool
    default: false
notes:
  - While the module runs, each step is shown, and what it waits for.
  - O(fail_on_drain_error) and O(fail_on_validate) are as in kops; its C(--validation-timeout) is O(wait).
  - It works on AWS.
seealso:
  - module: kubeops.kops.rolling_update
  - module: kubeops.kops.repair
"""

EXAMPLES = r"""
- name: Replace an instance
  kubeops.kops.delete_instance:
    state_store: s3://example-state
    name: demo.example.com
    instances: [i-0a5ed581b862d3425]

- name: Make a group smaller by a certain instance
  kubeops.kops.delete_instance:
    state_store: s3://example-state
    name: demo.example.com
    instances: [i-0a5ed581b862d3425]
    replace: false
"""

RETURN = r"""
sizes:
  description: How large the groups are afterwards that shrink.
  returned: always
  type: list
  elements: dict
  contains:
    instance_group:
      description: Name of the instance group.
      type: str
      returned: always
    instances:
      description: How many instances it keeps.
      type: int
      returned: always
    min_size:
      description: Its C(minSize) in the store and in the cloud.
      type: int
      returned: if it changes
    max_size:
      description: Its C(maxSize) in the store and in the cloud.
      type: int
      returned: if it changes, as that of a group of a fixed size does
gone:
  description: Of the given names, those of instances that do not exist any more.
  returned: always
  type: list
  elements: str
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
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.next_steps import DELETE_INSTANCE
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.deletion import (
    Deletion,
    delete,
    plan_deletion,
)

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **PROGRESS,
    **REPLACING,
    "api_server": {"type": "str"},
    "instances": {"type": "list", "elements": "str", "required": True, "aliases": ["instance"]},
    "surge": {"type": "bool", "default": True},
    "replace": {"type": "bool", "default": True},
    "cloudonly": {"type": "bool", "default": False},
}


def run(module: Call) -> Outcome:
    """Plan, and delete unless it is only asked what would be."""
    given = module.parameters
    request = Deletion(
        module.state_store,
        module.cluster_name,
        given["instances"],
        module.text("api_server"),
        given["surge"],
        given["replace"],
        given["lease_wait"],
        given["break_lease"],
        drain_of(module),
        options_of(module, cloud_only=given["cloudonly"]),
        given["policy"],
    )
    with progress_to(given["progress_file"]) as progress:
        planned = plan_deletion(request, progress) if module.check else delete(request, progress)
    return outcome_of(DELETE_INSTANCE, module, planned.update, planned.lines, sizes=planned.sizes, gone=planned.gone)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
