# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What control plane and nodes may say to each other (pkg/model/gcemodel/firewall.go of kops)."""

from __future__ import annotations

from ...base.errors import KopsError
from ...completion.gce.questions import uses_ip_aliases
from .. import ports
from ..context import ModelContext
from . import firewall_rules, labels

ALL_PROTOCOLS = ("tcp", "udp", "icmp", "esp", "ah", "sctp")
IP_IN_IP = "ipip"
# Where Google's health checks come from.
HEALTH_CHECK_RANGES = ("35.191.0.0/16", "130.211.0.0/22", "209.85.204.0/22", "209.85.152.0/22")
_METRICS = ("kube-controller-manager", "kube-scheduler", "kube-proxy", "etcd-main", "etcd-events", "node-exporter")


def build(context: ModelContext) -> None:
    """Nodes reach nodes, the control plane reaches everything, nodes reach what the control plane serves them."""
    if context.cluster.spec.api.load_balancer is not None:
        firewall_rules.add(
            context,
            "lb-health-checks",
            family=firewall_rules.IPV4,
            ranges=HEALTH_CHECK_RANGES,
            targets=labels.api_server_tags(context),
            allowed=["tcp"],
        )
    nodes, control_plane = [labels.tag(context, labels.NODE)], labels.control_plane_tags(context)
    everything = _all_protocols(context)
    for name, sources, targets, allowed in (
        ("node-to-node", nodes, nodes, everything),
        ("master-to-master", control_plane, control_plane, everything),
        ("master-to-node", control_plane, nodes, everything),
        ("node-to-master", nodes, control_plane, _served_to_nodes(context)),
    ):
        firewall_rules.add(context, name, tags=sources, targets=targets, allowed=allowed)
    _allow_pods(context, nodes, everything)


def _all_protocols(context: ModelContext) -> list[str]:
    return [*ALL_PROTOCOLS, *([IP_IN_IP] if context.cluster.spec.networking.calico is not None else [])]


def _served_to_nodes(context: ModelContext) -> list[str]:
    networking = context.cluster.spec.networking
    served = [ports.KUBE_API_SERVER, ports.KUBELET, ports.KOPS_CONTROLLER, *(ports.METRICS[name] for name in _METRICS)]
    allowed = [f"tcp:{port}" for port in served]
    if networking.calico is not None:
        allowed += [IP_IN_IP, f"tcp:{ports.BGP}"]
    if networking.cilium is not None:
        allowed.append(f"udp:{ports.CILIUM_VXLAN}")
        if context.uses_cilium_etcd:
            allowed.append(f"tcp:{ports.ETCD_CLIENT['cilium']}")
    return allowed


def _allow_pods(context: ModelContext, nodes: list[str], everything: list[str]) -> None:
    """Where pods have addresses that the network routes, their traffic carries no instance's tag."""
    networking = context.cluster.spec.networking
    if context.is_ipv6_only or not (uses_ip_aliases(context.cluster) or networking.kubenet is not None):
        return
    if not networking.pod_cidr:
        raise KopsError("spec.networking.podCIDR must be given where the network itself routes to pods")
    firewall_rules.add_pair(
        context, "pod-cidrs-to-node", ranges=[networking.pod_cidr], targets=nodes, allowed=everything
    )
