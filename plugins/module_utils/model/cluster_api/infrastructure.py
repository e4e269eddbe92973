# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cloud says for Cluster API: how its provider's objects are written (model/<cloud>/cluster_api.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...api.instance_group import InstanceGroup
from .rows import Row

if TYPE_CHECKING:
    from ...engine.task import Task

GROUP = "infrastructure.cluster.x-k8s.io"
Manifest = Mapping[str, Any]


@dataclass(frozen=True)
class Infrastructure:
    """The kinds of a provider, and which fields of theirs are fields of ours.

    kind: what their names begin with, as AWS in AWSMachineTemplate. version: of its API.
    cluster: rows from a Cluster to the kind <kind>Cluster. machine: from an InstanceGroup to <kind>MachineTemplate.
    placing: rows from a Cluster to the fields of <kind>MachineTemplate that are of all machines of a cluster.
    cluster_needs: what that kind has to say of a cluster, if no row says it: its manifest -> fields.
    machine_needs: the same of a group: the cluster's manifest, that of the group -> fields.
    has_failure_domains: whether a failure domain of a machine is a zone.
    found: puts into the fields of a cluster what only the cloud knows of it: all tasks, the cluster's name, the fields.
    template: the task that says what instances of a group are made from: all tasks, the cluster's name, the group.
    made_from: what machines need of it to be nodes of the cluster that is there: the task, names of cluster and group.
    user_data: of it.
    """

    kind: str
    version: str
    cluster: Sequence[Row]
    machine: Sequence[Row]
    cluster_needs: Callable[[Manifest], dict[str, Any]]
    machine_needs: Callable[[Manifest, Manifest], dict[str, Any]]
    placing: Sequence[Row]
    has_failure_domains: bool
    found: Callable[[Mapping[str, Task[Any]], str, dict[str, Any]], None]
    template: Callable[[Mapping[str, Task[Any]], str, InstanceGroup], Task[Any]]
    made_from: Callable[[Any, str, str], dict[str, Any]]
    user_data: Callable[[Any], object]

    @property
    def api_version(self) -> str:
        """Group and version."""
        return f"{GROUP}/{self.version}"

    @property
    def cluster_kind(self) -> str:
        """The kind that a Cluster refers to."""
        return f"{self.kind}Cluster"

    @property
    def machine_kind(self) -> str:
        """The kind from which machines are made."""
        return f"{self.kind}MachineTemplate"


def nothing_needed(cluster: Manifest, group: Manifest) -> dict[str, Any]:
    """For a cloud whose machines say all in rows."""
    return {}


def nothing_found(tasks: Mapping[str, Task[Any]], cluster: str, spec: dict[str, Any]) -> None:
    """For a cloud whose objects are found by the names that the objects of Cluster API have."""


def merged(base: Any, over: Any) -> Any:
    """Two objects as one. Mappings are merged key by key, lists are joined; of other values, the second counts."""
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        both = {key: merged(base[key], value) if key in base else value for key, value in over.items()}
        return {**base, **both}
    if isinstance(base, list) and isinstance(over, list):
        return [*base, *(each for each in over if each not in base)]
    return over
