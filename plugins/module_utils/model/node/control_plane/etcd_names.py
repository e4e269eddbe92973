# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of etcd's members in a cloud: a file of hosts for etcd's pods, and the unit that keeps it right.

DNS is not asked: with DNS none there is none, and elsewhere records are old for a while.
"""

from __future__ import annotations

import posixpath

from ....exchange.settings import EtcdNamesSettings
from ....node.etcd.places import HOSTS, MEMBER
from ..context import NodeContext
from ..draft import Draft
from ..systemd import program_command, unit_text
from . import etcd

UNIT = "kubeops-etcd-names.service"
_CONFIG = EtcdNamesSettings.FILE


def build(context: NodeContext, draft: Draft) -> None:
    """File, configuration and unit, where instances attach the volumes of members."""
    found = etcd.clusters(context)
    if not found or not etcd.finds_members(context):
        return
    # Also of members that come later, whom this instance's configuration does not list.
    names = {str(each.name): etcd.member_host(context, str(each.name), MEMBER) for each in found}
    draft.directory(posixpath.dirname(_CONFIG))
    draft.file(HOSTS, "127.0.0.1 localhost\n::1 localhost\n", once=True)
    draft.file(_CONFIG, EtcdNamesSettings(context.cloud.name, context.name, HOSTS, names).text())
    draft.unit(UNIT, _unit(), restart_on=[f"file:{_CONFIG}"], quietRestartOn=[f"file:{_CONFIG}"])


def _unit() -> str:
    return unit_text(
        {
            "Unit": [
                ("Description", "Addresses of etcd's members, for their pods"),
                ("Wants", "network-online.target"),
                ("After", "network-online.target"),
                ("StartLimitIntervalSec", "0"),
            ],
            "Service": [
                ("EnvironmentFile", "-/etc/environment"),
                ("ExecStart", program_command(f"etcd-names --config {_CONFIG}")),
                ("Restart", "always"),
                ("RestartSec", "2"),
                ("NoNewPrivileges", "yes"),
                ("ProtectHome", "yes"),
                ("PrivateTmp", "yes"),
            ],
            "Install": [("WantedBy", "multi-user.target")],
        }
    )
