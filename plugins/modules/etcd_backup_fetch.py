#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: backups of etcd come out of the state store."""

from __future__ import annotations

DOCUMENTATION = r"""
module: etcd_backup_fetch
short_description: Fetch backups of etcd from the state store
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Chooses one backup of each etcd cluster, the last one unless told otherwise, and writes it to a file of the host.
  - The playbook C(kubeops.kops.etcd_restore) does that on all hosts with members.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster.owner
  - kubeops.kops.etcd_backup_choice
  - kubeops.kops.attributes
options:
  directory:
    description:
      - Directory of the host, which exists. The files are named V(<cluster>.backup.gz) and are readable by no other
        user. Without it, backups are only chosen.
    type: path
notes:
  - The module runs in Ansible's own process on the controller, which talks to the state store. It writes the files on
    the host with the rights of the task (C(become)), by pipelining. They are in no other file meanwhile, since they
    hold all Secrets of the cluster.
seealso:
  - module: kubeops.kops.etcd_backups_info
  - module: kubeops.kops.etcd_restore
"""

EXAMPLES = r"""
- name: Write the last backup of the main cluster to the host
  kubeops.kops.etcd_backup_fetch:
    state_store: s3://example-state
    cluster_name: demo.example.com
    etcd_clusters: [main]
    directory: /root
  become: true
"""

RETURN = r"""
restore:
  description: The time, by which M(kubeops.kops.etcd_restore) names what it does with the backups.
  returned: success
  type: str
  sample: 20260508T120000Z
backups:
  description: The backups that were chosen.
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
      description: Its bytes.
      type: int
      returned: always
    file:
      description: The file. Empty in check mode and without O(directory).
      type: str
      returned: always
    etcd_version:
      description: Version of etcd that it was taken from. Empty if it is not known.
      type: str
      returned: always
"""

import datetime

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    IN_CLUSTER,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Difference, Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.etcd.backups import Backups

ARGUMENTS = {
    **STATE_STORE,
    **IN_CLUSTER,
    "etcd_clusters": {"type": "list", "elements": "str", "default": []},
    "names": {"type": "dict", "default": {}},
    "before": {"type": "str"},
    "directory": {"type": "path"},
}


def run(module: Call) -> Outcome:
    """Choose and fetch them."""
    given = module.parameters
    backups = Backups(module.state_store, module.cluster_name, module.files)
    directory = module.text("directory")
    chosen = backups.choose(given["etcd_clusters"], given["names"], module.text("before"))
    shown = [
        {
            **backup.plain(),
            "file": backups.fetch(backup, directory) if directory and not module.check else "",
            "etcd_version": str(backups.meta(backup).get("etcdVersion", "")),
        }
        for backup in chosen
    ]
    files = Difference.of_lines("backups of etcd", after=[str(backup.path) for backup in chosen])
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    return Outcome(bool(directory), {"restore": now, "backups": shown}, [files] if directory else [])


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
