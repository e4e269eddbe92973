# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may reach instances from outside: SSH, node ports, the API (pkg/model/awsmodel/external_access.go of kops)."""

from __future__ import annotations

from .. import ports
from ..context import ModelContext
from ..node_ports import node_port_range
from . import security_groups
from .security_groups import RoleGroup, add_named_rule, add_rule, peer


def build(context: ModelContext) -> None:
    """Rules for the networks of spec.sshAccess, spec.nodePortAccess and spec.api.access."""
    spec = context.cluster.spec
    control_plane = security_groups.of_role(context, "ControlPlane")
    nodes = security_groups.of_role(context, "Node")
    if not context.has_bastion:
        # With a bastion, SSH goes through it and nowhere else.
        _allow(context, spec.ssh_access, control_plane + nodes, ports.SSH)
    _allow_node_ports(context, nodes)
    if spec.api.load_balancer is None:
        _allow(context, spec.api.access, control_plane, ports.KUBE_API_SERVER)


def _allow(context: ModelContext, networks: list[str], groups: list[RoleGroup], port: int) -> None:
    for network in networks:
        for group in groups:
            add_rule(
                context,
                context.layers.security,
                group.task,
                protocol="tcp",
                from_port=port,
                to_port=port,
                **peer(network),
            )


def _allow_node_ports(context: ModelContext, nodes: list[RoleGroup]) -> None:
    first, last = node_port_range(context)
    for network in context.cluster.spec.node_port_access:
        for group in nodes:
            for protocol in ("tcp", "udp"):
                add_named_rule(
                    context,
                    context.layers.security,
                    f"nodeport-{protocol}-external-to-node-{network}{group.suffix}",
                    group.task,
                    protocol=protocol,
                    from_port=first,
                    to_port=last,
                    **peer(network),
                )
