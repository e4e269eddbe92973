# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of the distribution (packages.go, gvisor.go, nvidia.go of nodeup)."""

from __future__ import annotations

from ....exchange.distributions import DISTRIBUTIONS, FAMILIES, rows_with
from ..context import NodeContext
from ..draft import Draft, on

_NFTABLES = "nftables"
_NVIDIA_DRIVER = "nvidia-driver-535-server"
_UBUNTU = [row.name for row in DISTRIBUTIONS if row.name.startswith("ubuntu-")]


def build(context: NodeContext, draft: Draft) -> None:
    """What Kubernetes needs of every distribution, and what the user adds."""
    for family in FAMILIES.values():
        draft.package(*family.packages, when=on(family=family.name))
    having = rows_with("packages")
    for package, names in having.items():
        draft.package(package, when=on(distribution=names))
    proxy = context.kube_proxy()
    if proxy and proxy.enabled and proxy.proxy_mode == _NFTABLES:
        others = [row for row in DISTRIBUTIONS if row.package_manager and row.name not in having[_NFTABLES]]
        draft.package(_NFTABLES, when=on(distribution=[row.name for row in others]))
    known = {item["name"] for item in draft.items["packages"]}
    for level, group in ((context.cluster, ""), (context.group, str(context.group.metadata.name))):
        for index, name in enumerate(level.spec.packages):
            if name not in known:
                with draft.asked_by(f"spec.packages[{index}]", group):
                    draft.package(name)
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
