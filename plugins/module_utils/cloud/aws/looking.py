# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What AWS shows of a cluster. What it takes to read it is imported when it is asked for."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from ..looking import Looking, Unknown
from .cloud import AWSCloud

if TYPE_CHECKING:
    from ...engine.resource import Resource
    from ...engine.task import Task
    from ..endpoints import Endpoint
    from ..instances import InstancesOfGroup, Target


class AWSLooking(Looking[AWSCloud]):
    """The cluster's own objects are known by their tags (ownership.py)."""

    def find_objects(self, cloud: AWSCloud) -> dict[str, Resource]:
        from .resources.discovery import discover

        return discover(cloud)

    def in_the_way(self, cloud: AWSCloud, found: Mapping[str, Resource]) -> list[str]:
        from .resources.in_the_way import in_the_way

        return in_the_way(cloud, found)

    def unknown(self, cloud: AWSCloud, tasks: Collection[Task[Any]]) -> list[Unknown]:
        from .unknown import unknown

        return unknown(cloud, tasks)

    def api_endpoints(self, cloud: AWSCloud) -> list[Endpoint]:
        from .ingress import api_endpoints

        return api_endpoints(cloud)

    def api_targets(self, cloud: AWSCloud) -> list[Target] | None:
        from .ingress import api_targets

        return api_targets(cloud)

    def bastion_endpoints(self, cloud: AWSCloud) -> list[Endpoint]:
        from .ingress import bastion_endpoints

        return bastion_endpoints(cloud)

    def groups(self, cloud: AWSCloud, *, only_serving: bool = False, why: bool = False) -> dict[str, InstancesOfGroup]:
        from .machines import instances_of_groups

        return instances_of_groups(cloud, only_serving=only_serving, why=why)

    def running(self, cloud: AWSCloud) -> dict[str, list[str]]:
        from .instances import running_by_group

        return running_by_group(cloud)

    def impaired(self, cloud: AWSCloud) -> dict[str, tuple[datetime.datetime | None, str]]:
        from .states import impaired

        return impaired(cloud)

    def existing(self, cloud: AWSCloud, names: Collection[str]) -> set[str]:
        from .states import existing

        return existing(cloud, names)

    def console(self, cloud: AWSCloud, instance: str) -> str:
        from .instances import console_output

        return console_output(cloud, instance)

    def described(self, cloud: AWSCloud) -> Mapping[str, Callable[[], Any]]:
        from .described import described

        return described(cloud)

    def user_data_in_use(self, cloud: AWSCloud) -> list[str]:
        from .user_data import user_data_in_use

        return user_data_in_use(cloud)

    def user_data_of_templates(self, cloud: AWSCloud) -> list[str]:
        from .user_data import user_data_of_templates

        return user_data_of_templates(cloud)

    def user_data_by_instance(self, cloud: AWSCloud) -> dict[str, str]:
        from .user_data import user_data_by_instance

        return user_data_by_instance(cloud)
