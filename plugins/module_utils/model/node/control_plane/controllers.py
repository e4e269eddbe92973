# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controllers of a control plane in a cloud: unit and configuration (node/controllers/).

Of the control planes, one leads and does what kops-controller, dns-controller and kops-channels do in kops.
"""

from __future__ import annotations

import posixpath

from ....exchange.settings import KUBECONFIG, ControllersSettings
from ..context import NODE_NAME, NodeContext
from ..draft import Draft
from ..systemd import program_command, unit_text

UNIT = "kops-controller-manager.service"
_CONFIG = ControllersSettings.FILE


def build(context: NodeContext, draft: Draft) -> None:
    """Configuration and unit, where instances become nodes by themselves."""
    if not context.cloud.starts_nodes:
        return
    draft.directory(posixpath.dirname(_CONFIG))
    draft.file(_CONFIG, _settings(context).text())
    draft.unit(UNIT, _unit(), restart_on=[f"file:{_CONFIG}"], quietRestartOn=[f"file:{_CONFIG}"])


def _settings(context: NodeContext) -> ControllersSettings:
    """Addons grant rights to others, which the API server allows only to those who have all of them.

    So no certificate with fewer rights than the administrator's, which control planes have, would do.
    """
    return ControllersSettings(
        cloud=context.cloud.name,
        cluster=context.name,
        node=NODE_NAME,
        store=str(context.cluster.spec.config_store.base or ""),
        kubeconfig=KUBECONFIG,
    )


def _unit() -> str:
    return unit_text(
        {
            "Unit": [
                (
                    "Description",
                    "Controllers of the cluster: addons, nodes and records, on the control plane that leads",
                ),
                ("Wants", "network-online.target"),
                ("After", "network-online.target"),
                ("StartLimitIntervalSec", "0"),
            ],
            "Service": [
                ("EnvironmentFile", "-/etc/environment"),
                ("ExecStart", program_command(f"controllers --config {_CONFIG}")),
                ("Restart", "always"),
                ("RestartSec", "2"),
                ("TimeoutStopSec", "15"),
                ("CPUQuota", "100%"),
                ("MemoryMax", "300M"),
                ("TasksMax", "128"),
                ("NoNewPrivileges", "yes"),
                ("ProtectSystem", "full"),
                ("ProtectHome", "yes"),
                ("PrivateTmp", "yes"),
            ],
            "Install": [("WantedBy", "multi-user.target")],
        }
    )
