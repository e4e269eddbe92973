# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the steps of cluster creation share while the cluster takes shape."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...api.cluster import Cluster
from ...api.facts import CloudFacts
from ...api.instance_group import InstanceGroup
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
    """A cluster in the making.

    cloud: kops' name of the cloud; topology: "public" or "private"; both decided already.
    subnets_of_zone: zone -> names of its subnets, the zone's main subnet first.
    settled: the same cluster as it is stored, where it exists already.
    """

    options: CreateOptions
    cloud: str
    topology: str
    facts: CloudFacts
    settings: Settings
    cluster: Cluster
    subnets_of_zone: dict[str, list[str]] = field(default_factory=dict)
    settled: Settled | None = None

    @property
    def all_zones(self) -> list[str]:
        """The zones of nodes and control plane together, sorted."""
        return sorted({*self.options.zones, *self.options.control_plane_zones})


def refuse(path: str, message: str, value: object = None, *, kind: str = "Invalid") -> ValidationError:
    """The error for one option (path) that cannot be followed."""
    return ValidationError([FieldError(kind, path, message, value)], "create_cluster")
