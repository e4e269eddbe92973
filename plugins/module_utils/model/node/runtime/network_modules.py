# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the kernel the network of pods does not work without: modules, which it loads itself, and filesystems.

Sources: the requirements in the documentation of each project; for Calico's sets of addresses, which it has with every
way of filtering, loadKernelModules in command.go of nodeup.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....api.cluster import Cluster
from ....api.networking import CalicoNetworkingSpec, CiliumNetworkingSpec
from ....exchange.distributions import FAMILIES

# Filesystems of the kernel through which programs in it are kept and attached.
_OF_PROGRAMS = ("bpf", "cgroup2")

Reasons = Iterator[tuple[str, str]]


def modules_of_network(cluster: Cluster) -> dict[str, str]:
    """Module -> the field of spec.networking because of which it is needed."""
    return dict(_modules(cluster))


def filesystems_of_network(cluster: Cluster) -> dict[str, str]:
    """Filesystem that the kernel must know -> the field of spec.networking because of which it is needed."""
    networking = cluster.spec.networking
    if networking.cilium is not None:
        return dict.fromkeys(_OF_PROGRAMS, "cilium")
    if networking.calico is not None and networking.calico.bpf_enabled:
        return dict.fromkeys(_OF_PROGRAMS, "calico.bpfEnabled")
    return {}


def _modules(cluster: Cluster) -> Reasons:
    networking = cluster.spec.networking
    if networking.flannel is not None:
        yield ("vxlan" if networking.flannel.backend == "vxlan" else "tun"), "flannel.backend"
    if networking.calico is not None:
        yield from _of_calico(networking.calico)
    if networking.cilium is not None:
        yield from _of_cilium(networking.cilium)
    if networking.kube_router is not None:
        # It is the proxy of Services, too: their addresses are on an interface that leads nowhere.
        yield from ((name, "kubeRouter") for name in ("dummy", "ip_vs", "ip_vs_rr"))
        if not networking.kube_router.use_nf_tables_for_netpol:
            yield from ((name, "kubeRouter") for name in ("ip_set", "xt_set"))
    if networking.kindnet is not None:
        yield from ((name, "kindnet") for name in ("nf_tables", "nfnetlink_queue"))


def _of_calico(calico: CalicoNetworkingSpec) -> Reasons:
    yield "ip_set", "calico"
    if calico.nftables_mode == "Enabled":
        yield "nf_tables", "calico.nftablesMode"
    elif not calico.bpf_enabled:
        yield "xt_set", "calico"
    if calico.encapsulation_mode == "ipip" and calico.ipip_mode != "Never":
        yield "ipip", "calico.encapsulationMode"
    if calico.encapsulation_mode == "vxlan" and calico.vxlan_mode != "Never":
        yield "vxlan", "calico.encapsulationMode"
    elif calico.bpf_enabled:
        # With eBPF, packets for Services travel in VXLAN, whatever those of pods travel in.
        yield "vxlan", "calico.bpfEnabled"
    if calico.wireguard_enabled:
        yield "wireguard", "calico.wireguardEnabled"


def _of_cilium(cilium: CiliumNetworkingSpec) -> Reasons:
    if cilium.tunnel in ("vxlan", "geneve"):
        yield cilium.tunnel, "cilium.tunnel"
    elif cilium.masquerade and not cilium.enable_bpf_masquerade:
        # Packets to nodes keep the address of their pod: iptables knows nodes by a set.
        yield from ((name, "cilium.tunnel") for name in ("ip_set", "ip_set_hash_ip", "xt_set"))
    if cilium.enable_encryption and cilium.encryption_type == "wireguard":
        yield "wireguard", "cilium.encryptionType"
    elif cilium.enable_encryption:
        yield from ((name, "cilium.encryptionType") for name in ("esp4", "xfrm_algo", "xfrm_user"))


def package_with_modules(family: str) -> str:
    """The package with modules that the usual kernel package of a family lacks; "" if none is known."""
    known = FAMILIES.get(family)
    return known.modules_package if known else ""
