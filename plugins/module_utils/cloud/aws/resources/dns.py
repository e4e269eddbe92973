# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Discovery: the records of a cluster in Route 53. Zones are never the cluster's: they existed before it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ....engine.resource import Resource
from ..cloud import AWSCloud

# The names below the cluster's that kops and its dns-controller write (and external-dns' ownership records).
NAMES = ("api", "api.internal", "bastion", "kops-controller.internal")
# The names of etcd's members, of this collection and of older versions of kops. They have one label only before that:
# etcd-a.internal.demo is a name of the cluster demo, and not of the domain above it, which may be a cluster as well.
_OF_ETCD = re.compile(r"[^.]+\.etcd\.internal|etcd-[^.]+\.internal")
TYPES = ("A", "AAAA", "TXT")
RECORD = "record in "


def dns(cloud: AWSCloud) -> Iterator[Resource]:
    """The cluster's own records in every zone that could hold them."""
    for zone in cloud.paged("route53", "list_hosted_zones", "HostedZones"):
        name = zone["Name"].rstrip(".")
        if not f".{cloud.cluster_name}".endswith(f".{name}"):
            continue
        records = cloud.paged("route53", "list_resource_record_sets", "ResourceRecordSets", HostedZoneId=zone["Id"])
        ours = {_identifier(zone, record): record for record in records if _is_ours(cloud, record)}
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


def _is_ours(cloud: AWSCloud, record: dict[str, Any]) -> bool:
    name, suffix = record["Name"].rstrip("."), f".{cloud.cluster_name}"
    if record["Type"] not in TYPES or not name.endswith(suffix):
        return False
    prefix = name[: -len(suffix)]
    if record["Type"] == "TXT" and prefix.startswith("aaaa-"):
        prefix = prefix[len("aaaa-") :]
    return prefix in NAMES or _OF_ETCD.fullmatch(prefix) is not None


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
