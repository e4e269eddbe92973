# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of the networking mode Cilium."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.networking import CiliumGatewayAPISpec, CiliumIngressSpec, HubbleSpec
from ...api.questions import is_ipv6_only
from ...api.scalars import Quantity
from ..context import Context
from ..filling import fill

_VERSION = "v1.18.12"
_PROMETHEUS_PORT = 9090


def complete(cluster: Cluster, context: Context) -> None:
    """spec.networking.cilium."""
    cilium = cluster.spec.networking.cilium
    if cilium is None:
        return
    ipv6 = is_ipv6_only(cluster)
    fill(
        cilium,
        version=_VERSION,
        agent_prometheus_port=_PROMETHEUS_PORT,
        bpf_ct_global_any_max=262144,
        bpf_ct_global_tcp_max=524288,
        bpf_lb_algorithm="random",
        bpf_lb_maglev_table_size="16381",
        bpf_lb_map_max=65536,
        bpf_nat_global_max=524288,
        bpf_neigh_global_max=524288,
        bpf_policy_map_max=16384,
        cluster_name="default",
        cni_exclusive=True,
        cpu_request=Quantity("25m"),
        disable_cnp_status_updates=True,
        enable_endpoint_health_checking=True,
        enable_host_firewall=False,
        enable_l7_proxy=True,
        enable_local_redirect_policy=False,
        enable_remote_node_identity=True,
        enable_unreachable_routes=False,
        identity_allocation_mode="crd",
        identity_change_grace_period="5s",
        ipam="kubernetes",
        masquerade=not ipv6,
        memory_request=Quantity("128Mi"),
        monitor_aggregation="medium",
        sidecar_istio_proxy_image="cilium/istio_proxy",
        to_fqd_ns_dns_reject_response_code="refused",
    )
    with_eni = cilium.ipam == "eni"
    fill(cilium, tunnel="disabled" if with_eni or ipv6 else "vxlan", enable_bpf_masquerade=with_eni)
    if cilium.enable_encryption:
        fill(cilium, encryption_type="ipsec")
    # What is named at all is on, unless it says otherwise.
    cilium.hubble = cilium.hubble or HubbleSpec(enabled=False)
    cilium.ingress = cilium.ingress or CiliumIngressSpec(enabled=False)
    cilium.gateway_api = cilium.gateway_api or CiliumGatewayAPISpec(enabled=False)
    for extra in (cilium.hubble, cilium.ingress, cilium.gateway_api):
        fill(extra, enabled=True)
