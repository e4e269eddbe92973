# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clouds that clusters are applied to, a row each: a cloud is its rooms and its row here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from ..api.clouds import AWS, DIGITALOCEAN, GCE, HETZNER, METAL, NONE, OPENSTACK, VSPHERE, cloud_of
from ..api.cluster import Cluster
from ..api.instance_group import InstanceGroup
from ..base.errors import FieldError, KopsError, ValidationError

if TYPE_CHECKING:
    from ..cloud.provider import Provider
    from ..cloud.reads import Reads
    from ..model.builders import Builders
    from ..model.cluster_api.infrastructure import Infrastructure


Refuses = Callable[[Cluster, Iterable[InstanceGroup]], list[FieldError]]


class Row(Protocol):
    """A cloud. The imports are late, so that the user of one cloud loads the code and libraries of that cloud only.

    found_in: what a user names to say where a cluster is that no store has: fields of Place. Empty where a cloud's
    objects are not discovered. found_without: those of them that the login says, too.
    """

    found_in: ClassVar[tuple[str, ...]] = ()
    found_without: ClassVar[tuple[str, ...]] = ()

    def provider(self) -> Provider[Any]:
        """The cloud's API: cloud/<name>/provider.py."""

    def builders(self) -> Builders:
        """Builders of the tasks for the cloud: model/<name>/builders.py."""

    def limits(self) -> Refuses | None:
        """Limits of the cloud: which names and labels of a specification, completed or not, it would refuse."""
        return None

    def infrastructure(self) -> Infrastructure | None:
        """Its objects of Cluster API: model/<name>/cluster_api.py; None where they are not known."""
        return None


class _AWS(Row):
    found_in: ClassVar[tuple[str, ...]] = ("region",)

    def provider(self) -> Provider[Any]:
        from ..cloud.aws.provider import AWSProvider

        return AWSProvider()

    def builders(self) -> Builders:
        from ..model.aws import builders

        return builders

    def limits(self) -> Refuses | None:
        from ..model.aws.limits import refused

        return refused

    def infrastructure(self) -> Infrastructure | None:
        from ..model.aws.cluster_api import INFRASTRUCTURE

        return INFRASTRUCTURE


class _DigitalOcean(Row):
    found_in: ClassVar[tuple[str, ...]] = ("region",)

    def provider(self) -> Provider[Any]:
        from ..cloud.digitalocean.provider import DigitalOceanProvider

        return DigitalOceanProvider()

    def builders(self) -> Builders:
        from ..model.digitalocean import builders

        return builders

    def limits(self) -> Refuses | None:
        from ..model.digitalocean.limits import refused

        return refused


class _GCE(Row):
    found_in: ClassVar[tuple[str, ...]] = ("region", "project")

    def provider(self) -> Provider[Any]:
        from ..cloud.gce.provider import GCEProvider

        return GCEProvider()

    def builders(self) -> Builders:
        from ..model.gce import builders

        return builders

    def limits(self) -> Refuses | None:
        from ..model.gce.limits import refused

        return refused

    def infrastructure(self) -> Infrastructure | None:
        from ..model.gce.cluster_api import INFRASTRUCTURE

        return INFRASTRUCTURE


class _Hetzner(Row):
    found_in: ClassVar[tuple[str, ...]] = ("region",)
    found_without: ClassVar[tuple[str, ...]] = ("region",)

    def provider(self) -> Provider[Any]:
        from ..cloud.hetzner.provider import HetznerProvider

        return HetznerProvider()

    def builders(self) -> Builders:
        from ..model.hetzner import builders

        return builders

    def limits(self) -> Refuses | None:
        from ..model.hetzner.limits import refused

        return refused


class _OpenStack(Row):
    found_in: ClassVar[tuple[str, ...]] = ("region",)
    found_without: ClassVar[tuple[str, ...]] = ("region",)

    def provider(self) -> Provider[Any]:
        from ..cloud.openstack.provider import OpenStackProvider

        return OpenStackProvider()

    def builders(self) -> Builders:
        from ..model.openstack import builders

        return builders

    def limits(self) -> Refuses | None:
        from ..model.openstack.limits import refused

        return refused

    def infrastructure(self) -> Infrastructure | None:
        from ..model.openstack.cluster_api import INFRASTRUCTURE

        return INFRASTRUCTURE


class _VSphere(Row):
    found_in: ClassVar[tuple[str, ...]] = ("region",)
    found_without: ClassVar[tuple[str, ...]] = ("region",)

    def provider(self) -> Provider[Any]:
        from ..cloud.vsphere.provider import VSphereProvider

        return VSphereProvider()

    def builders(self) -> Builders:
        from ..model.vsphere import builders

        return builders

    def limits(self) -> Refuses | None:
        from ..model.vsphere.limits import refused

        return refused

    def infrastructure(self) -> Infrastructure | None:
        from ..model.vsphere.cluster_api import INFRASTRUCTURE

        return INFRASTRUCTURE


class _Metal(Row):
    def provider(self) -> Provider[Any]:
        from ..cloud.metal.provider import MetalProvider

        return MetalProvider()

    def builders(self) -> Builders:
        from ..model.metal import builders

        return builders

    def limits(self) -> Refuses | None:
        from ..model.metal.limits import refused

        return refused


SUPPORTED: dict[str, Row] = {
    AWS.name: _AWS(),
    DIGITALOCEAN.name: _DigitalOcean(),
    GCE.name: _GCE(),
    HETZNER.name: _Hetzner(),
    OPENSTACK.name: _OpenStack(),
    VSPHERE.name: _VSphere(),
    METAL.name: _Metal(),
}


def discovering() -> list[str]:
    """The clouds in which a cluster's objects are found though no store has it: choices of an option."""
    return [name for name, row in SUPPORTED.items() if row.found_in]


def places() -> list[str]:
    """The options that name a place in any of these clouds."""
    return list(dict.fromkeys(name for row in SUPPORTED.values() for name in row.found_in))


def provider_of(cluster: Cluster) -> Provider[Any]:
    """The API of a cluster's cloud; raises KopsError for one that cannot be applied to yet."""
    return _row(cluster).provider()


def builders_of(cluster: Cluster) -> Builders:
    """The model of a cluster's cloud; raises KopsError for one that cannot be applied to yet."""
    return _row(cluster).builders()


def infrastructure_of(cluster: Cluster) -> Infrastructure:
    """The objects of Cluster API of a cluster's cloud; raises KopsError for one whose objects are not known."""
    found = _row(cluster).infrastructure()
    if found is None:
        raise KopsError(
            f"cluster {cluster.metadata.name}: objects of Cluster API for {cloud_of(cluster).title} are not known, only"
            f" those for {', '.join(infrastructures())}"
        )
    return found


def infrastructures() -> dict[str, Infrastructure]:
    """The clouds whose objects of Cluster API are known."""
    rows = {name: row.infrastructure() for name, row in SUPPORTED.items()}
    return {name: found for name, found in rows.items() if found is not None}


def open_cloud(cluster: Cluster) -> tuple[Provider[Any], Reads]:
    """A cluster's cloud, and a client for the place where the cluster is.

    Raises KopsError for a cloud that cannot be applied to yet, ValidationError when the region is not one.
    """
    provider = provider_of(cluster)
    return provider, provider.open(provider.place(cluster), str(cluster.metadata.name))


def _row(cluster: Cluster) -> Row:
    cloud = cloud_of(cluster)
    if cloud is NONE:
        problem = FieldError("Required", "spec.cloudProvider", f"name one cloud: {', '.join(SUPPORTED)}")
        raise ValidationError([problem], f"cluster {cluster.metadata.name}")
    if cloud.name not in SUPPORTED:
        raise KopsError(
            f"cluster {cluster.metadata.name}: clusters on {cloud.title} cannot be applied yet,"
            f" only on {', '.join(SUPPORTED)}"
        )
    return SUPPORTED[cloud.name]
