# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of a domain of DigitalOcean, which has a record for each value of a name."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ..cloud.records import RecordSet
from .api import DigitalOcean

# The API takes no less.
_LEAST_SECONDS = 30


class Domain:
    """A domain by its name."""

    def __init__(self, api: DigitalOcean, zone: str) -> None:
        self.api, self.zone = api, zone.rstrip(".")

    def find(self, name: str, record_type: str) -> RecordSet | None:
        """See CloudRecords."""
        values = tuple(sorted(str(each["data"]) for each in self._described(name, record_type)))
        return RecordSet(name, record_type, values) if values else None

    def write(self, records: Collection[RecordSet], seconds: int) -> None:
        """See CloudRecords: a record at a time, and first those that are new, so that a name always has an address."""
        ttl = max(seconds, _LEAST_SECONDS)
        for record in records:
            before: dict[str, dict[str, Any]] = {}
            too_much = []
            for each in self._described(record.name, record.type):
                if str(each["data"]) in record.values and str(each["data"]) not in before:
                    before[str(each["data"])] = each
                else:
                    too_much.append(each)
            for value in record.values:
                wanted = {"type": record.type, "name": self._relative(record.name), "data": value, "ttl": ttl}
                if value not in before:
                    self.api.post(self._path(), wanted)
                elif before[value].get("ttl") != ttl:
                    self.api.put(f"{self._path()}/{before[value]['id']}", wanted)
            for each in too_much:
                self.api.delete(f"{self._path()}/{each['id']}")

    def _described(self, name: str, record_type: str) -> Iterator[dict[str, Any]]:
        # The filter takes whole names, and answers with relative ones.
        found = self.api.listed(self._path()[1:], name=name, type=record_type)
        return (each for each in found if (each["name"], each["type"]) == (self._relative(name), record_type))

    def _relative(self, name: str) -> str:
        return "@" if name == self.zone else name.removesuffix(f".{self.zone}")

    def _path(self) -> str:
        return f"/domains/{self.zone}/records"
