#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: what backups of etcd the state store has."""

from __future__ import annotations

DOCUMENTATION = r"""
module: etcd_backups_info
short_description: List the backups of etcd in the state store
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Lists the backups of a cluster's etcd clusters, those of kops' own manager of etcd among them.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster.owner
  - kubeops.kops.attributes.info
options:
  etcd_clusters:
    description: The etcd clusters; all that the cluster has if none is given.
    type: list
    elements: str
    default: []
  warn:
    description:
      - Warn of etcd clusters whose last backup is older than three times the C(manager.backupInterval) of the
        specification (15 minutes if that is not set).
    type: bool
    default: false
seealso:
  - module: kubeops.kops.etcd_backup_store
  - module: kubeops.kops.etcd_backup_fetch
"""

EXAMPLES = r"""
- name: List the backups
  kubeops.kops.etcd_backups_info:
    state_store: s3://example-state
    cluster_name: demo.example.com
  register: kops_backups
"""

RETURN = r"""
backups:
  description: The backups of each etcd cluster, oldest first.
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
      description: Name of the backup, which says when it was stored.
      type: str
      returned: always
      sample: 2026-05-08T12:00:00Z-000001
    time:
      description: When it was stored. Empty for a name that does not say it.
      type: str
      returned: always
      sample: "2026-05-08T12:00:00Z"
    path:
      description: Its address in the state store.
      type: str
      returned: always
    size:
      description: Its bytes.
      type: int
      returned: always
"""


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    IN_CLUSTER,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.etcd.backups import Backups

ARGUMENTS = {
    **STATE_STORE,
    **IN_CLUSTER,
    "etcd_clusters": {"type": "list", "elements": "str", "default": []},
    "warn": {"type": "bool", "default": False},
}


def run(module: Call) -> Outcome:
    """List them."""
    backups = Backups(module.state_store, module.cluster_name)
    names = module.parameters["etcd_clusters"] or backups.names()
    return Outcome(
        values={"backups": [found.plain() for name in names for found in backups.of(name)]},
        warnings=backups.late(names) if module.parameters["warn"] else [],
    )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
