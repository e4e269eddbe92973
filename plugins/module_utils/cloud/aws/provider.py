# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS for the operations."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..provider import Provider, Unknown
from .cloud import AWSCloud
from .errors import explain, is_conflict, is_denied

if TYPE_CHECKING:
    from ...api.cluster import Cluster
    from ...api.facts import CloudFacts
    from ...api.instance_group import InstanceGroup
    from ...engine.resource import Resource
    from ...engine.task import Task
    from ..instances import InstancesOfGroup, Machine, Target
    from ..type_selection import OfferedType, Requirements


class AWSProvider(Provider[AWSCloud]):
    """AWS: a region is all that a client needs."""

    def project(self, cluster: Cluster) -> str:
        return ""

    def open(self, region: str, cluster_name: str, project: str = "") -> AWSCloud:
        return AWSCloud(region, cluster_name)

    def facts(self, cloud: AWSCloud, ahead_for: Sequence[InstanceGroup] | None = None) -> CloudFacts:
        from .facts import AWSFacts

        facts = AWSFacts(cloud)
        if ahead_for is not None:
            types = [group.spec.machine_type or "" for group in ahead_for]
            for group in ahead_for:
                policy = group.spec.mixed_instances_policy
                types += policy.instances if policy else []
            facts.read_ahead(types, [group.spec.image or "" for group in ahead_for])
        return facts

    def account(self, cloud: AWSCloud) -> tuple[str, str]:
        return cloud.account_id, cloud.partition

    def discover(self, cloud: AWSCloud) -> dict[str, Resource]:
        from .resources.discovery import discover

        return discover(cloud)

    def in_the_way(self, cloud: AWSCloud, found: Mapping[str, Resource]) -> list[str]:
        from .resources.in_the_way import in_the_way

        return in_the_way(cloud, found)

    def unknown(self, cloud: AWSCloud, tasks: Collection[Task[Any]]) -> list[Unknown]:
        from .unknown import unknown

        return unknown(cloud, tasks)

    def api_hosts(self, cloud: AWSCloud) -> list[str]:
        from .ingress import api_hostnames

        return api_hostnames(cloud)

    def api_targets(self, cloud: AWSCloud) -> list[Target] | None:
        from .ingress import api_targets

        return api_targets(cloud)

    def bastion_hosts(self, cloud: AWSCloud) -> list[str]:
        from .ingress import bastion_hostnames

        return bastion_hostnames(cloud)

    def instances(self, cloud: AWSCloud) -> dict[str, InstancesOfGroup]:
        from .instances import instances_by_group

        return instances_by_group(cloud)

    def running(self, cloud: AWSCloud) -> dict[str, list[str]]:
        from .instances import running_by_group

        return running_by_group(cloud)

    def machines(self, cloud: AWSCloud, *, why: bool = False) -> dict[str, list[Machine]]:
        from .machines import machines_by_group

        return machines_by_group(cloud, why=why)

    def machine_types(self, cloud: AWSCloud, wanted: Requirements, names: Sequence[str] = ()) -> list[OfferedType]:
        from .machine_types import read_types

        return read_types(cloud, wanted, names)

    def zones_of_types(self, cloud: AWSCloud, names: Sequence[str]) -> dict[str, set[str]]:
        from .facts import zones_of_types

        return zones_of_types(cloud, names)

    def last_line(self, cloud: AWSCloud, instance: str) -> str:
        from .instances import last_line

        return last_line(cloud, instance)

    def console(self, cloud: AWSCloud, instance: str) -> str:
        from .instances import console_output

        return console_output(cloud, instance)

    def described(self, cloud: AWSCloud) -> Mapping[str, Callable[[], Any]]:
        from .described import described

        return described(cloud)

    def detach(self, cloud: AWSCloud, machine: Machine) -> None:
        from .replacing import detach

        detach(cloud, machine)

    def deregister(self, cloud: AWSCloud, machine: Machine, seconds: float) -> None:
        from .replacing import deregister

        deregister(cloud, machine, seconds)

    def terminate(self, cloud: AWSCloud, machine: Machine) -> None:
        from .replacing import terminate

        terminate(cloud, machine)

    def replenish(self, cloud: AWSCloud, group: str) -> None:
        """Autoscaling groups keep their numbers by themselves."""

    def remove(self, cloud: AWSCloud, machine: Machine, wanted: int, fixed: bool) -> None:
        from .replacing import remove

        remove(cloud, machine, wanted, fixed)

    def impaired(self, cloud: AWSCloud) -> dict[str, tuple[datetime.datetime | None, str]]:
        from .states import impaired

        return impaired(cloud)

    def existing(self, cloud: AWSCloud, names: Collection[str]) -> set[str]:
        from .states import existing

        return existing(cloud, names)

    def user_data_in_use(self, cloud: AWSCloud) -> list[str]:
        from .user_data import user_data_in_use

        return user_data_in_use(cloud)

    def user_data_of_templates(self, cloud: AWSCloud) -> list[str]:
        from .user_data import user_data_of_templates

        return user_data_of_templates(cloud)

    def user_data_by_instance(self, cloud: AWSCloud) -> dict[str, str]:
        from .user_data import user_data_by_instance

        return user_data_by_instance(cloud)

    def explain(self, error: Exception) -> str:
        return str(explain(error))

    def is_denied(self, error: Exception) -> bool:
        return is_denied(error)

    def is_conflict(self, error: Exception) -> bool:
        return is_conflict(error)
