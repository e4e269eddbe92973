# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clouds that clusters are applied to, a row each: a cloud is its rooms and its row here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ..api.cluster import Cluster
from ..base.errors import FieldError, KopsError, ValidationError

if TYPE_CHECKING:
    from ..cloud.provider import Provider
    from ..cloud.reads import Reads
    from ..model.builders import Builders


class Row(Protocol):
    """A cloud. The imports are late, so that the user of one cloud loads the code and libraries of that cloud only."""

    def provider(self) -> Provider[Any]:
        """The cloud's API: cloud/<name>/provider.py."""

    def builders(self) -> Builders:
        """What a specification asks for in the cloud: model/<name>/builders.py."""


class _AWS(Row):
    def provider(self) -> Provider[Any]:
        from ..cloud.aws.provider import AWSProvider

        return AWSProvider()

    def builders(self) -> Builders:
        from ..model.aws import builders

        return builders


class _GCE(Row):
    def provider(self) -> Provider[Any]:
        from ..cloud.gce.provider import GCEProvider

        return GCEProvider()

    def builders(self) -> Builders:
        from ..model.gce import builders

        return builders


class _Metal(Row):
    def provider(self) -> Provider[Any]:
        from ..cloud.metal.provider import MetalProvider

        return MetalProvider()

    def builders(self) -> Builders:
        from ..model.metal import builders

        return builders


CLOUDS: dict[str, Row] = {"aws": _AWS(), "gce": _GCE(), "metal": _Metal()}


def provider_name(cluster: Cluster) -> str:
    """The cloud that spec.cloudProvider names, in its manifest spelling; "metal" when it names none."""
    union = cluster.spec.cloud_provider
    return next((name for name in vars(union) if getattr(union, name) is not None), "metal")


def provider_of(cluster: Cluster) -> Provider[Any]:
    """The API of a cluster's cloud; raises KopsError for one that cannot be applied to yet."""
    return _row(cluster).provider()


def builders_of(cluster: Cluster) -> Builders:
    """The model of a cluster's cloud; raises KopsError for one that cannot be applied to yet."""
    return _row(cluster).builders()


def open_cloud(cluster: Cluster) -> tuple[Provider[Any], Reads]:
    """A cluster's cloud, and a client for the region and project where the cluster is.

    Raises KopsError for a cloud that cannot be applied to yet, ValidationError when the region is not one.
    """
    provider = provider_of(cluster)
    return provider, provider.open(region_of(cluster), str(cluster.metadata.name), provider.project(cluster))


def _row(cluster: Cluster) -> Row:
    name = provider_name(cluster)
    if name not in CLOUDS:
        raise KopsError(
            f"cluster {cluster.metadata.name}: clusters on {name} cannot be applied yet, only on {', '.join(CLOUDS)}"
        )
    return CLOUDS[name]


def region_of(cluster: Cluster) -> str:
    """The region that the cluster's subnets lie in; raises ValidationError when there is none, or more than one.

    "" for hosts of one's own, which lie in none.
    """
    if provider_name(cluster) == "metal":
        return ""
    regions: dict[str, str] = {}
    for index, subnet in enumerate(cluster.spec.networking.subnets):
        region = subnet.region or (subnet.zone or "")[:-1]
        if region:
            regions.setdefault(region, f"spec.networking.subnets[{index}].zone")
    if len(regions) == 1:
        return next(iter(regions))
    if not regions:
        problem = FieldError("Required", "spec.networking.subnets", "name at least one subnet with its zone")
        raise ValidationError([problem], f"cluster {cluster.metadata.name}")
    problems = [
        FieldError("Invalid", path, f"a cluster lies in one region, these subnets lie in {', '.join(regions)}", region)
        for region, path in regions.items()
    ]
    raise ValidationError(problems, f"cluster {cluster.metadata.name}")
