# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A channel: the versions and images that kops recommends. Pure data and its queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..api.versions import Version, VersionRange
from ..base.errors import KopsError


@dataclass(frozen=True)
class ChannelImage:
    """A machine image for a cloud, an architecture and a range of Kubernetes versions ("" matches all)."""

    cloud: str
    architecture: str
    kubernetes_versions: str
    name: str


@dataclass(frozen=True)
class KubernetesVersionAdvice:
    """For clusters in the range of Kubernetes versions: the recommended version, and the minimum ("required")."""

    range: str
    recommended: str = ""
    required: str = ""


@dataclass(frozen=True)
class KopsVersionAdvice:
    """The same for kops, and the default Kubernetes version of clusters created by a kops in the range."""

    range: str
    recommended: str = ""
    kubernetes_version: str = ""
    required: str = ""


@dataclass(frozen=True)
class ChannelPackage:
    """The version of a packaged addon operator, for ranges of Kubernetes and kops versions ("" matches all)."""

    name: str
    version: str
    kubernetes_versions: str = ""
    kops_versions: str = ""


@dataclass(frozen=True)
class Upgrade:
    """A channel's advice for one version.

    recommended: the newer version to upgrade to; None if there is none.
    required: the minimum version; None if the present one is accepted.
    """

    recommended: Version | None = None
    required: Version | None = None


Advice = TypeVar("Advice", KubernetesVersionAdvice, KopsVersionAdvice)

# Prefixes of images that channels have named at some time. Such an image may be replaced by the channel's present one.
_CHANNEL_IMAGES = (
    "kope.io/k8s-",
    "099720109477/ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-",
    "099720109477/ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-",
    "099720109477/ubuntu/images/hvm-ssd/ubuntu-focal-20.04-",
    "cos-cloud/cos-stable-",
    "ubuntu-os-cloud/ubuntu-2004-focal-",
    "ubuntu-os-cloud/ubuntu-2204-jammy-",
    "ubuntu-os-cloud/ubuntu-2404-noble-",
    "Canonical:0001-com-ubuntu-server-focal:20_04-lts-gen2:",
    "Canonical:0001-com-ubuntu-server-jammy:22_04-lts-gen2:",
    "Canonical:ubuntu-24_04-lts:server-gen1:",
    "Canonical:ubuntu-24_04-lts:server:",
    "Canonical:ubuntu-24_04-lts:server-arm64:",
)


@dataclass(frozen=True)
class Channel:
    """A channel's tables. In each, the first entry with a matching range counts.

    cluster: the part of a Cluster spec (plain data, as in a manifest) that new clusters start from.
    """

    images: tuple[ChannelImage, ...] = ()
    kubernetes_versions: tuple[KubernetesVersionAdvice, ...] = ()
    kops_versions: tuple[KopsVersionAdvice, ...] = ()
    packages: tuple[ChannelPackage, ...] = ()
    cluster: dict[str, Any] = field(default_factory=dict)

    def image(self, cloud: str, kubernetes_version: str, architecture: str) -> str | None:
        """Name of the image for a cloud ("aws", "gce", "azure" ...) and an architecture ("amd64", "arm64"), if any."""
        version = Version.parse(kubernetes_version)
        for image in self.images:
            if (
                image.cloud == cloud
                and image.architecture in ("", architecture)
                and _fits(image.kubernetes_versions, version)
            ):
                return image.name
        return None

    def default_kubernetes_version(self, kops_version: str) -> str | None:
        """The default Kubernetes version of clusters created by this version of kops; None if the channel has none."""
        advice = _first_fitting(self.kops_versions, Version.parse(kops_version))
        return str(Version.parse(advice.kubernetes_version)) if advice and advice.kubernetes_version else None

    def kubernetes_upgrade(self, kubernetes_version: str) -> Upgrade:
        """The channel's advice for a Kubernetes version."""
        return _upgrade(self.kubernetes_versions, Version.parse(kubernetes_version))

    def kops_upgrade(self, kops_version: str) -> Upgrade:
        """The channel's advice for a version of kops."""
        return _upgrade(self.kops_versions, Version.parse(kops_version))

    def package_version(self, name: str, kubernetes_version: str, kops_version: str) -> str:
        """The version of a packaged addon operator. Raises KopsError unless exactly one entry matches."""
        kubernetes, kops = Version.parse(kubernetes_version), Version.parse(kops_version)
        found = [
            package.version
            for package in self.packages
            if package.name == name
            and _fits(package.kubernetes_versions, kubernetes)
            and _fits(package.kops_versions, kops)
        ]
        if len(found) != 1:
            raise KopsError(f"the channel has {len(found) or 'no'} versions of the package {name!r}, but must have one")
        return found[0]


def is_channel_image(image: str) -> bool:
    """Whether channels have named the image at some time, so that it was not chosen by a user."""
    return image.startswith(_CHANNEL_IMAGES)


def _fits(versions: str, version: Version) -> bool:
    return not versions or version in VersionRange.parse(versions)


def _first_fitting(table: tuple[Advice, ...], version: Version) -> Advice | None:
    return next((advice for advice in table if _fits(advice.range, version)), None)


def _upgrade(table: tuple[Advice, ...], version: Version) -> Upgrade:
    advice = _first_fitting(table, version)
    if advice is None:
        return Upgrade()
    return Upgrade(_if_newer(advice.recommended, version), _if_newer(advice.required, version))


def _if_newer(text: str, version: Version) -> Version | None:
    offered = Version.parse(text) if text else None
    return offered if offered and offered > version else None
