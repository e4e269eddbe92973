# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the distribution updates itself (update_service.go of nodeup)."""

from __future__ import annotations

from .context import NodeContext
from .draft import Draft, on

_OFF = 'APT::Periodic::Enable "0";\n'
_ON = """APT::Periodic::Update-Package-Lists "1";
APT::Periodic::Unattended-Upgrade "1";

APT::Periodic::AutocleanInterval "7";
"""


def build(context: NodeContext, draft: Draft) -> None:
    """Unattended upgrades as spec.updatePolicy says; with "external" they are done by other means."""
    policy = context.group.spec.update_policy or context.cluster.spec.update_policy or "automatic"
    if policy != "external":
        draft.package("unattended-upgrades", when=on(family="debian"))
    draft.file("/etc/apt/apt.conf.d/20auto-upgrades", _OFF if policy == "external" else _ON, when=on(family="debian"))
