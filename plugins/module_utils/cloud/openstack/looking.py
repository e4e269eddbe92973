# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What OpenStack shows of a cluster. What it takes to read it is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from ..looking import Looking
from .cloud import OpenStackCloud

if TYPE_CHECKING:
    from ...engine.resource import Resource
    from ...engine.task import Task
    from ..endpoints import Endpoint
    from ..instances import InstancesOfGroup, Target
    from ..looking import Unknown
    from ..origin import Origin


class OpenStackLooking(Looking[OpenStackCloud]):
    """The cluster's own objects are known by their tags, metadata and names (resources/owned.py)."""

    def find_objects(self, cloud: OpenStackCloud) -> dict[str, Resource]:
        from .resources.discovery import discover

        return discover(cloud)

    def in_the_way(self, cloud: OpenStackCloud, found: Mapping[str, Resource]) -> list[str]:
        from .resources.in_the_way import in_the_way

        return in_the_way(cloud, found)

    def unknown(self, cloud: OpenStackCloud, tasks: Collection[Task[Any]]) -> list[Unknown]:
        from .unknown import unknown

        return unknown(cloud, tasks)

    def api_endpoints(self, cloud: OpenStackCloud) -> list[Endpoint]:
        from .ingress import api_endpoints

        return api_endpoints(cloud)

    def api_targets(self, cloud: OpenStackCloud) -> list[Target] | None:
        from .ingress import api_targets

        return api_targets(cloud)

    def running(self, cloud: OpenStackCloud) -> dict[str, list[str]]:
        from .machines import running_by_group

        return running_by_group(cloud)

    def groups(
        self, cloud: OpenStackCloud, *, only_serving: bool = False, why: bool = False
    ) -> dict[str, InstancesOfGroup]:
        from .machines import servers_of_groups

        return servers_of_groups(cloud, compare=not only_serving)

    def existing(self, cloud: OpenStackCloud, names: Collection[str]) -> set[str]:
        from .machines import existing

        return existing(cloud, names)

    def console(self, cloud: OpenStackCloud, instance: str) -> str:
        from .machines import console_output

        return console_output(cloud, instance)

    def described(self, cloud: OpenStackCloud) -> Mapping[str, Callable[[], Any]]:
        from .described import described

        return described(cloud)

    def user_data_in_use(self, cloud: OpenStackCloud) -> list[str] | None:
        from .machines import user_data_in_use

        return user_data_in_use(cloud)

    def user_data_of_templates(self, cloud: OpenStackCloud) -> list[str]:
        from .machines import user_data_of_templates

        return user_data_of_templates(cloud)

    def user_data_by_instance(self, cloud: OpenStackCloud) -> dict[str, str]:
        from .machines import user_data_by_instance

        return user_data_by_instance(cloud)

    def origins(self, cloud: OpenStackCloud) -> list[Origin]:
        from .machines import origins

        return origins(cloud)
