# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may reach instances from outside: SSH, node ports, the API.

Source: pkg/model/gcemodel/external_access.go and api_loadbalancer.go of kops.
"""

from __future__ import annotations

from ...completion.gce.questions import uses_ip_aliases
from .. import ports
from ..context import ModelContext
from ..node_ports import node_port_range
from . import firewall_rules, labels

_SSH = [f"tcp:{ports.SSH}"]
_API = [f"tcp:{ports.KUBE_API_SERVER}"]


def build(context: ModelContext) -> None:
    """Rules for the ranges of spec.sshAccess, spec.nodePortAccess and spec.api.access."""
    _allow_ssh(context)
    _allow_node_ports(context)
    _allow_api(context)


def _allow_ssh(context: ModelContext) -> None:
    access, nodes = context.cluster.spec.ssh_access, [labels.tag(context, labels.NODE)]
    control_plane = labels.control_plane_tags(context)
    if not context.has_bastion:
        firewall_rules.add_pair(context, "ssh-external-to-master", ranges=access, targets=control_plane, allowed=_SSH)
        firewall_rules.add_pair(context, "ssh-external-to-node", ranges=access, targets=nodes, allowed=_SSH)
        return
    # With a bastion, SSH goes through it and nowhere else.
    bastion = [labels.tag(context, labels.BASTION)]
    firewall_rules.add_pair(context, "ssh-external-to-bastion", ranges=access, targets=bastion, allowed=_SSH)
    firewall_rules.add_pair(context, "bastion-to-master-ssh", tags=bastion, targets=control_plane, allowed=_SSH)
    firewall_rules.add_pair(context, "bastion-to-node-ssh", tags=bastion, targets=nodes, allowed=_SSH)


def _allow_node_ports(context: ModelContext) -> None:
    first, last = node_port_range(context)
    span = str(first) if first == last else f"{first}-{last}"
    firewall_rules.add_pair(
        context,
        "nodeport-external-to-node",
        ranges=context.cluster.spec.node_port_access,
        targets=[labels.tag(context, labels.NODE)],
        allowed=[f"tcp:{span}", f"udp:{span}"],
    )


def _allow_api(context: ModelContext) -> None:
    spec, servers = context.cluster.spec, labels.api_server_tags(context)
    if spec.api.load_balancer is None:
        targets = labels.control_plane_tags(context)
        firewall_rules.add_pair(
            context, "kubernetes-master-https", ranges=spec.api.access, targets=targets, allowed=_API
        )
    else:
        firewall_rules.add_pair(context, "https-api", ranges=spec.api.access, targets=servers, allowed=_API)
        _allow_other_services(context)
    if uses_ip_aliases(context.cluster):
        firewall_rules.add(
            context,
            "pod-cidrs-to-https-api",
            family=firewall_rules.IPV4,
            ranges=[str(spec.networking.pod_cidr)],
            targets=servers,
            allowed=_API,
        )


def _allow_other_services(context: ModelContext) -> None:
    """What else is behind the load balancer."""
    services = {}
    if context.nodes_join_through_load_balancer:
        services["kops-controller"] = ports.KOPS_CONTROLLER
    if context.uses_cilium_etcd:
        services["cilium-etcd"] = ports.ETCD_CLIENT["cilium"]
    for name, port in services.items():
        firewall_rules.add_pair(
            context,
            name,
            ranges=context.cluster.spec.api.access,
            targets=[labels.tag(context, labels.CONTROL_PLANE)],
            allowed=[f"tcp:{port}"],
        )
