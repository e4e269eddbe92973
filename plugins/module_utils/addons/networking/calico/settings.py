# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Calico's objects depend on: the specification, and what kops derives from it."""

from __future__ import annotations

from dataclasses import dataclass

from ....api.clouds import AWS, OPENSTACK
from ....api.cluster import Cluster
from ....api.networking import CalicoNetworkingSpec
from ....api.questions import is_ipv6_only
from ...context import AddonContext

NAMESPACE = "kube-system"
CONFIG = "calico-config"
# Where pods find the API server while nothing translates the address of its Service: with eBPF, Calico does so itself.
API_SERVER = "kubernetes-services-endpoint"
NODE = "calico-node"
PLUGIN = "calico-cni-plugin"
CONTROLLERS = "calico-kube-controllers"
TYPHA = "calico-typha"
_VERSION = "v3.31.6"
_NEVER, _CROSS_SUBNET, _ALWAYS = "Never", "CrossSubnet", "Always"


@dataclass(frozen=True)
class Settings:
    """spec.networking.calico, in its cluster."""

    context: AddonContext
    calico: CalicoNetworkingSpec

    @property
    def cluster(self) -> Cluster:
        """The cluster."""
        return self.context.cluster

    @property
    def ipv6(self) -> bool:
        """Whether pods have addresses of IPv6 only."""
        return is_ipv6_only(self.cluster)

    @property
    def version(self) -> str:
        """The release."""
        return self.calico.version or _VERSION

    @property
    def has_typha(self) -> bool:
        """Whether Typha is between the nodes and the API server."""
        return bool(self.calico.typha_replicas)

    @property
    def uses_bgp(self) -> bool:
        """Whether nodes tell each other their routes by BGP."""
        return self.calico.encapsulation_mode == "ipip"

    @property
    def backend(self) -> str:
        """Calico's name of how routes are distributed."""
        return "bird" if self.uses_bgp else self.calico.encapsulation_mode or ""

    @property
    def ipip_mode(self) -> str:
        """When packets travel in IP-in-IP."""
        if not self.uses_bgp:
            return _NEVER
        return self.calico.ipip_mode or (_ALWAYS if self.context.cloud is OPENSTACK else _CROSS_SUBNET)

    def vxlan_mode(self, default: str) -> str:
        """When packets travel in VXLAN, for one family of addresses."""
        if self.calico.encapsulation_mode != "vxlan":
            return _NEVER
        return self.calico.vxlan_mode or default

    @property
    def vxlan_modes(self) -> tuple[str, str]:
        """When packets of IPv4 and of IPv6 travel in VXLAN."""
        return self.vxlan_mode(_CROSS_SUBNET), self.vxlan_mode(_NEVER)

    @property
    def source_check(self) -> str:
        """What becomes of AWS' check of sources and destinations."""
        if self.context.cloud is not AWS or self.ipv6:
            return "DoNothing"
        return self.calico.aws_src_dst_check or "Disable"

    def image(self, name: str) -> str:
        """One of Calico's images."""
        return f"{self.calico.registry or 'docker.io'}/calico/{name}:{self.version}"


def settings_of(context: AddonContext) -> Settings:
    """The settings of a cluster."""
    return Settings(context, context.cluster.spec.networking.calico or CalicoNetworkingSpec())
