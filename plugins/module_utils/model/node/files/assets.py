# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that nodes download and the container images that they run, where their publishers have them.

spec.assets sends nodes elsewhere for them: completion/assets.py says where.
Source of the versions: pkg/nodemodel of kops.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ....api.cloud import CredentialProvider
from ....api.clouds import cloud_of
from ....api.cluster import Cluster
from ....api.common import PackagesConfig
from ....api.containerd import Runc
from ....api.etcd import EtcdClusterSpec
from ....api.instance_group import InstanceGroup
from ....api.versions import Version, is_at_least, is_build_url
from ....base.errors import KopsError
from ....completion.components.etcd import LATEST_VERSIONS
from ....completion.problems import required
from .assets_checksums import SHA256

ARCHITECTURES = ("amd64", "arm64")

_GITHUB = "https://github.com/{project}/releases/download/v{version}/"
_KUBERNETES = "https://dl.k8s.io/release/v{version}"
_CONTAINERD = _GITHUB.replace("{project}", "containerd/containerd")
_RUNC = _GITHUB.replace("{project}", "opencontainers/runc")
_NERDCTL = _GITHUB.replace("{project}", "containerd/nerdctl")
_CNI_PLUGINS = _GITHUB.replace("{project}", "containernetworking/plugins")
_CRICTL = _GITHUB.replace("{project}", "kubernetes-sigs/cri-tools")
_CREDENTIAL_PROVIDERS = "https://artifacts.k8s.io/binaries/cloud-provider-"

# Kind of file -> (where a release of it is published, the file's path below that).
_PUBLISHED = {
    "kubelet": (_KUBERNETES, "/bin/linux/{architecture}/kubelet"),
    "kubectl": (_KUBERNETES, "/bin/linux/{architecture}/kubectl"),
    "containerd": (_CONTAINERD, "containerd-{version}-linux-{architecture}.tar.gz"),
    "runc": (_RUNC, "runc.{architecture}"),
    "nerdctl": (_NERDCTL, "nerdctl-{version}-linux-{architecture}.tar.gz"),
    "crictl": (_CRICTL, "crictl-v{version}-linux-{architecture}.tar.gz"),
    "cni-plugins": (_CNI_PLUGINS, "cni-plugins-linux-{architecture}-v{version}.tgz"),
    "ecr-credential-provider": (
        _CREDENTIAL_PROVIDERS + "aws/v{version}",
        "/linux/{architecture}/ecr-credential-provider-linux-{architecture}",
    ),
    "auth-provider-gcp": (
        _CREDENTIAL_PROVIDERS + "gcp/v{version}",
        "/auth-provider-gcp/linux/{architecture}/auth-provider-gcp",
    ),
}
# Where the publisher's checksum file is not beside the file itself, with .sha256 at its end.
_CHECKSUM_FILES = {
    "containerd": "{url}.sha256sum",
    "runc": f"{_RUNC}runc.sha256sum",
    "nerdctl": f"{_NERDCTL}SHA256SUMS",
}
_NERDCTL_VERSION, _CRICTL_VERSION = "1.7.4", "1.29.0"
# Kubernetes of at least this version gets these CNI plugins; the newest that fits counts.
_CNI_PLUGINS_VERSIONS = (("1.36", "1.9.1"), ("1.35", "1.8.0"), ("1.34", "1.7.1"), ("1.0", "1.6.2"))
# URL and checksum of other CNI plugins, as kops calls them.
_CNI_PLUGINS_ENVIRONMENT = ("CNI_VERSION_URL", "CNI_ASSET_HASH_STRING")
# Where own builds of the credential provider are; kops' field for it (binariesLocation) cannot be kept in v1alpha2.
_CREDENTIAL_PROVIDER_ENVIRONMENT = "CREDENTIAL_PROVIDER_LOCATION"
# A build of Kubernetes that is named by its URL has its images as files: image -> field of the specification.
_BUILD_IMAGES = {
    "kube-apiserver": "kube_api_server",
    "kube-controller-manager": "kube_controller_manager",
    "kube-scheduler": "kube_scheduler",
    "kube-proxy": "kube_proxy",
}
# Fields that name an image which no node runs, or that are looked at by themselves.
_LEFT_OUT = ("sidecar_istio_proxy_image", "node_authorization", "etcd_clusters", "hooks")


@dataclass(frozen=True)
class FileAsset:
    """A file that nodes download.

    kind: what it is ("kubelet"). url: where its publisher has it. sha256: its checksum, as hexadecimal text; "" if it
    is not known here, and then checksum_url is where its publisher says it.
    """

    kind: str
    architecture: str
    url: str
    sha256: str = ""
    checksum_url: str = ""


def file_assets(cluster: Cluster, architecture: str) -> list[FileAsset]:
    """Every file that nodes of that architecture ("amd64", "arm64") need, in the order in which kops names them.

    cluster: completed. Raises ValidationError where a version is missing that nothing can be inferred from.
    """
    spec = cluster.spec
    version = spec.kubernetes_version or ""
    if is_build_url(version):
        files = [_located(kind, architecture, version) for kind in ("kubelet", "kubectl")]
        paths = [f"/bin/linux/{architecture}/{name}.tar" for name in _BUILD_IMAGES]
        files += [_unknown("image", architecture, version.rstrip("/") + path) for path in paths]
    else:
        files = [_released(kind, architecture, version) for kind in ("kubelet", "kubectl")]
    credential_provider = cloud_of(cluster).credential_provider
    if credential_provider is not None:
        files.append(_credential_provider(cluster, architecture, credential_provider))
    if needs_cni_plugins(cluster):
        files.append(_cni_plugins(cluster, architecture))
    containerd = spec.containerd
    if containerd is None or containerd.skip_install:
        return files
    runc = containerd.runc or Runc()
    files += [
        _packaged("containerd", architecture, containerd.version, containerd.packages, "spec.containerd"),
        _packaged("runc", architecture, runc.version, runc.packages, "spec.containerd.runc"),
    ]
    if containerd.install_nerd_ctl:
        files.append(_released("nerdctl", architecture, _NERDCTL_VERSION))
    if containerd.install_cri_ctl:
        files.append(_released("crictl", architecture, _CRICTL_VERSION))
    return files


def with_known_checksums(files: Sequence[FileAsset]) -> Sequence[FileAsset]:
    """The files, if the checksum of each is known here. Raises KopsError where one is not."""
    for file in files:
        if not file.sha256:
            raise KopsError(f"{file.url}: its checksum is not known; {file.checksum_url} would say it")
    return files


def needs_cni_plugins(cluster: Cluster) -> bool:
    """Whether nodes need the standard CNI plugins: some network providers install their own."""
    networking = cluster.spec.networking
    if networking.cilium is not None:
        return networking.cilium.chaining_mode == "portmap"
    return networking.amazon_vpc is None and networking.calico is None


def etcd_image(etcd: EtcdClusterSpec) -> str:
    """The image of an etcd cluster: its own, or the newest patch of its minor version."""
    if etcd.image:
        return etcd.image
    wanted = Version.parse(etcd.version or "")
    version = next((latest for latest in LATEST_VERSIONS if _same_minor(Version.parse(latest), wanted)), str(wanted))
    return f"registry.k8s.io/etcd:v{version}"


def image_assets(cluster: Cluster, groups: Sequence[InstanceGroup]) -> list[str]:
    """Every container image that the specification names, sorted; those of addons that it only switches on are not.

    cluster, groups: completed without spec.assets, which would have put its own registry into the names.
    """
    spec = cluster.spec
    skipped = _BUILD_IMAGES.values() if is_build_url(spec.kubernetes_version or "") else ()
    parts = [value for name, value in vars(spec).items() if name not in (*_LEFT_OUT, *skipped)]
    for group in groups:
        # A group's own image is that of its machines.
        parts += [value for name, value in vars(group.spec).items() if name not in (*_LEFT_OUT, "image")]
    return sorted({*_named_images(parts), *map(etcd_image, spec.etcd_clusters)})


def hook_images(cluster: Cluster, groups: Sequence[InstanceGroup]) -> list[str]:
    """The images of hooks, sorted. Nodes fetch them from exactly where the hook says, spec.assets or not."""
    hooks = [*cluster.spec.hooks, *(hook for group in groups for hook in group.spec.hooks)]
    return sorted({hook.exec_container.image for hook in hooks if hook.exec_container and hook.exec_container.image})


def _named_images(part: Any) -> Iterator[str]:
    """The values of all fields of images below a part of a specification, but those of what is switched off."""
    if isinstance(part, list):
        for item in part:
            yield from _named_images(item)
    if not dataclasses.is_dataclass(part) or getattr(part, "enabled", None) is False:
        return
    for name, value in vars(part).items():
        if name in _LEFT_OUT:
            continue
        if isinstance(value, str):
            yield from _image_of(name, value)
        elif name == "additional_images":
            yield from value
        else:
            yield from _named_images(value)


def _image_of(name: str, value: str) -> Iterable[str]:
    return (value,) if value and (name == "image" or name.endswith("_image")) else ()


def _same_minor(one: Version, other: Version) -> bool:
    return (one.major, one.minor) == (other.major, other.minor)


def _released(kind: str, architecture: str, version: str) -> FileAsset:
    base, path = _PUBLISHED[kind]
    url = (base + path).format(version=version, architecture=architecture)
    checksums = _CHECKSUM_FILES.get(kind, "{url}.sha256").format(url=url, version=version)
    return FileAsset(kind, architecture, url, SHA256.get(f"{kind} {version} {architecture}", ""), checksums)


def _cni_plugins(cluster: Cluster, architecture: str) -> FileAsset:
    """Those that the environment names, as kops has no field for it, or the release that Kubernetes gets."""
    url, sha256 = (os.environ.get(name, "") for name in _CNI_PLUGINS_ENVIRONMENT)
    if url and sha256:
        return FileAsset("cni-plugins", architecture, url, sha256.removeprefix("sha256:"))
    version = next(plugins for kubernetes, plugins in _CNI_PLUGINS_VERSIONS if is_at_least(cluster, kubernetes))
    return _released("cni-plugins", architecture, version)


def _located(kind: str, architecture: str, base: str) -> FileAsset:
    """The file below another place that is built like the publisher's."""
    return _unknown(kind, architecture, base.rstrip("/") + _PUBLISHED[kind][1].format(architecture=architecture))


def _unknown(kind: str, architecture: str, url: str) -> FileAsset:
    return FileAsset(kind, architecture, url, checksum_url=f"{url}.sha256")


def _credential_provider(cluster: Cluster, architecture: str, provider: CredentialProvider) -> FileAsset:
    location = getattr(cluster.spec.cloud_provider, cloud_of(cluster).attribute).binaries_location
    location = location or os.environ.get(_CREDENTIAL_PROVIDER_ENVIRONMENT)
    if location:
        return _located(provider.kind, architecture, location)
    return _released(provider.kind, architecture, provider.version)


def _packaged(
    kind: str, architecture: str, version: str | None, packages: PackagesConfig | None, path: str
) -> FileAsset:
    """The file of a package that the specification gives, or of the release of a version."""
    if packages is not None:
        url, sha256 = getattr(packages, f"url_{architecture}"), getattr(packages, f"hash_{architecture}")
        if url and sha256:
            return FileAsset(kind, architecture, url, sha256.removeprefix("sha256:"))
    if not version:
        raise required(f"{path}.version", f"must be given: nothing else says which {kind} nodes get")
    return _released(kind, architecture, version)
