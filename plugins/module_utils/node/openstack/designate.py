# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Record sets of a zone of Designate, as the credential of control planes may read and write them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import quote, urlencode

from ...base.errors import KopsError
from ..cloud.records import RecordSet
from .api import DESIGNATE, OpenStack


class Zone:
    """A zone by its DNS name, or by its id."""

    def __init__(self, openstack: OpenStack, zone: str) -> None:
        self.openstack, self.zone = openstack, zone
        self._id = "" if "." in zone else zone

    def find(self, name: str, record_type: str) -> RecordSet | None:
        """See CloudRecords. Raises ServiceError, KopsError."""
        found = self._described(name, record_type)
        return None if found is None else RecordSet(name, record_type, tuple(sorted(map(str, found["records"]))))

    def write(self, records: Collection[RecordSet], seconds: int) -> None:
        """See CloudRecords: Designate takes one record set at a time. Raises ServiceError, KopsError."""
        for record in records:
            wanted = {"ttl": seconds, "records": list(record.values)}
            before = self._described(record.name, record.type)
            if before is None:
                named = {"name": f"{record.name}.", "type": record.type}
                self.openstack.post(DESIGNATE, self._record_sets(), {**named, **wanted})
            elif (before["ttl"], sorted(before["records"])) != (seconds, sorted(record.values)):
                self.openstack.put(DESIGNATE, f"{self._record_sets()}/{before['id']}", wanted)

    def _described(self, name: str, record_type: str) -> dict[str, Any] | None:
        asked = urlencode({"name": f"{name}.", "type": record_type})
        for each in self.openstack.get(DESIGNATE, f"{self._record_sets()}?{asked}").get("recordsets") or ():
            if (_plain(each["name"]), each["type"]) == (_plain(name), record_type):
                return dict(each)
        return None

    def _record_sets(self) -> str:
        """Raises KopsError if no zone has the name."""
        if not self._id:
            listed = self.openstack.get(DESIGNATE, f"/zones?{urlencode({'name': f'{_plain(self.zone)}.'})}")
            found = [each for each in listed.get("zones") or () if _plain(each["name"]) == _plain(self.zone)]
            if not found:
                raise KopsError(f"Designate has no zone {self.zone} in the project of the cluster")
            self._id = str(found[0]["id"])
        return f"/zones/{quote(self._id, safe='')}/recordsets"


def _plain(name: str) -> str:
    return str(name).rstrip(".").lower()
