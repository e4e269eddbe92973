# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of the distribution (packages.go, gvisor.go, nvidia.go of nodeup)."""

from __future__ import annotations

from .context import NodeContext
from .draft import Draft, on

_DEBIAN = ("iptables", "libapparmor1", "libseccomp2", "util-linux")
_REDHAT = ("libseccomp", "util-linux", "container-selinux")
# Distribution -> the package with iptables; the rest of that family has nftables, and a front end of that name.
_IPTABLES = {
    "amzn-2023": "iptables-nft",
    **dict.fromkeys(("rhel-8", "rhel-9", "rocky-8"), "iptables"),
    **dict.fromkeys(("rocky-9", "centos-9"), "iptables-nft"),
}
_NFTABLES_ANYWAY = ("rocky-9", "centos-9")
_NVIDIA_DRIVER = "nvidia-driver-535-server"
_UBUNTU = ("ubuntu-22.04", "ubuntu-24.04", "ubuntu-25.10", "ubuntu-26.04")


def build(context: NodeContext, draft: Draft) -> None:
    """What Kubernetes needs of every distribution, and what the user adds."""
    draft.package(*_DEBIAN, when=on(family="debian"))
    draft.package(*_REDHAT, when=on(family="redhat"))
    for distribution, package in _IPTABLES.items():
        draft.package(package, when=on(distribution=distribution))
    draft.package("nftables", "iptables-nft", when=on(trait="nftables"))
    draft.package("nftables", when=on(distribution=_NFTABLES_ANYWAY))
    proxy = context.kube_proxy()
    if proxy and proxy.enabled and proxy.proxy_mode == "nftables":
        draft.package("nftables", when=on(family="debian"))
        draft.package("nftables", when=on(distribution=[name for name in _IPTABLES if name not in _NFTABLES_ANYWAY]))
    known = {item["name"] for item in draft.items["packages"]}
    own = dict.fromkeys([*context.cluster.spec.packages, *context.group.spec.packages])
    draft.package(*(name for name in own if name not in known))
    calico = context.cluster.spec.networking.calico
    if calico is not None and not context.is_ipv6_only and calico.wireguard_enabled is not False:
        draft.package("wireguard", when=on(distribution=_UBUNTU))
    _build_runtimes(context, draft)


def _build_runtimes(context: NodeContext, draft: Draft) -> None:
    """Runtimes beside runc, from their publishers' own repositories."""
    if context.gvisor_platform:
        source = {
            "name": "gvisor",
            "keyring": "https://gvisor.dev/archive.key",
            "sources": ["deb [arch=$(ARCH)] https://storage.googleapis.com/gvisor/releases release main"],
        }
        draft.add("aptSources", source, on(family="debian"))
        draft.package("runsc", when=on(family="debian"))
    gpu = context.containerd.nvidia_gpu
    if context.has_nvidia and gpu is not None:
        source = {
            "name": "nvidia-container-toolkit",
            "keyring": "https://nvidia.github.io/libnvidia-container/gpgkey",
            "sources": ["deb https://nvidia.github.io/libnvidia-container/stable/deb/$(ARCH) /"],
        }
        draft.add("aptSources", source, on(distribution=_UBUNTU))
        draft.package("nvidia-container-toolkit", gpu.package or _NVIDIA_DRIVER, when=on(distribution=_UBUNTU))
