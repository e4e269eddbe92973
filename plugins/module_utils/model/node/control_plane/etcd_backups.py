# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backups of etcd on schedule, and restores that are ordered: the unit and its configuration, in clouds.

On bare metal, hosts do not reach the store; the playbook etcd_backup makes backups there.
"""

from __future__ import annotations

import posixpath

from ....api.etcd import EtcdClusterSpec
from ....api.etcd_schedule import interval_of, retention_of
from ....exchange.settings import EtcdBackupsSettings
from ..context import NodeContext
from ..draft import Draft
from ..systemd import program_command, unit_text
from . import etcd

UNIT = "kubeops-etcd-backups.service"
_CONFIG = EtcdBackupsSettings.FILE


def build(context: NodeContext, draft: Draft) -> None:
    """Configuration and unit, where instances find the members by themselves."""
    found = {str(each.name): _schedule(each) for each in etcd.clusters(context) if etcd.backup_store(each)}
    control = etcd.restore_control(context.cluster)
    if not found or not control or not etcd.finds_members(context):
        return
    draft.directory(posixpath.dirname(_CONFIG))
    draft.file(_CONFIG, EtcdBackupsSettings(context.cloud.name, control, found).text())
    draft.unit(UNIT, _unit(), restart_on=[f"file:{_CONFIG}"], quietRestartOn=[f"file:{_CONFIG}"])


def _schedule(spec: EtcdClusterSpec) -> dict[str, object]:
    """As node/etcd/scheduled.py reads it."""
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
                ("ExecStart", program_command(f"etcd-backups --config {_CONFIG}")),
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
