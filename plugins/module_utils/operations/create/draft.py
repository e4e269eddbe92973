# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The unfinished cluster, on which the steps of its creation work."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...api.cloud import Cloud
from ...api.clouds import CLOUDS
from ...api.cluster import Cluster
from ...api.facts import CloudFacts
from ...api.instance_group import InstanceGroup
from ...api.meta import ObjectMeta
from ...base.errors import FieldError, ValidationError
from ...completion.settings import Settings
from .options import CreateOptions


@dataclass
class Settled:
    """A cluster that exists already: its spec answers what a channel or the cloud answered when it was created."""

    cluster: Cluster
    groups: list[InstanceGroup]

    def group(self, name: str | None) -> InstanceGroup | None:
        """The stored group of that name."""
        return next((group for group in self.groups if group.metadata.name == name), None)


@dataclass
class Draft:
    """A cluster in the making: cluster and groups start empty, each step writes its part.

    settled: the same cluster as it is stored, where it exists already.
    subnets_of_zone: zone -> names of its subnets, the zone's main subnet first.
    """

    options: CreateOptions
    facts: CloudFacts
    settings: Settings
    settled: Settled | None = None
    cluster: Cluster = field(default_factory=lambda: Cluster(metadata=ObjectMeta()))
    groups: list[InstanceGroup] = field(default_factory=list)
    subnets_of_zone: dict[str, list[str]] = field(default_factory=dict)

    @property
    def cloud(self) -> Cloud:
        """The cloud of the cluster."""
        return CLOUDS[self.options.cloud]

    @property
    def all_zones(self) -> list[str]:
        """The zones of nodes and control plane together, sorted."""
        return sorted({*self.options.zones, *self.options.control_plane_zones})


def refuse(path: str, message: str, value: object = None, *, kind: str = "Invalid") -> ValidationError:
    """The error for one option (path) that cannot be followed."""
    return ValidationError([FieldError(kind, path, message, value)], "create_cluster")
