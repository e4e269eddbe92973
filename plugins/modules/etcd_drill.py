#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: backups of etcd are restored beside the cluster, on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: etcd_drill
short_description: Restore backups of etcd beside the cluster, and count what is in them
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Runs on a host that has members of etcd clusters. It makes data of each backup, lets an etcd of the member's image
    serve them, counts the objects, and removes all of it.
  - The cluster is not touched. The etcd of the drill listens on the loopback address alone, and asks for the
    certificates of the cluster's own etcd.
  - It fails if a backup is damaged, or is not served. The playbook C(kubeops.kops.etcd_drill) fetches the backups, too.
extends_documentation_fragment:
  - kubeops.kops.attributes.unchanging
options:
  etcd_clusters:
    description: The etcd clusters whose backups are tried.
    type: list
    elements: str
    required: true
  directory:
    description: Directory of the host with the backups, each in a file V(<cluster>.backup.gz).
    type: path
    required: true
notes:
  - The module runs on the host, as root, and needs nothing there but Python and containerd. The root disk needs three
    times the size of the database.
  - In check mode nothing is restored, and nothing is said of the backups.
seealso:
  - module: kubeops.kops.etcd_backup_fetch
  - module: kubeops.kops.etcd_restore
"""

EXAMPLES = r"""
- name: Restore the last backup of the main cluster beside it
  kubeops.kops.etcd_drill:
    etcd_clusters: [main]
    directory: /root
  become: true
"""

RETURN = r"""
report:
  description: What was found, for people.
  returned: success
  type: list
  elements: str
drills:
  description: What became of each backup.
  returned: success
  type: list
  elements: dict
  contains:
    etcd:
      description: The etcd cluster.
      type: str
      returned: always
      sample: main
    etcd_version:
      description: Version of the etcd that served it.
      type: str
      returned: always
      sample: 3.6.5
    size:
      description: Bytes of the database.
      type: int
      returned: always
    revision:
      description: The last revision of etcd in the backup.
      type: int
      returned: always
    seconds:
      description: From the file to a request that was served.
      type: float
      returned: always
    objects:
      description: How many objects of each resource are in the backup.
      type: dict
      returned: always
      sample: {pods: 12, secrets: 4}
    now:
      description: How many of each the cluster has now.
      type: dict
      returned: always
      sample: {pods: 13, secrets: 4}
"""

import dataclasses

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.drill import drill, lines_of
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.manifest import the_member

ARGUMENTS = {
    "etcd_clusters": {"type": "list", "elements": "str", "required": True},
    "directory": {"type": "path", "required": True},
}


def run(module: Call) -> Outcome:
    """Drill with each of them."""
    members = [the_member(name) for name in module.parameters["etcd_clusters"]]
    found = [drill(member, module.text("directory")) for member in members] if not module.check else []
    return Outcome(
        False,
        {
            "drills": [dataclasses.asdict(each) for each in found],
            "report": [line for each in found for line in lines_of(each)],
        },
    )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
