# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renewal of a node's certificates while it runs, in clouds whose instances become nodes by themselves.

kops issues certificates when a node boots, and never again. Elsewhere the controller renews them.
"""

from __future__ import annotations

from .context import NodeContext
from .draft import Draft
from .systemd import program_command, unit_text

TIMER = "kubeops-renewal.timer"
_SERVICE = "kubeops-renewal.service"


def build(context: NodeContext, draft: Draft) -> None:
    """The timer, and what it starts."""
    if not context.cloud.starts_nodes:
        return
    # Not an item of its own kind: the service itself converges the node, and must neither be started nor stopped by it.
    draft.file(f"/etc/systemd/system/{_SERVICE}", _service())
    draft.unit(TIMER, _timer())


def _service() -> str:
    return unit_text(
        {
            "Unit": [
                ("Description", "Renews the certificates of this node in time"),
                ("Wants", "network-online.target"),
                ("After", "network-online.target kops-configuration.service"),
            ],
            "Service": [
                ("EnvironmentFile", "-/etc/environment"),
                ("ExecStart", program_command("renew")),
                # If it is killed: a pair may be written by half.
                ("Restart", "on-failure"),
                ("RestartSec", "30"),
                ("KillMode", "process"),
            ],
        }
    )


def _timer() -> str:
    # Days in which certificates end are spread by the names of nodes, hours by chance.
    return unit_text(
        {
            "Unit": [("Description", "Looks four times a day whether certificates of this node end soon")],
            "Timer": [("OnCalendar", "*-*-* 00/6:00:00"), ("RandomizedDelaySec", "6h")],
            "Install": [("WantedBy", "timers.target")],
        }
    )
