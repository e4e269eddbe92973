# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What plug-ins of the network need on a node (nodeup/pkg/model/networking of kops)."""

from __future__ import annotations

from ....statestore.pki import Subject
from ..certificates import Certificate
from ..context import NodeContext
from ..control_plane.etcd import clients_authority
from ..draft import Draft, on
from ..files.binaries import CNI_BINARIES
from ..systemd import unit_text
from .containerd_config import uses_kubenet

_CILIUM_CGROUPS = {
    "Unit": [
        ("Description", "Cilium Cgroup2 mounts"),
        ("Documentation", "http://docs.cilium.io/"),
        ("DefaultDependencies", "no"),
        ("Before", "local-fs.target umount.target kubelet.service"),
    ],
    "Mount": [("What", "cgroup2"), ("Where", "/run/cilium/cgroupv2"), ("Type", "cgroup2")],
    "Install": [("WantedBy", "multi-user.target")],
}
# Where the tables of routes are still in /etc, while kube-router's pods look for them in /usr/share.
_ROUTE_TABLES_IN_ETC = ("debian-11", "debian-12", "ubuntu-22.04", "ubuntu-24.04")
# What plug-ins write to the directory of CNI; containerd uses the first file by name, whether its plug-in still runs or
# not. The plain kinds of networking are containerd's own.
_CONFIGURATIONS = {
    "calico": "10-calico.conflist",
    "cilium": "05-cilium.conflist",
    "flannel": "10-flannel.conflist",
    "kindnet": "10-kindnet.conflist",
    "kopeio": "10-containerd-net.conflist",
    "kube_router": "10-kuberouter.conflist",
}


def of_other_networks(context: NodeContext) -> list[str]:
    """Files that a host keeps of the network that its cluster had before; none where the user installs plug-ins.

    Instances in clouds are new ones.
    """
    networking = context.cluster.spec.networking
    chained = networking.cilium is not None and networking.cilium.chaining_mode not in (None, "", "none")
    if not context.on_metal or networking.cni is not None or chained:
        return []
    others = [name for attribute, name in _CONFIGURATIONS.items() if getattr(networking, attribute) is None]
    return [f"/etc/cni/net.d/{name}" for name in sorted(others)]


def build(context: NodeContext, draft: Draft) -> None:
    """Directories of CNI, and what single plug-ins ask for."""
    networking = context.cluster.spec.networking
    draft.directory(CNI_BINARIES)
    if not uses_kubenet(context):
        # Pods write their files there, with modes of their own.
        draft.directory("/etc/cni/net.d", "0700")
    if networking.cilium is not None:
        draft.unit("run-cilium-cgroupv2.mount", unit_text(_CILIUM_CGROUPS))
    if any(etcd.name == "cilium" for etcd in context.cluster.spec.etcd_clusters):
        _build_cilium_etcd(context, draft)
    if networking.kube_router is not None:
        certificate = Certificate(
            "kube-router",
            Subject("system:kube-router"),
            kubeconfig="/var/lib/kube-router/kubeconfig",
            server=context.api_url,
            key_mode="0400",
        )
        draft.certificate(certificate)
        link = {"path": "/usr/share/iproute2", "target": "/etc/iproute2"}
        draft.add("links", link, on(distribution=_ROUTE_TABLES_IN_ETC))


def _build_cilium_etcd(context: NodeContext, draft: Draft) -> None:
    """The certificate by which Cilium's agents are clients of its own etcd cluster."""
    signer, directory = clients_authority("cilium"), "/etc/kubernetes/pki/cilium"
    draft.authority(f"{directory}/etcd-ca.crt", signer, "0600")
    draft.certificate(
        Certificate("etcd-client-cilium", Subject("cilium"), signer=signer, directory=directory, key_mode="0400")
    )
