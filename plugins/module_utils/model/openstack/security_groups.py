# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Security groups, and what control plane and nodes may say to each other.

Source: pkg/model/openstackmodel/firewall.go of kops.
"""

from __future__ import annotations

import itertools

from ...base.errors import KopsError
from ...cloud.openstack import names
from ...cloud.openstack.tasks.load_balancer import OVN
from ...cloud.openstack.tasks.security_group import SecurityGroup
from ...cloud.openstack.tasks.security_group_rule import EGRESS, INGRESS, IP_IN_IP, IPV4, IPV6, SecurityGroupRule
from .. import ports
from ..context import ModelContext
from ..node_ports import node_port_range
from .spec import api_name, listeners_restrict, spec

MASTERS, NODES, BASTION, API = "ControlPlane", "Node", "Bastion", "API"
_TCP, _UDP = "tcp", "udp"
_DNS, _CILIUM_HEALTH, _HUBBLE, _KOPEIO_VXLAN, _FLANNEL_UDP = 53, 4240, 4244, 4789, 8285
_CLOUD_CONTROLLER_METRICS, _CSI_METRICS = 10258, 9809
_HTTPS = ports.KUBE_API_SERVER
# (whose ports, who reaches them, protocol, first, last). Between nodes, only what is needed: as kops.
_WITHIN = (
    (MASTERS, NODES, _TCP, _HTTPS, _HTTPS),
    (MASTERS, MASTERS, _TCP, _HTTPS, _HTTPS),
    *((MASTERS, source, protocol, _DNS, _DNS) for source in (MASTERS, NODES) for protocol in (_TCP, _UDP)),
    *((NODES, MASTERS, protocol, _DNS, _DNS) for protocol in (_TCP, _UDP)),
    *((aim, source, _TCP, ports.KUBELET, ports.KUBELET) for aim in (MASTERS, NODES) for source in (MASTERS, NODES)),
    *((aim, NODES, _TCP, ports.METRICS["node-exporter"], ports.METRICS["node-exporter"]) for aim in (MASTERS, NODES)),
    *(
        (MASTERS, NODES, _TCP, port, port)
        for port in (
            _CLOUD_CONTROLLER_METRICS,
            ports.METRICS["kube-controller-manager"],
            ports.METRICS["kube-scheduler"],
            ports.KOPS_CONTROLLER,
        )
    ),
    # Not of kops: workers are asked who they are (node/cloud/challenge.py).
    (NODES, MASTERS, _TCP, ports.NODE_CHALLENGE, ports.NODE_CHALLENGE),
    # etcd-manager's, of kops.
    (MASTERS, MASTERS, _TCP, 3994, 3997),
    (MASTERS, MASTERS, _TCP, 4005, 4006),
)
_CILIUM_ETCD = (
    *((MASTERS, MASTERS, _TCP, port, port) for port in (ports.ETCD_PEER["cilium"], 3991, 3992)),
    *((aim, MASTERS, _TCP, ports.ETCD_CLIENT["cilium"], ports.ETCD_CLIENT["cilium"]) for aim in (MASTERS, NODES)),
)


def build(context: ModelContext) -> None:
    """The groups of the roles and of the API, and their rules."""
    roles = [MASTERS, NODES, *([BASTION] if context.has_bastion else [])]
    if not listeners_restrict(context):
        roles.append(API)
    for role in roles:
        group = context.add(SecurityGroup(_name(context, role), context.layers.security))
        for family in (IPV4, IPV6):
            _add(context, group, direction=EGRESS, ethertype=family)
    for aim, source, protocol, first, last in (*_WITHIN, *_etcd(context), *_pod_network(context)):
        _allow(context, aim, source, protocol, first, last)
    _allow_api(context)
    _allow_ssh(context)
    _allow_node_ports(context)


def group_of(context: ModelContext, role: str) -> SecurityGroup:
    """The group of a role's servers, or of the API, once it is built."""
    return context.get(SecurityGroup, _name(context, role))


def _name(context: ModelContext, role: str) -> str:
    return api_name(context) if role == API else names.security_group(role, context.name)


def _etcd(context: ModelContext) -> list[tuple[str, str, str, int, int]]:
    """What members of etcd say to each other, and who asks them."""
    last = "leases" if any(each.name == "leases" for each in context.cluster.spec.etcd_clusters) else "events"
    found = [(MASTERS, MASTERS, _TCP, by["main"], by[last]) for by in (ports.ETCD_CLIENT, ports.ETCD_PEER)]
    if context.uses_cilium_etcd:
        found += _CILIUM_ETCD
    metrics = spec(context).block_storage
    if metrics is not None and metrics.metrics_enabled:
        found += [(aim, NODES, _TCP, _CSI_METRICS, _CSI_METRICS) for aim in (MASTERS, NODES)]
    return found


def _pod_network(context: ModelContext) -> list[tuple[str, str, str, int, int]]:
    """What nodes say to each other for the pods' network. What is neither TCP nor UDP is let in from anybody."""
    networking, open_ports = context.cluster.spec.networking, []
    cilium, flannel = networking.cilium, networking.flannel
    if networking.kopeio is not None:
        open_ports.append((_UDP, _KOPEIO_VXLAN))
    if cilium is not None:
        open_ports += [(_UDP, ports.CILIUM_VXLAN), (_TCP, _CILIUM_HEALTH)]
        if cilium.hubble is not None and cilium.hubble.enabled:
            open_ports.append((_TCP, _HUBBLE))
    if flannel is not None:
        open_ports.append((_UDP, ports.CILIUM_VXLAN if flannel.backend == "vxlan" else _FLANNEL_UDP))
    if networking.calico is not None:
        open_ports.append((_TCP, ports.BGP))
    if networking.calico is not None or networking.kube_router is not None:
        for role in (MASTERS, NODES):
            _add(context, group_of(context, role), protocol=IP_IN_IP)
    return [
        (aim, source, protocol, port, port)
        for protocol, port in open_ports
        for aim, source in itertools.product((MASTERS, NODES), repeat=2)
    ]


def _allow_api(context: ModelContext) -> None:
    """Who may reach the API: through the load balancer, or at the control plane."""
    cluster = context.cluster
    aims = [] if listeners_restrict(context) else [API]
    if cluster.spec.api.load_balancer is None:
        aims = [MASTERS]
    elif API in aims:
        _allow(context, MASTERS, API, _TCP, _HTTPS, _HTTPS)
    balancer = spec(context).loadbalancer
    if balancer is not None and cluster.spec.api.load_balancer is not None and balancer.use_octavia:
        if balancer.provider == OVN:
            # It passes connections on as they come.
            aims.append(MASTERS)
        else:
            _allow_network(context, MASTERS, str(cluster.spec.networking.network_cidr), _TCP, _HTTPS, _HTTPS)
    for aim, cidr in itertools.product(aims, cluster.spec.api.access):
        _allow_network(context, aim, cidr, _TCP, _HTTPS, _HTTPS)


def _allow_ssh(context: ModelContext) -> None:
    aims = (BASTION,) if context.has_bastion else (MASTERS, NODES)
    for aim, cidr in itertools.product(aims, context.cluster.spec.ssh_access):
        _allow_network(context, aim, cidr, _TCP, ports.SSH, ports.SSH)
    if context.has_bastion:
        for aim in (MASTERS, NODES):
            _allow(context, aim, BASTION, _TCP, ports.SSH, ports.SSH)


def _allow_node_ports(context: ModelContext) -> None:
    access = context.cluster.spec.node_port_access
    if access:
        first, last = node_port_range(context)
        for cidr, protocol in itertools.product(access, (_TCP, _UDP)):
            _allow_network(context, NODES, cidr, protocol, first, last)


def _allow(context: ModelContext, aim: str, source: str, protocol: str, first: int, last: int) -> None:
    """Let the servers of a role reach those of another."""
    remote = group_of(context, source)
    _add(context, group_of(context, aim), protocol=protocol, first=first, last=last, remote_group=remote)


def _allow_network(context: ModelContext, aim: str, cidr: str, protocol: str, first: int, last: int) -> None:
    """Let the addresses of a network reach the servers of a role."""
    if not cidr:
        raise KopsError(f"spec.networking.networkCIDR must be given: the {api_name(context)} load balancer is in it")
    family = IPV6 if ":" in cidr else IPV4
    group = group_of(context, aim)
    _add(context, group, ethertype=family, protocol=protocol, first=first, last=last, cidr=cidr)


def _add(
    context: ModelContext,
    group: SecurityGroup,
    *,
    direction: str = INGRESS,
    ethertype: str = IPV4,
    protocol: str | None = None,
    first: int | None = None,
    last: int | None = None,
    remote_group: SecurityGroup | None = None,
    cidr: str | None = None,
) -> None:
    ports_text = "" if first is None else f"-{first}" if first == last else f"-{first}to{last}"
    other = remote_group.name if remote_group else cidr or "anywhere"
    name = f"{group.name}-{direction}-{ethertype.lower()}-{protocol or 'all'}{ports_text}-{other}"
    context.ensure(
        SecurityGroupRule(
            name,
            context.layers.security,
            security_group=group,
            direction=direction,
            ethertype=ethertype,
            protocol=protocol,
            first=first,
            last=last,
            remote_group=remote_group,
            cidr=cidr,
        )
    )
