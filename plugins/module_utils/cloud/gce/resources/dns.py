# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Discovery: the records of a cluster in Cloud DNS. Zones are never the cluster's: they existed before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ....engine.resource import Resource
from ...dns_names import is_own
from ...errors import AccessDenied, Missing
from ..cloud import DNS, GCECloud

RECORD = "record in "


def dns(cloud: GCECloud) -> Iterator[Resource]:
    """The cluster's own records in every zone of the project that could hold them."""
    for zone in _zones(cloud):
        if not f".{cloud.cluster_name}.".endswith(f".{zone['dnsName']}"):
            continue
        records = [
            each for each in _records(cloud, zone["name"]) if is_own(cloud.cluster_name, each["name"], each["type"])
        ]
        ours = {f"{each['type']}/{each['name']}": each for each in records}
        for identifier, record in ours.items():
            delete_many = _removal(cloud, zone["name"], ours)
            yield Resource(
                RECORD + zone["name"],
                identifier,
                delete=_one(delete_many, identifier),
                name=f"{record['type']} {record['name'].rstrip('.')}",
                delete_many=delete_many,
            )


def _zones(cloud: GCECloud) -> list[dict[str, Any]]:
    """None where Cloud DNS is not switched on, or not to be seen: clusters without DNS need no rights to it."""
    try:
        pages = list(cloud.pages(DNS, f"{cloud.project}/managedZones"))
    except AccessDenied:
        return []
    return [each for page in pages for each in page.get("managedZones", ())]


def _records(cloud: GCECloud, zone: str) -> list[dict[str, Any]]:
    pages = cloud.pages(DNS, f"{cloud.project}/managedZones/{zone}/rrsets")
    return [each for page in pages for each in page.get("rrsets", ())]


def _one(delete_many: Callable[[Sequence[str]], None], identifier: str) -> Callable[[], None]:
    return lambda: delete_many([identifier])


def _removal(cloud: GCECloud, zone: str, ours: dict[str, dict[str, Any]]) -> Callable[[Sequence[str]], None]:
    def delete(identifiers: Sequence[str]) -> None:
        # As they are now: Google deletes what is named with all its values only.
        now = {f"{each['type']}/{each['name']}": each for each in _records(cloud, zone)}
        gone = [now[identifier] for identifier in identifiers if identifier in now and identifier in ours]
        if not gone:
            return
        try:
            cloud.write("POST", DNS, f"{cloud.project}/managedZones/{zone}/changes", {"deletions": gone})
        except Missing:
            return

    return delete
