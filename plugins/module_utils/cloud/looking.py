# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cloud shows of a cluster: the objects that are its own, the ways to it, and its instances."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..base.errors import KopsError
from .instances import SERVING, CloudInstance, InstancesOfGroup
from .reads import Reads

if TYPE_CHECKING:
    from ..engine.resource import Resource
    from ..engine.task import Task
    from .endpoints import Endpoint
    from .instances import Target
    from .origin import Origin

# What the node program prints, after whatever the console puts before it.
_OUR_LINE = re.compile(r"\bkubeops: .*")
_NOT_READ = "the user data of this cloud's instances is not read yet"

CloudT_contra = TypeVar("CloudT_contra", bound=Reads, contravariant=True)


@dataclass(frozen=True)
class Unknown:
    """An object that no specification has. kind, name: as plans call it. reason: why it counts as the cluster's."""

    kind: str
    name: str
    reason: str


class Looking(Protocol[CloudT_contra]):
    """What is seen of one cluster, that of the client. Nothing here changes anything in the cloud.

    One client is asked again and again while the cluster changes, by this process and by others. So what a function
    calls "now" is read anew each time, whatever the client remembers; the other functions may use its memory.
    """

    def discover(self, cloud: CloudT_contra) -> dict[str, Resource]:
        """Key -> every object of the cluster that exists now. Deletion asks it up to four times on one client.

        So the client forgets everything before the cloud reads: no cloud can answer from what was there before.
        """
        cloud.forget_all()
        return self.find_objects(cloud)

    def discover_rest(self, cloud: CloudT_contra, deleted: Mapping[str, Resource]) -> dict[str, Resource]:
        """What `discover` gives after a first deletion, to see that all is gone, and what has appeared meanwhile.

        deleted: what it has deleted. A cloud need not read again what is gone at once, and what only updates make.
        """
        return self.discover(cloud)

    def find_objects(self, cloud: CloudT_contra) -> dict[str, Resource]:
        """What `discover` gives, found by the objects' own marks (tags) and never by memory; shared ones are left out.

        Raises KopsError where the cloud has no deletion.
        """

    def in_the_way(self, cloud: CloudT_contra, found: Mapping[str, Resource]) -> list[str]:
        """A line for each object of others that keeps one of those found from being deleted."""
        return []

    def unknown(self, cloud: CloudT_contra, tasks: Collection[Task[Any]]) -> list[Unknown] | None:
        """Objects that exist and belong to the cluster, though it has no task for them; None if nobody can say.

        tasks: all of the cluster's, compared with what exists. What programs in the cluster make is left out.
        """
        return None

    def api_endpoints(self, cloud: CloudT_contra) -> list[Endpoint]:
        """Where the load balancer is through which users reach the API, the best one first; empty for none."""

    def api_targets(self, cloud: CloudT_contra) -> list[Target] | None:
        """The control planes behind the API's load balancer now; None if nobody knows."""
        return None

    def bastion_endpoints(self, cloud: CloudT_contra) -> list[Endpoint]:
        """Where the load balancer is through which SSH reaches the bastions, the best one first; empty for none."""
        return []

    def running(self, cloud: CloudT_contra) -> dict[str, list[str]]:
        """What keeps the number of instances -> its instances, as an update has read them."""
        return {}

    def groups(
        self, cloud: CloudT_contra, *, only_serving: bool = False, why: bool = False
    ) -> dict[str, InstancesOfGroup]:
        """Instance group -> its instances now, compared with new ones; also prepared and detached ones, none that end.

        only_serving: those in the service of their group are enough, and nobody asks whether they are outdated; a cloud
        then need not read what tells it. why: also in what older ones differ, which costs more calls.
        Raises KopsError where the cloud is not asked for instances.
        """

    def instances(self, cloud: CloudT_contra) -> dict[str, InstancesOfGroup]:
        """Of `groups`: the instances in the service of each group whose number the cloud keeps."""
        return {
            name: replace(group, machines=[each for each in group.machines if each.state == SERVING and each.counted])
            for name, group in self.groups(cloud, only_serving=True).items()
            if group.keeps_number
        }

    def machines(self, cloud: CloudT_contra, *, why: bool = False) -> dict[str, list[CloudInstance]]:
        """Of `groups`: instance group -> the instances that are really there. why: as there."""
        found = self.groups(cloud, why=why)
        return {name: [each for each in group.machines if each.power] for name, group in found.items()}

    def impaired(self, cloud: CloudT_contra) -> dict[str, tuple[datetime.datetime | None, str]]:
        """Instances that the cloud finds broken now: since when, if it says so, and what of them."""
        return {}

    def existing(self, cloud: CloudT_contra, names: Collection[str]) -> set[str]:
        """Which of these instances have not ended for good now, whatever cluster they are of."""
        return set(names)

    def last_line(self, cloud: CloudT_contra, instance: str) -> str:
        """What the node program last printed to the console of an instance; "" if that is not known."""
        lines = _OUR_LINE.findall(self.console(cloud, instance))
        return str(lines[-1]).strip() if lines else ""

    def console(self, cloud: CloudT_contra, instance: str) -> str:
        """The last that an instance has printed to its console; "" if that is not known."""
        return ""

    def described(self, cloud: CloudT_contra) -> Mapping[str, Callable[[], Any]]:
        """What the cloud says of the cluster, for a dump: name -> a function that reads it, as plain data."""
        return {}

    def user_data_in_use(self, cloud: CloudT_contra) -> list[str] | None:
        """The user data of all instances of the cluster now, and of those that may start; None if nobody can say."""
        return None

    def user_data_of_templates(self, cloud: CloudT_contra) -> list[str]:
        """The user data that instances get from now on; none where nobody can say. It is read as tasks read it."""
        return []

    def origins(self, cloud: CloudT_contra) -> list[Origin]:
        """State stores and authorities of the objects of this name, as they say it; none where nobody can say."""
        from .origin import origin_of

        return [origin_of(text) for text in self.user_data_of_templates(cloud)]

    def user_data_by_instance(self, cloud: CloudT_contra) -> dict[str, str]:
        """Instance -> the user data that it was started with. Raises KopsError where the cloud is not asked for it."""
        raise KopsError(_NOT_READ)
