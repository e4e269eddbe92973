# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What servers let in from outside (pkg/model/hetznermodel/firewall.go of kops).

Firewalls of Hetzner stand before public addresses only: within the network, everything reaches everything.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...cloud.hetzner import names
from ...cloud.hetzner.tasks.firewall import Firewall, FirewallRule
from .. import ports
from ..context import ModelContext
from ..node_ports import node_port_range

_TCP, _UDP = "tcp", "udp"
CONTROL_PLANE, NODES = "control-plane", "nodes"


def build(context: ModelContext) -> None:
    """A firewall for control planes, and one for workers, which are known by their labels."""
    spec = context.cluster.spec
    ssh = _rule(_TCP, str(ports.SSH), spec.ssh_access)
    api = _rule(_TCP, str(ports.KUBE_API_SERVER), spec.api.access)
    _add(context, CONTROL_PLANE, "ControlPlane", [ssh, *([api] if spec.api.load_balancer is None else [])])
    node_ports = []
    if spec.node_port_access:
        first, last = node_port_range(context)
        node_ports = [_rule(protocol, f"{first}-{last}", spec.node_port_access) for protocol in (_TCP, _UDP)]
    _add(context, NODES, "Node", [ssh, *node_ports])


def _add(context: ModelContext, part: str, role: str, rules: Iterable[FirewallRule]) -> None:
    context.add(
        Firewall(
            names.firewall(part, context.name),
            context.layers.network,
            selector=names.servers_of(role, context.name),
            # A rule without sources would let in nobody, and the API takes none.
            rules=[each for each in rules if each.sources],
            labels={**names.of_cluster(context.name), names.FIREWALL_ROLE: part},
        )
    )


def _rule(protocol: str, port: str, sources: Iterable[str]) -> FirewallRule:
    return FirewallRule(protocol=protocol, port=port, sources=tuple(sorted(sources)))
