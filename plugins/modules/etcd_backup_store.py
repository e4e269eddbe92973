#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: backups of etcd go into the state store."""

from __future__ import annotations

DOCUMENTATION = r"""
module: etcd_backup_store
short_description: Keep backups of etcd in the state store
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Stores backups that M(kubeops.kops.etcd_backup) has taken where kops keeps them, in its format, and removes those
    whose time is over.
  - Of an hour the first backup is kept for a week, of a day for as long as the specification of the etcd cluster says
    in C(manager.backupRetentionDays). In C(manager.env) the variables C(ETCD_MANAGER_HOURLY_BACKUPS_RETENTION) and
    C(ETCD_MANAGER_DAILY_BACKUPS_RETENTION) count as with kops. All backups of the last hour are kept.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster.owner
  - kubeops.kops.attributes
options:
  backups:
    description: The backups, as M(kubeops.kops.etcd_backup) returns them.
    type: list
    elements: dict
    required: true
  directory:
    description:
      - Directory of the host with their files, which are named V(<cluster>.backup.gz). They are not looked at in check
        mode.
    type: path
    required: true
  hourly_retention:
    description: For how long the backups of hours are kept, such as V(36h), V(7d) or V(1y).
    type: str
  daily_retention:
    description: For how long the backups of days are kept.
    type: str
  prune:
    description: Whether to remove backups whose time is over.
    type: bool
    default: true
notes:
  - The module runs in Ansible's own process on the controller, which talks to the state store. It reads the files from
    the host with the rights of the task (C(become)), by pipelining. They are in no other file meanwhile, since they
    hold all Secrets of the cluster.
seealso:
  - module: kubeops.kops.etcd_backup
  - module: kubeops.kops.etcd_backups_info
"""

EXAMPLES = r"""
- name: Keep the backups that kubeops.kops.etcd_backup has taken
  kubeops.kops.etcd_backup_store:
    state_store: s3://example-state
    cluster_name: demo.example.com
    backups:
      - etcd: main
        etcd_version: 3.6.5
        member_count: 3
    directory: /root
    daily_retention: 30d
  become: true
"""

RETURN = r"""
stored:
  description: The new backups.
  returned: success
  type: list
  elements: dict
  contains: &backup
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
      description: Its bytes; 0 for a new one.
      type: int
      returned: always
removed:
  description: The backups that were removed.
  returned: success
  type: list
  elements: dict
  contains: *backup
"""


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    IN_CLUSTER,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Difference, Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.etcd.backups import Backups, NewBackup

ARGUMENTS = {
    **STATE_STORE,
    **IN_CLUSTER,
    "backups": {"type": "list", "elements": "dict", "required": True},
    "directory": {"type": "path", "required": True},
    "hourly_retention": {"type": "str"},
    "daily_retention": {"type": "str"},
    "prune": {"type": "bool", "default": True},
}


def run(module: Call) -> Outcome:
    """Store and prune."""
    given = module.parameters
    new = [NewBackup.taken(each, given["directory"]) for each in given["backups"]]
    done = Backups(module.state_store, module.cluster_name, module.files).store(
        new,
        hourly=module.text("hourly_retention"),
        daily=module.text("daily_retention"),
        prune=given["prune"],
        check=module.check,
    )
    paths = ([str(backup.path) for backup in backups] for backups in (done.removed, done.stored))
    return Outcome(
        changed=bool(done.stored or done.removed),
        values={
            "stored": [backup.plain() for backup in done.stored],
            "removed": [backup.plain() for backup in done.removed],
        },
        differences=[Difference.of_lines("backups of etcd", *paths)] if done.stored or done.removed else [],
    )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
