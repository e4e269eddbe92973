# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What control plane and nodes may say to each other (pkg/model/awsmodel/firewall.go of kops)."""

from __future__ import annotations

from .. import ports
from ..context import ModelContext
from . import security_groups
from .security_groups import RoleGroup, add_egress, add_rule

LAST_PORT = 65535
IP_IN_IP = "4"


def build(context: ModelContext) -> None:
    """Nodes reach nodes, the control plane reaches everything, nodes reach the control plane except its etcd."""
    layer = context.layers.security
    nodes = security_groups.of_role(context, "Node")
    control_plane = security_groups.of_role(context, "ControlPlane")
    for group in nodes + control_plane:
        add_egress(context, layer, group.task)
    for sources, destinations in ((nodes, nodes), (control_plane, control_plane), (control_plane, nodes)):
        _allow_all(context, sources, destinations)
    for destination in control_plane:
        for source in nodes:
            _nodes_to_control_plane(context, source, destination)
    if context.cluster.spec.networking.amazon_vpc is not None:
        # Pods have addresses of the VPC: those on nodes talk to those on the control plane on any port.
        _allow_all(context, nodes, control_plane)


def _allow_all(context: ModelContext, sources: list[RoleGroup], destinations: list[RoleGroup]) -> None:
    for source in sources:
        for destination in destinations:
            add_rule(context, context.layers.security, destination.task, source_group=source.task)


def _nodes_to_control_plane(context: ModelContext, source: RoleGroup, destination: RoleGroup) -> None:
    layer = context.layers.security
    allowed = [("udp", 1, LAST_PORT), *(("tcp", *span) for span in open_tcp_ranges(_closed_ports(context)))]
    for protocol, first, last in allowed:
        add_rule(
            context,
            layer,
            destination.task,
            source_group=source.task,
            protocol=protocol,
            from_port=first,
            to_port=last,
        )
    networking = context.cluster.spec.networking
    if networking.calico is not None or networking.kube_router is not None:
        add_rule(context, layer, destination.task, source_group=source.task, protocol=IP_IN_IP)


def _closed_ports(context: ModelContext) -> set[int]:
    etcd = security_groups.etcd_clusters(context)
    closed = {table[name] for name in etcd for table in (ports.ETCD_CLIENT, ports.ETCD_PEER)}
    if context.uses_cilium_etcd:
        # Cilium's agents on nodes are clients of this etcd; only its peers are kept apart.
        closed.add(ports.ETCD_PEER["cilium"])
    return closed


def open_tcp_ranges(closed: set[int]) -> list[tuple[int, int]]:
    """The ranges of ports between the closed ones, from 1 to 65535."""
    edges = [0, *sorted(closed), LAST_PORT + 1]
    return [(low + 1, high - 1) for low, high in zip(edges, edges[1:]) if high - low > 1]
