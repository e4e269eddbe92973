# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS for the operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...api.clouds import region_of
from ...iam.account import Account
from ..place import Place
from ..provider import Provider
from .cloud import AWSCloud
from .errors import explain, is_conflict, is_denied

if TYPE_CHECKING:
    from ...api.cluster import Cluster
    from ...api.facts import CloudFacts
    from ...api.instance_group import InstanceGroup
    from ..type_selection import OfferedType, Requirements
    from .looking import AWSLooking
    from .replacing import AWSReplacing
    from .stacks.stacks import AWSStacks


class AWSProvider(Provider[AWSCloud]):
    """AWS: a region is all that a client needs."""

    @property
    def looking(self) -> AWSLooking:
        from .looking import AWSLooking

        return AWSLooking()

    @property
    def replacing(self) -> AWSReplacing:
        from .replacing import AWSReplacing

        return AWSReplacing()

    @property
    def stacks(self) -> AWSStacks:
        from .stacks.stacks import AWSStacks

        return AWSStacks()

    def place(self, cluster: Cluster) -> Place:
        return Place(region_of(cluster))

    def open(self, place: Place, cluster_name: str) -> AWSCloud:
        return AWSCloud(place.region, cluster_name)

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

    def account(self, cloud: AWSCloud) -> Account:
        return Account(cloud.account_id, cloud.partition)

    def machine_types(self, cloud: AWSCloud, wanted: Requirements, names: Sequence[str] = ()) -> list[OfferedType]:
        from .machine_types import read_types

        return read_types(cloud, wanted, names)

    def zones_of_types(self, cloud: AWSCloud, names: Sequence[str]) -> dict[str, set[str]]:
        from .facts import zones_of_types

        return zones_of_types(cloud, names)

    def explain(self, error: Exception) -> str:
        return str(explain(error))

    def is_denied(self, error: Exception) -> bool:
        return is_denied(error)

    def is_conflict(self, error: Exception) -> bool:
        return is_conflict(error)
