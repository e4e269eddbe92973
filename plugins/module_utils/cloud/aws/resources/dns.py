# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Discovery: the records of a cluster in Route 53. Zones are never the cluster's: they existed before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ....engine.resource import Resource
from ...dns_names import is_own
from ..cloud import AWSCloud

RECORD = "record in "


def dns(cloud: AWSCloud) -> Iterator[Resource]:
    """The cluster's own records in every zone that could hold them."""
    for zone in cloud.paged("route53", "list_hosted_zones", "HostedZones"):
        name = zone["Name"].rstrip(".")
        if not f".{cloud.cluster_name}".endswith(f".{name}"):
            continue
        records = cloud.paged("route53", "list_resource_record_sets", "ResourceRecordSets", HostedZoneId=zone["Id"])
        ours = {
            _identifier(zone, record): record
            for record in records
            if is_own(cloud.cluster_name, record["Name"], record["Type"])
        }
        for identifier, record in ours.items():
            delete_many = _removal(cloud, zone["Id"], ours)
            yield Resource(
                RECORD + zone["Id"],
                identifier,
                delete=_one(delete_many, identifier),
                name=f"{record['Type']} {record['Name'].rstrip('.')}",
                delete_many=delete_many,
            )


def _one(delete_many: Callable[[Sequence[str]], None], identifier: str) -> Callable[[], None]:
    return lambda: delete_many([identifier])


def _identifier(zone: dict[str, Any], record: dict[str, Any]) -> str:
    return f"{zone['Id'].rsplit('/', 1)[-1]}/{record['Type']}/{record['Name']}"


def _removal(cloud: AWSCloud, zone: str, records: dict[str, dict[str, Any]]) -> Callable[[Sequence[str]], None]:
    def delete(identifiers: Sequence[str]) -> None:
        present = cloud.paged("route53", "list_resource_record_sets", "ResourceRecordSets", HostedZoneId=zone)
        keys = {(record["Type"], record["Name"]) for record in present}
        changes = [
            {"Action": "DELETE", "ResourceRecordSet": records[identifier]}
            for identifier in identifiers
            if (records[identifier]["Type"], records[identifier]["Name"]) in keys
        ]
        if changes:
            batch = {"Changes": changes}
            cloud.client("route53").change_resource_record_sets(HostedZoneId=zone, ChangeBatch=batch)

    return delete
