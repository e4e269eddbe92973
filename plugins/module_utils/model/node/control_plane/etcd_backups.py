# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backups of etcd on schedule, and restores that are ordered: the unit and its configuration, in clouds.

On bare metal, hosts do not reach the store; the playbook etcd_backup makes backups there.
"""

from __future__ import annotations

import json

from ....api.etcd import EtcdClusterSpec
from ....api.etcd_schedule import interval_of, retention_of
from ..context import NodeContext
from ..draft import Draft
from ..systemd import unit_text
from . import etcd

UNIT = "kubeops-etcd-backups.service"
_DIRECTORY = "/etc/kubernetes/etcd-backups"
_CONFIG = f"{_DIRECTORY}/config.json"
# Where user data's loader puts it.
_PROGRAM = "/opt/kubeops/kops-node"


def build(context: NodeContext, draft: Draft) -> None:
    """Configuration and unit, where instances find the members by themselves."""
    found = {str(each.name): _schedule(each) for each in etcd.clusters(context) if etcd.backup_store(each)}
    control = etcd.restore_control(context.cluster)
    if not found or not control or not etcd.finds_members(context):
        return
    draft.directory(_DIRECTORY)
    said = {"cloud": context.cloud.name, "control": control, "schedules": found}
    draft.file(_CONFIG, json.dumps(said, indent=1, sort_keys=True) + "\n")
    draft.unit(UNIT, _unit(), restart_on=[f"file:{_CONFIG}"], quietRestartOn=[f"file:{_CONFIG}"])


def _schedule(spec: EtcdClusterSpec) -> dict[str, object]:
    """What the program reads (node/etcd/scheduled.py), in seconds."""
    hourly, daily = retention_of(spec)
    return {
        "store": etcd.backup_store(spec),
        "interval": interval_of(spec).total_seconds(),
        "hourly": hourly.total_seconds(),
        "daily": daily.total_seconds(),
    }


def _unit() -> str:
    return unit_text(
        {
            "Unit": [
                ("Description", "Backups of etcd on schedule, and restores"),
                ("Wants", "network-online.target"),
                ("After", "network-online.target"),
                ("StartLimitIntervalSec", "0"),
            ],
            "Service": [
                ("EnvironmentFile", "-/etc/environment"),
                ("ExecStart", f"/usr/bin/env python3 {_PROGRAM} etcd-backups --config {_CONFIG}"),
                ("Restart", "always"),
                ("RestartSec", "2"),
                # Compressing a large database must not take time from etcd.
                ("Nice", "10"),
                ("NoNewPrivileges", "yes"),
                ("ProtectHome", "yes"),
                ("PrivateTmp", "yes"),
            ],
            "Install": [("WantedBy", "multi-user.target")],
        }
    )
