# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What droplets let in, which kops leaves open: the VPC, and what the specification says.

The rules are those that DigitalOcean's own Kubernetes has for its workers: all of the VPC and of the pods.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...api.cluster import Cluster
from ...cloud.digitalocean import names
from ...cloud.digitalocean.tasks.firewall import TCP, UDP, Firewall, FirewallRule, everything
from .. import ports
from ..context import ModelContext
from ..node.runtime.network_modules import modules_of_network
from ..node_ports import node_port_range
from . import api_load_balancer

# Modules of the kernel for protocols that no firewall of DigitalOcean lets through: IP in IP, and ESP.
_OTHER_PROTOCOLS = ("ipip", "esp4")


def build(context: ModelContext) -> None:
    """A firewall for all droplets, and one for control planes."""
    hindered = _needs_other_protocols(context.cluster)
    if hindered:
        context.warnings.append(
            "droplets get no firewall: those of DigitalOcean let through TCP, UDP and ICMP only, and"
            f" spec.networking.{hindered} needs another protocol between them"
        )
        return
    spec = context.cluster.spec
    first, last = node_port_range(context)
    _add(
        context,
        names.NODES,
        names.cluster_tag(context.name),
        [
            *everything(_inside(context)),
            _let_in(TCP, str(ports.SSH), spec.ssh_access),
            *(_let_in(each, f"{first}-{last}", spec.node_port_access) for each in (TCP, UDP)),
        ],
    )
    if spec.api.load_balancer is None:
        rules = [_let_in(TCP, str(ports.KUBE_API_SERVER), spec.api.access)]
    else:
        served = (ports.KUBE_API_SERVER, ports.KOPS_CONTROLLER)
        rules = [FirewallRule(TCP, str(port), balanced=True) for port in served]
    _add(context, names.CONTROL_PLANE, names.control_plane_tag(context.name), rules)


def _add(context: ModelContext, part: str, tag: str, rules: Iterable[FirewallRule]) -> None:
    # A rule without an end would let in nobody, and the API takes none.
    let_in = [each for each in rules if each.networks or each.balanced]
    context.add(
        Firewall(
            names.firewall(part, context.name),
            context.layers.network,
            droplet_tag=tag,
            balancer=api_load_balancer.balancer_of(context) if any(each.balanced for each in let_in) else None,
            inbound=let_in,
        )
    )


def _let_in(protocol: str, port: str, networks: Iterable[str]) -> FirewallRule:
    return FirewallRule(protocol, port, tuple(networks))


def _inside(context: ModelContext) -> list[str]:
    """The VPC's range, and that of pods, whose packets some networks send as they are."""
    networking = context.cluster.spec.networking
    own = networking.network_cidr if not networking.network_id else None
    lent = None if own else context.facts.network(str(networking.network_id or ""))
    return [each for each in (own or (lent and lent.cidr), networking.pod_cidr) if each]


def _needs_other_protocols(cluster: Cluster) -> str | None:
    """The field of spec.networking that does; None for none."""
    if cluster.spec.networking.kube_router is not None:
        # Its tunnels are IP in IP.
        return "kubeRouter"
    needed = modules_of_network(cluster)
    return next((needed[each] for each in _OTHER_PROTOCOLS if each in needed), None)
