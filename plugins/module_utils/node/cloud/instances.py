# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instances of a cluster, and the group of instances that this one belongs to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ...base.instance_ids import InstanceIds


@dataclass(frozen=True)
class CloudInstance:
    """An instance of the cluster.

    id: also the name of its Node. host_name: the name that Nodes of old clusters have. group: its instance group, ""
    for none. role: "ControlPlane" or "", as its tags say. runs: whether it is pending or running.
    is_terminated: it is gone for good.
    labels: of its Node, as the kind of the instance says (spot). tagged_labels: of its Node, as its tags say.
    internal, external: its addresses. pod_range: the IPv6 prefix of its first interface, "" for none.
    """

    id: str
    host_name: str = ""
    group: str = ""
    role: str = ""
    runs: bool = True
    is_terminated: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    tagged_labels: Mapping[str, str] = field(default_factory=dict)
    internal: tuple[str, ...] = ()
    external: tuple[str, ...] = ()
    pod_range: str = ""


class CloudInstances(Protocol):
    """The instances of one cluster. All methods raise KopsError or OSError, which are worth another try.

    ids: how they and their Nodes are named.
    """

    ids: InstanceIds

    def own_id(self) -> str:
        """The instance that the process runs on."""

    def all(self) -> dict[str, CloudInstance]:
        """All by their id, terminated ones too while the cloud knows them. The whole answer, or an error."""

    def servers(self) -> dict[str, CloudInstance]:
        """The same, only those of groups that serve the API."""

    def existing(self, ids: Collection[str]) -> set[str]:
        """Those of them that the cloud has and that are not terminated, whatever tags they have."""


class Instances(Protocol):
    """The instances of clusters."""

    def cluster_instances(self, cluster: str) -> CloudInstances:
        """The instances of a cluster, for its controllers."""


class Group(Protocol):
    """The group that has started this instance.

    All methods raise KopsError or OSError, which are worth another try.
    """

    def is_prepared(self) -> bool:
        """Whether it is only prepared now, for a warm pool, and becomes a node when it starts again."""

    def tell_group(self, group: str, hook: str) -> bool:
        """Say that it is ready to the group of instances, which waits by this hook. False if it does not wait."""
