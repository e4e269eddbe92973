# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that nodes download, and where they go."""

from __future__ import annotations

import posixpath
from urllib.parse import urlsplit

from ....completion.assets import remap_file
from ....exchange.distributions import FAMILIES
from ..context import BINARIES, NodeContext
from ..draft import ALWAYS, Draft, Item, on
from .assets import FileAsset

CNI_BINARIES = "/opt/cni/bin"
# Conditions of the distributions that have the container runtime anyway, and of the others.
WITH_RUNTIME = on(family=[family.name for family in FAMILIES.values() if family.runtime])
WITHOUT_RUNTIME = on(family=[family.name for family in FAMILIES.values() if not family.runtime])
CONTAINERD_BINARIES = "/usr/bin"
RUNC = "/usr/sbin/runc"

# Kind of file -> the path of the program.
_PROGRAMS = {
    "kubelet": f"{BINARIES}/kubelet",
    "kubectl": f"{BINARIES}/kubectl",
    "runc": RUNC,
    "ecr-credential-provider": f"{BINARIES}/ecr-credential-provider",
    "auth-provider-gcp": f"{BINARIES}/gcp-credential-provider",
}
# Kind of archive -> its members that are wanted, and the directory or path that they go to.
_ARCHIVES = {
    "containerd": (("bin/containerd*", f"{CONTAINERD_BINARIES}/"), ("bin/ctr", f"{CONTAINERD_BINARIES}/")),
    "cni-plugins": (("*", f"{CNI_BINARIES}/"),),
    "crictl": (("crictl", f"{BINARIES}/crictl"),),
    "nerdctl": (("nerdctl", f"{BINARIES}/nerdctl"),),
}
# Kinds of what distributions with a container runtime have.
_RUNTIME = ("containerd", "runc")
# Images of a build that is named by its URL, and the roles that run them.
_BUILD_IMAGES = {
    "kube-apiserver": ("ControlPlane", "APIServer"),
    "kube-controller-manager": ("ControlPlane",),
    "kube-scheduler": ("ControlPlane",),
    "kube-proxy": ("ControlPlane", "APIServer", "Node"),
}


def build(context: NodeContext, draft: Draft) -> None:
    """Every file of assets.py that the role needs."""
    for asset in context.files:
        if asset.kind == "kubectl" and not context.has_api_server:
            continue
        urls = [remap_file(asset.url, context.cluster.spec.assets)]
        if asset.kind == "image":
            name = posixpath.basename(urlsplit(asset.url).path).removesuffix(".tar")
            if context.role in _BUILD_IMAGES[name]:
                draft.add("images", {"name": name, "urls": urls, "sha256": asset.sha256})
            continue
        download = {"name": asset.kind, "urls": urls, "sha256": asset.sha256, **_placed(asset)}
        draft.add("downloads", download, WITHOUT_RUNTIME if asset.kind in _RUNTIME else ALWAYS)


def _placed(asset: FileAsset) -> Item:
    if asset.kind in _PROGRAMS:
        return {"dest": _PROGRAMS[asset.kind], "mode": "0755"}
    members = _ARCHIVES[asset.kind]
    return {"unpack": [{"member": member, "dest": place, "mode": "0755"} for member, place in members]}
