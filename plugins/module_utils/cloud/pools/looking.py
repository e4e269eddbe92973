# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What clouds show whose servers are pools. Their code is imported when it is asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from typing import TYPE_CHECKING, Protocol, TypeVar

from ..looking import Looking
from ..reads import Reads

if TYPE_CHECKING:
    from ..endpoints import Endpoint
    from ..instances import InstancesOfGroup, Target
    from ..origin import Origin

CloudT_contra = TypeVar("CloudT_contra", bound=Reads, contravariant=True)


class Machines(Protocol[CloudT_contra]):
    """The module machines.py of a cloud: servers of the cluster. Instances are called by the names of their servers."""

    def servers_of_groups(self, cloud: CloudT_contra, *, compare: bool = True) -> dict[str, InstancesOfGroup]:
        """As Looking.groups. compare: with what the state store says of their groups, which is read, too."""

    def running_by_group(self, cloud: CloudT_contra) -> dict[str, list[str]]:
        """As Looking.running."""

    def existing(self, cloud: CloudT_contra, servers: Collection[str]) -> set[str]:
        """As Looking.existing."""

    def console_output(self, cloud: CloudT_contra, name: str) -> str:
        """As Looking.console."""

    def user_data_by_instance(self, cloud: CloudT_contra) -> dict[str, str]:
        """As Looking.user_data_by_instance."""

    def user_data_in_use(self, cloud: CloudT_contra) -> list[str] | None:
        """As Looking.user_data_in_use."""

    def user_data_of_templates(self, cloud: CloudT_contra) -> list[str]:
        """As Looking.user_data_of_templates."""

    def origins(self, cloud: CloudT_contra) -> list[Origin]:
        """As Looking.origins."""


class Ingress(Protocol[CloudT_contra]):
    """The module ingress.py of a cloud: load balancers of the API."""

    def api_endpoints(self, cloud: CloudT_contra) -> list[Endpoint]:
        """As Looking.api_endpoints."""

    def api_targets(self, cloud: CloudT_contra) -> list[Target] | None:
        """As Looking.api_targets."""


class PoolLooking(Looking[CloudT_contra]):
    """Parts of Looking. See there."""

    @abstractmethod
    def servers(self) -> Machines[CloudT_contra]:
        """The cloud's module machines.py."""

    @abstractmethod
    def ingress(self) -> Ingress[CloudT_contra]:
        """The cloud's module ingress.py."""

    def api_endpoints(self, cloud: CloudT_contra) -> list[Endpoint]:
        return self.ingress().api_endpoints(cloud)

    def api_targets(self, cloud: CloudT_contra) -> list[Target] | None:
        return self.ingress().api_targets(cloud)

    def running(self, cloud: CloudT_contra) -> dict[str, list[str]]:
        return self.servers().running_by_group(cloud)

    def groups(
        self, cloud: CloudT_contra, *, only_serving: bool = False, why: bool = False
    ) -> dict[str, InstancesOfGroup]:
        return self.servers().servers_of_groups(cloud, compare=not only_serving)

    def existing(self, cloud: CloudT_contra, names: Collection[str]) -> set[str]:
        return self.servers().existing(cloud, names)

    def console(self, cloud: CloudT_contra, instance: str) -> str:
        return self.servers().console_output(cloud, instance)

    def user_data_in_use(self, cloud: CloudT_contra) -> list[str] | None:
        return self.servers().user_data_in_use(cloud)

    def user_data_of_templates(self, cloud: CloudT_contra) -> list[str]:
        return self.servers().user_data_of_templates(cloud)

    def user_data_by_instance(self, cloud: CloudT_contra) -> dict[str, str]:
        return self.servers().user_data_by_instance(cloud)

    def origins(self, cloud: CloudT_contra) -> list[Origin]:
        return self.servers().origins(cloud)
