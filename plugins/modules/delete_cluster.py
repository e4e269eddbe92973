#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Delete a cluster: its objects in the cloud, then its part of the state store."""

from __future__ import annotations

DOCUMENTATION = r"""
module: delete_cluster
short_description: Delete a cluster and everything that it owns
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Finds every object that carries the cluster's tags, deletes them in the order in which they depend on each other,
    and then removes the cluster from the state store.
  - Shared objects are left alone, and so is everything that the tags do not name as owned by this cluster.
  - In check mode it lists what would be deleted.
  - Interrupted at any point, it goes on when it runs again. A cluster that does not exist is no change.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.clouds.instances
  - kubeops.kops.cluster
  - kubeops.kops.progress
  - kubeops.kops.attributes
  - kubeops.kops.lease
  - kubeops.kops.policy
options:
  unregister:
    description: Only remove the cluster from the state store, and leave the cloud alone.
    type: bool
    default: false
  external:
    description: The cluster is not in the state store. Find its objects by its name in O(region) of O(cloud), in
      Google Cloud also in O(project).
    type: bool
    default: false
  hosts_cleared:
    description:
      - No host is a node of the cluster any more. Without this, a bare-metal cluster is not deleted, because its hosts
        need the keys in its state store.
      - The playbook C(kubeops.kops.delete_cluster) sets it once it has cleared the hosts of the inventory.
    type: bool
    default: false
  keep_claims:
    description:
      - Keep the volumes of PersistentVolumeClaims. Without this they are deleted with the cluster, as its other volumes
        are.
      - They keep the cluster's tags, so a cluster of the same name would own them.
    type: bool
    default: false
  cloud:
    description: The cloud of an external cluster.
    type: str
    choices: [aws, digitalocean, gce, hetzner, openstack, vsphere]
    default: aws
  region:
    description: The region of an external cluster.
    type: str
    default: ""
  project:
    description: The project of an external cluster in Google Cloud.
    type: str
    default: ""
  wait:
    description: Seconds that one object may take until nothing uses it any more.
    type: float
    default: 600
seealso:
  - module: kubeops.kops.update_cluster
"""

EXAMPLES = r"""
- name: See what would go
  kubeops.kops.delete_cluster:
    state_store: s3://example-state
    name: demo.example.com
  check_mode: true
  register: kops_delete

- name: Delete it
  kubeops.kops.delete_cluster:
    state_store: s3://example-state
    name: demo.example.com
"""

RETURN = r"""
plan:
  description: What was deleted, or would be in check mode, in the form of RV(kubeops.kops.update_cluster#module:plan).
  returned: success
  type: list
  elements: dict
  contains:
    task:
      description: Kind and identifier of the object.
      type: str
      returned: always
    kind:
      description: What the cloud calls the object; C(StateStore) for the cluster in the state store.
      type: str
      returned: always
    name:
      description: The object's name, or its identifier if it has none.
      type: str
      returned: always
    action:
      description: V(delete).
      type: str
      returned: always
    before:
      description: The identifier (C(id)) that the cloud gave the object.
      type: dict
      returned: always
    after:
      description: Empty.
      type: dict
      returned: always
    reason:
      description: Why, where that is not obvious; of the volume of a claim, which claim.
      type: str
      returned: always
plan_text:
  description: The same for a reader. Of many objects of a kind, some are named.
  returned: success
  type: str
summary:
  description: How many objects are created, updated, deleted and kept.
  returned: success
  type: dict
store_files:
  description: How many files of the state store were removed.
  returned: success
  type: int
kept:
  description: Volumes of claims that stay in the cloud by O(keep_claims).
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: What the cloud calls it.
      type: str
      returned: always
    id:
      description: Its identifier.
      type: str
      returned: always
    name:
      description: Its name, if it has one.
      type: str
      returned: always
    claim:
      description: The claim, with its namespace; if the volume does not name it, the PersistentVolume.
      type: str
      returned: always
violations:
  description:
    - What violates O(policy), in the form of RV(kubeops.kops.update_cluster#module:violations).
    - If a rule with the effect V(deny) is violated, the module fails and nothing is deleted. The plan is shown in the
      terminal and not returned.
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
    LEASE,
    POLICY,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.operations.clouds import discovering, places
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import (
    DeleteOptions,
    delete_cluster,
    outcome,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **LEASE,
    **POLICY,
    **PROGRESS,
    "unregister": {"type": "bool", "default": False},
    "external": {"type": "bool", "default": False},
    "hosts_cleared": {"type": "bool", "default": False},
    "keep_claims": {"type": "bool", "default": False},
    "cloud": {"type": "str", "choices": discovering(), "default": discovering()[0]},
    **{name: {"type": "str", "default": ""} for name in places()},
    "wait": {"type": "float", "default": 600},
}


def run(module: Call) -> Outcome:
    """Discover, and delete unless in check mode."""
    options = DeleteOptions(
        state_store=module.state_store,
        name=module.cluster_name,
        unregister=module.parameters["unregister"],
        external=module.parameters["external"],
        hosts_cleared=module.parameters["hosts_cleared"],
        keep_claims=module.parameters["keep_claims"],
        cloud=module.text("cloud"),
        place=Place(**{name: module.text(name) for name in places()}),
        wait=module.parameters["wait"],
        policy=module.parameters["policy"],
        lease_wait=module.parameters["lease_wait"],
        break_lease=module.parameters["break_lease"],
    )
    with progress_to(module.parameters["progress_file"]) as progress:
        result = delete_cluster(options, check=module.check, progress=progress)
    return outcome(result, options.name, check=module.check)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
