# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the rest of the collection asks of a cloud's API. Each cloud answers in its own provider.py."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from ..base.errors import KopsError
from .reads import Reads

if TYPE_CHECKING:
    from ..api.cluster import Cluster
    from ..api.facts import CloudFacts
    from ..api.instance_group import InstanceGroup
    from ..engine.resource import Resource
    from ..engine.task import Task
    from .instances import InstancesOfGroup, Machine, Target
    from .type_selection import OfferedType, Requirements

_NOT_REPLACED = "instances of this cloud are not replaced by rolling updates yet"
_NOT_SELECTED = "machine types of this cloud are not selected by requirements; name them"

CloudT = TypeVar("CloudT", bound=Reads)


@dataclass
class explaining(AbstractContextManager[None]):  # noqa: N801 (used as a function)
    """Within it, what the library of a provider's cloud raises becomes a KopsError with the provider's sentence."""

    provider: Provider[Any]

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, KopsError):
            raise KopsError(self.provider.explain(error)) from error


@dataclass(frozen=True)
class Unknown:
    """An object that no specification has. kind, name: as plans call it. reason: why it counts as the cluster's."""

    kind: str
    name: str
    reason: str


class Provider(Protocol[CloudT]):
    """One cloud, with the class of its client. It imports libraries, facts and discovery when they are asked for.

    compares: whether tasks can be compared with what exists; else only Terraform makes them.
    """

    compares: ClassVar[bool] = True

    def project(self, cluster: Cluster) -> str:
        """The project that a cluster's specification names; "" where there is none, or the cloud has no projects."""

    def open(self, region: str, cluster_name: str, project: str = "") -> CloudT:
        """A client for one region; tasks get it as their cloud. Raises KopsError when libraries are missing."""

    def facts(self, cloud: CloudT, ahead_for: Sequence[InstanceGroup] | None = None) -> CloudFacts:
        """Answers to what completion and validation ask.

        ahead_for: groups of which everything will be asked; where the cloud has a call for many, it is made now.
        """

    def account(self, cloud: CloudT) -> tuple[str, str]:
        """(account, partition) of the credentials; empty where the cloud has no accounts."""

    def discover(self, cloud: CloudT) -> dict[str, Resource]:
        """Every object of the cluster that exists, found by its tags."""

    def in_the_way(self, cloud: CloudT, found: Mapping[str, Resource]) -> list[str]:
        """A line for each object of others that keeps one of those found from being deleted."""
        return []

    def unknown(self, cloud: CloudT, tasks: Collection[Task[Any]]) -> list[Unknown] | None:
        """Objects that exist and belong to the cluster, though it has no task for them; None if nobody can say.

        tasks: all of the cluster's, compared with what exists. What programs in the cluster make is left out.
        """
        return None

    def api_hosts(self, cloud: CloudT) -> list[str]:
        """Host names of the load balancer through which users reach the API, the best one first; empty for none."""

    def api_targets(self, cloud: CloudT) -> list[Target] | None:
        """The control planes behind the API's load balancer; None if nobody knows."""
        return None

    def bastion_hosts(self, cloud: CloudT) -> list[str]:
        """Host names of the load balancer through which SSH reaches the bastions; empty for none."""
        return []

    def instances(self, cloud: CloudT) -> dict[str, InstancesOfGroup]:
        """Instance group -> its instances as they are now. Raises KopsError where the cloud is not asked for them."""

    def running(self, cloud: CloudT) -> dict[str, list[str]]:
        """What keeps the number of instances -> its instances, as an update has read them."""
        return {}

    def machines(self, cloud: CloudT, *, why: bool = False) -> dict[str, list[Machine]]:
        """Instance group -> its instances but those that end, also prepared and detached ones, compared with new ones.

        why: also in what older ones differ, which costs more calls. Raises KopsError where the cloud is not asked.
        """

    def machine_types(self, cloud: CloudT, wanted: Requirements, names: Sequence[str] = ()) -> list[OfferedType]:
        """Machine types of the region: at least those that meet the requirements. names: and that have these names."""
        raise KopsError(_NOT_SELECTED)

    def zones_of_types(self, cloud: CloudT, names: Sequence[str]) -> dict[str, set[str]]:
        """The zones that offer each of the machine types."""
        raise KopsError(_NOT_SELECTED)

    def last_line(self, cloud: CloudT, instance: str) -> str:
        """What the node program last printed to the console of an instance; "" if that is not known."""

    def console(self, cloud: CloudT, instance: str) -> str:
        """The last that an instance has printed to its console; "" if that is not known."""
        return ""

    def described(self, cloud: CloudT) -> Mapping[str, Callable[[], Any]]:
        """What the cloud says of the cluster, for a dump: name -> a function that reads it, as plain data."""
        return {}

    def detach(self, cloud: CloudT, machine: Machine) -> None:
        """Take an instance out of its group, which then lacks one. Raises KopsError if that is not possible."""
        raise KopsError(_NOT_REPLACED)

    def deregister(self, cloud: CloudT, machine: Machine, seconds: float) -> None:
        """Take it out of load balancers, and wait until none sends to it. Raises KopsError after so many seconds."""
        raise KopsError(_NOT_REPLACED)

    def terminate(self, cloud: CloudT, machine: Machine) -> None:
        """End it. One that is gone already is no error."""
        raise KopsError(_NOT_REPLACED)

    def replenish(self, cloud: CloudT, group: str) -> None:
        """Start the instances that an instance group lacks of its number; nothing where the cloud itself keeps numbers.

        It is asked after each instance that was ended or detached, also by several threads at once.
        """
        raise KopsError(_NOT_REPLACED)

    def remove(self, cloud: CloudT, machine: Machine, wanted: int, fixed: bool) -> None:
        """End it for good: its group wants only so many from now on. fixed: and never more. No error if it is gone."""
        raise KopsError(_NOT_REPLACED)

    def impaired(self, cloud: CloudT) -> dict[str, tuple[datetime.datetime | None, str]]:
        """Instances that the cloud finds broken: since when, if it says so, and what of them."""
        return {}

    def existing(self, cloud: CloudT, names: Collection[str]) -> set[str]:
        """Which of these instances have not ended for good, whatever cluster they are of."""
        return set(names)

    def user_data_in_use(self, cloud: CloudT) -> list[str] | None:
        """The user data of all instances of the cluster, and of those that may be started; None if nobody can say."""
        return None

    def user_data_of_templates(self, cloud: CloudT) -> list[str]:
        """The user data that instances get from now on; none where nobody can say. It is read as tasks read it."""
        return []

    def user_data_by_instance(self, cloud: CloudT) -> dict[str, str]:
        """Instance -> the user data that it was started with. Raises KopsError where the cloud is not asked for it."""
        raise KopsError(_NOT_REPLACED)

    def explain(self, error: Exception) -> str:
        """A sentence for an exception of the cloud's library."""

    def is_denied(self, error: Exception) -> bool:
        """Whether the exception says that the credentials lack a permission."""

    def is_conflict(self, error: Exception) -> bool:
        """Whether the exception says that what is to be made is there already."""
        return False
