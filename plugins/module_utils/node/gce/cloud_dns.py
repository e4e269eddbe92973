# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Record sets of a managed zone of Cloud DNS, as the service account of control planes may read and write them.

A change of Cloud DNS says what is there before it, word for word; so a change that somebody else was faster than is
refused as a whole, and is tried again with what is there then.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from typing import Any
from urllib.parse import quote

from ...base.errors import KopsError
from ..cloud.records import RecordSet
from .api import DNS, Google

_PRIVATE, _PUBLIC = "private", "public"
# Of a record set, what a change that deletes it repeats.
_SAID = ("name", "type", "ttl", "rrdatas", "routingPolicy")


class ManagedZone:
    """A zone by its DNS name, or by its own name or id. private: which of two zones with this DNS name it is."""

    def __init__(self, google: Google, zone: str, *, private: bool) -> None:
        self.google, self.zone, self.private = google, zone, private
        self._id = "" if "." in zone else zone.rpartition("/")[2]

    def find(self, name: str, record_type: str) -> RecordSet | None:
        """See CloudRecords. Raises ServiceError, KopsError."""
        found = self._described(name, record_type)
        if found is None:
            return None
        return RecordSet(name, record_type, tuple(sorted(map(_address, found.get("rrdatas") or ()))))

    def write(self, records: Collection[RecordSet], seconds: int) -> None:
        """See CloudRecords. Raises ServiceError, KopsError."""
        additions, deletions = [], []
        for record in records:
            wanted = {"name": f"{record.name}.", "type": record.type, "ttl": seconds, "rrdatas": list(record.values)}
            before = self._described(record.name, record.type)
            if before is not None:
                kept = {key: before[key] for key in _SAID if key in before}
                if kept == wanted:
                    continue
                deletions.append(kept)
            additions.append(wanted)
        if additions:
            change = {"additions": additions, **({"deletions": deletions} if deletions else {})}
            self.google.post(DNS, f"managedZones/{self._known_id()}/changes", change)

    def _described(self, name: str, record_type: str) -> dict[str, Any] | None:
        asked = {"name": f"{name}.", "type": record_type}
        for page in self.google.pages(DNS, f"managedZones/{self._known_id()}/rrsets", asked):
            for each in page.get("rrsets") or ():
                if (_plain(each.get("name", "")), each.get("type")) == (_plain(name), record_type):
                    return dict(each)
        return None

    def _known_id(self) -> str:
        """Raises KopsError if no zone, or more than one, has the name."""
        if not self._id:
            pages = self.google.pages(DNS, "managedZones", {"dnsName": f"{_plain(self.zone)}."})
            listed = [each for page in pages for each in page.get("managedZones") or ()]
            found = [each for each in listed if _plain(each.get("dnsName", "")) == _plain(self.zone)]
            kind = _PRIVATE if self.private else _PUBLIC
            # Unlike names of Route 53, one zone that has the name is meant, whatever it is.
            chosen = found if len(found) == 1 else [each for each in found if each.get("visibility", _PUBLIC) == kind]
            names = sorted(str(each["name"]) for each in chosen or found)
            if not found:
                raise KopsError(f"Cloud DNS has no managed zone {self.zone} in project {self.google.project}")
            if len(chosen) != 1:
                raise KopsError(
                    f"Cloud DNS has several managed zones {self.zone} ({', '.join(names)}), of which "
                    f"{len(chosen)} are {kind}: name one by its own name in spec.dnsZone"
                )
            self._id = names[0]
        return quote(self._id, safe="")


def _address(text: str) -> str:
    """An address as it is written most often; IPv6 has several ways."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return text


def _plain(name: str) -> str:
    return name.rstrip(".").lower()
