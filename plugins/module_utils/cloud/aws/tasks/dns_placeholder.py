# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A DNS record that holds the place of one that the cluster itself will write.

Who asks for a name before it is there is told that there is none, and remembers that for long.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..cloud import AWSCloud
from ._task import AWSTask
from .dns_name import find_record
from .dns_zone import DNSZone

if TYPE_CHECKING:
    from ....engine.targets.cloudformation import CloudFormationTarget
    from ....engine.targets.terraform import TerraformTarget

# Seconds that a placeholder may be remembered for.
TTL = 10


@dataclass(eq=False, repr=False)
class DNSPlaceholder(AWSTask):
    """One record set of a zone, made where none of its name and type is; whatever one says, it stays.

    resource_name: the DNS name. resource_type: A, AAAA or TXT. value: as Route 53 writes it.
    """

    zone: DNSZone | None = None
    resource_name: str | None = None
    resource_type: str | None = None
    value: str | None = None

    @property
    def _zone(self) -> DNSZone:
        return self.needed(self.zone, "names no zone")

    def find(self, cloud: AWSCloud) -> DNSPlaceholder | None:
        zone_id = self._zone.zone_id
        if zone_id is None or find_record(cloud, zone_id, self.resource_name, self.resource_type) is None:
            return None
        return dataclasses.replace(self)

    def batch_key(self) -> str:
        return f"{self.kind} in {self._zone.name}"

    def create(self, cloud: AWSCloud) -> None:
        self.create_many(cloud, [self])

    @classmethod
    def create_many(cls, cloud: AWSCloud, tasks: Sequence[DNSPlaceholder]) -> None:
        changes = [
            {
                "Action": "CREATE",
                "ResourceRecordSet": {
                    "Name": task.resource_name,
                    "Type": task.resource_type,
                    "TTL": TTL,
                    "ResourceRecords": [{"Value": task.value}],
                },
            }
            for task in tasks
        ]
        zone = tasks[0].zone
        cloud.client("route53").change_resource_record_sets(
            HostedZoneId=zone.zone_id if zone else None, ChangeBatch={"Changes": changes}
        )

    def cloudformation(self, target: CloudFormationTarget) -> None:
        """Nothing: CloudFormation would refuse to delete a record that the cluster has written since."""

    def terraform(self, target: TerraformTarget) -> None:
        """Nothing: Terraform would turn the record that the cluster has written back into this one."""
