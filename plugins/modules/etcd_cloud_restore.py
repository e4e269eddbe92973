#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: etcd of a cluster in a cloud is restored from backups of its state store."""

from __future__ import annotations

DOCUMENTATION = r"""
module: etcd_cloud_restore
short_description: Restore etcd of a cluster in a cloud from backups
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Restores one backup of each etcd cluster, the last one unless told otherwise, on all control planes. Nothing is
    reached but the state store. The control planes read there what is to be done, and report there what they have done.
  - At first each control plane makes new data beside the old. If a backup is missing or damaged, a disk is full or a
    member does not answer, the module ends here, and nothing was interrupted. Then all stop, exchange their data and
    start again. The API is not available meanwhile, for about a minute.
  - Once they have stopped, the control planes go on by themselves, whatever happens to the module. If it was killed,
    run it again. It follows the restore that has begun, if that has the members and the backups that it is told, also
    if that has been completed within the last hour.
  - The old data of the last two restores stays on the volumes.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.clouds.instances
  - kubeops.kops.cluster.owner
  - kubeops.kops.etcd_backup_choice
  - kubeops.kops.progress
  - kubeops.kops.attributes
options:
  left_out:
    description:
      - Names of members that are lost for good, as the specification has them. The restored etcd clusters do not have
        them. Give each of them an empty volume before its instance starts again; it then joins the others.
    type: list
    elements: str
    default: []
  presence_timeout:
    description: How many seconds to wait until all members have answered.
    type: int
    default: 120
  wait:
    description: How many seconds to wait for the new data, and again for the end of the restore.
    type: int
    default: 1800
notes:
  - Each run restores, so that it changes something each time.
  - Control planes need a node program of version 0.1.0 or newer. Those of kops do not answer.
seealso:
  - module: kubeops.kops.etcd_backups_info
  - module: kubeops.kops.etcd_restore
    description: The same for hosts of an inventory.
"""

EXAMPLES = r"""
- name: Restore the last backups
  kubeops.kops.etcd_cloud_restore:
    state_store: s3://example-state
    cluster_name: demo.example.com

- name: Restore a backup of objects, and leave the events as they are
  kubeops.kops.etcd_cloud_restore:
    state_store: s3://example-state
    cluster_name: demo.example.com
    names:
      main: 2026-05-08T12:00:00Z-000001
"""

RETURN = r"""
restore:
  description: Name of the restore, which is the time of its order.
  returned: success
  type: str
  sample: 20260508T120000Z
followed:
  description: Whether the restore had been ordered by an earlier run.
  returned: success
  type: bool
members:
  description: The members that the restored etcd clusters have.
  returned: success
  type: list
  elements: str
  sample: [events/a, main/a]
backups:
  description: The backups that were restored.
  returned: success
  type: list
  elements: dict
  contains:
    etcd:
      description: The etcd cluster.
      type: str
      returned: always
      sample: main
    name:
      description: Name of the backup.
      type: str
      returned: always
      sample: 2026-05-08T12:00:00Z-000001
    time:
      description: When it was stored.
      type: str
      returned: always
    path:
      description: Its address in the state store.
      type: str
      returned: always
    size:
      description: Its bytes; 0 if that is not known.
      type: int
      returned: always
# From plugins/doc_fragments/next_steps.py, by script/module-docs:
next:
  description: What comes next, each a playbook or C(the same), with what it does.
  returned: if something comes next
  type: list
  elements: str
"""

import datetime

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    IN_CLUSTER,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Difference, Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.etcd.backups import Backups
from ansible_collections.kubeops.kops.plugins.module_utils.operations.etcd.restore import (
    CloudRestore,
    RestoreOptions,
    name_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.next_steps import (
    PLANNED,
    RESTORE,
    UNVALIDATED,
    next_steps,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to

ARGUMENTS = {
    **STATE_STORE,
    **IN_CLUSTER,
    **PROGRESS,
    "etcd_clusters": {"type": "list", "elements": "str", "default": []},
    "names": {"type": "dict", "default": {}},
    "before": {"type": "str"},
    "left_out": {"type": "list", "elements": "str", "default": []},
    "presence_timeout": {"type": "int", "default": 120},
    "wait": {"type": "int", "default": 1800},
}


def run(module: Call) -> Outcome:
    """Restore them."""
    given = module.parameters
    options = RestoreOptions(
        etcds=given["etcd_clusters"],
        names=given["names"],
        before=module.text("before"),
        left_out=given["left_out"],
        presence=given["presence_timeout"],
        wait=given["wait"],
    )
    name = name_of(datetime.datetime.now(datetime.timezone.utc))
    backups = Backups(module.state_store, module.cluster_name)
    with progress_to(given["progress_file"]) as progress:
        done = CloudRestore(backups, options, progress).run(name, check=module.check)
    paths = [backup.path.path for backup in done.backups]
    return Outcome(
        changed=True,
        values={
            "restore": done.restore,
            "followed": done.followed,
            "members": done.members,
            "backups": [backup.plain() for backup in done.backups],
        },
        differences=[Difference.of_lines("data of etcd", after=paths)],
        next_steps=next_steps(RESTORE, {PLANNED: module.check, UNVALIDATED: not module.check}),
    )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
