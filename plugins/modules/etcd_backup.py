#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: backups of etcd, taken on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: etcd_backup
short_description: Write a backup of etcd to a file of the host
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Runs on a host that has members of etcd clusters, and writes the database of each cluster to a compressed file.
  - The database comes piece by piece, with etcd's checksum, so that neither its size nor a broken connection matters.
  - M(kubeops.kops.etcd_backup_store) keeps such files in the state store. The playbook C(kubeops.kops.etcd_backup) does
    both.
extends_documentation_fragment:
  - kubeops.kops.attributes
options:
  etcd_clusters:
    description: The etcd clusters; those that the host has members of if none is given.
    type: list
    elements: str
    default: []
  directory:
    description:
      - Directory of the host, which exists. The files are named V(<cluster>.backup.gz), have the owner of the
        directory, and are readable by no other user.
    type: path
    required: true
  leader_only:
    description: Leave out clusters that another host's member leads, so that exactly one host takes each backup.
    type: bool
    default: false
notes:
  - The module runs on the host, as root, and needs nothing there but Python.
  - Each run takes new backups, so that it changes something each time.
seealso:
  - module: kubeops.kops.etcd_backup_store
  - module: kubeops.kops.etcd_restore
"""

EXAMPLES = r"""
- name: Back up all etcd clusters
  kubeops.kops.etcd_backup:
    directory: /root
  become: true
  register: kops_backups
"""

RETURN = r"""
backups:
  description: The backups that were taken.
  returned: success
  type: list
  elements: dict
  contains:
    etcd:
      description: The etcd cluster.
      type: str
      returned: always
      sample: main
    member:
      description: The member that gave it.
      type: str
      returned: always
      sample: a
    path:
      description: The file on the host. Empty in check mode.
      type: str
      returned: always
    size:
      description: Bytes of the file.
      type: int
      returned: always
    sha256:
      description: Checksum of the file.
      type: str
      returned: always
    revision:
      description: Everything up to this revision of etcd is in the backup.
      type: int
      returned: always
    etcd_version:
      description: Version of etcd.
      type: str
      returned: always
      sample: 3.6.5
    member_count:
      description: How many members the cluster has.
      type: int
      returned: always
    database_size:
      description: Bytes of the database that the member keeps.
      type: int
      returned: always
"""

import os

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Difference, Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.manifest import local_members, the_member
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.snapshot import take

ARGUMENTS = {
    "etcd_clusters": {"type": "list", "elements": "str", "default": []},
    "directory": {"type": "path", "required": True},
    "leader_only": {"type": "bool", "default": False},
}


def run(module: Call) -> Outcome:
    """Take the backups."""
    given = module.parameters
    if not module.check and not os.path.isdir(given["directory"]):
        raise KopsError(f"{given['directory']} is no directory; make it first")
    members = [the_member(name) for name in given["etcd_clusters"]] or list(local_members().values())
    taken = [
        take(member, given["directory"], leader_only=given["leader_only"], check=module.check) for member in members
    ]
    backups = [each for each in taken if each is not None]
    lines = [f"{backup.etcd}: revision {backup.revision} of member {backup.member}" for backup in backups]
    return Outcome(
        changed=bool(backups),
        values={
            "backups": [{name: value for name, value in vars(backup).items() if name != "alarms"} for backup in backups]
        },
        differences=[Difference.of_lines("backups of etcd", after=lines)] if lines else [],
        warnings=[
            f"the etcd cluster {backup.etcd} raises the alarm {alarm}; its backup was taken all the same"
            for backup in backups
            for alarm in backup.alarms
        ],
    )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
