# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the distribution updates itself (update_service.go of nodeup)."""

from __future__ import annotations

from ..context import NodeContext
from ..draft import Draft, on
from ..systemd import unit_text

_OFF = 'APT::Periodic::Enable "0";\n'
_ON = """APT::Periodic::Update-Package-Lists "1";
APT::Periodic::Unattended-Upgrade "1";

APT::Periodic::AutocleanInterval "7";
"""
# Flatcar installs updates beside the running system; what must not happen is that it reboots into them by itself. The
# unit is part of /usr, which cannot be written, so it is masked at every boot.
_NO_REBOOTS = "update-service.service"
_NO_REBOOTS_UNIT = {
    "Unit": [("Description", "Disable OS Update Scheduler"), ("Before", "locksmithd.service")],
    "Service": [
        ("Type", "oneshot"),
        ("RemainAfterExit", "yes"),
        ("ExecStart", "/usr/bin/systemctl mask --runtime --now locksmithd.service"),
    ],
    "Install": [("WantedBy", "multi-user.target")],
}


def build(context: NodeContext, draft: Draft) -> None:
    """Unattended upgrades as spec.updatePolicy says; with "external" they are done by other means."""
    policy = context.group.spec.update_policy or context.cluster.spec.update_policy or "automatic"
    if policy != "external":
        draft.package("unattended-upgrades", when=on(family="debian"))
    draft.file("/etc/apt/apt.conf.d/20auto-upgrades", _OFF if policy == "external" else _ON, when=on(family="debian"))
    if not any(unit["name"] == _NO_REBOOTS for unit in draft.items.get("units", ())):
        draft.unit(_NO_REBOOTS, unit_text(_NO_REBOOTS_UNIT), when=on(family="flatcar"))
