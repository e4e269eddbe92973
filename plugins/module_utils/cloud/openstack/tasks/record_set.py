# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: a name of the cluster in Designate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....base.dns_placeholders import PLACEHOLDERS
from ....engine.targets.hcl import Literal, ignoring
from ....engine.task import Change, TryAgainLater
from .. import names
from ..cloud import Described, OpenStackCloud
from ..designate import records
from ..kinds import record_set
from ._openstack import MARK, OpenStackTask
from .floating_ip import FloatingIP
from .load_balancer import LoadBalancer

# Seconds for which it may be remembered: as kops' for placeholders, and as control planes' own.
_BRIEFLY, _FOR_A_MINUTE = 10, 60


@dataclass(eq=False, repr=False)
class RecordSet(OpenStackTask):
    """A record set. Its task name is the DNS name and the type.

    zone: id of the zone. title: the DNS name, without the last dot. type: A or AAAA.
    leads_to: whose address it says; text is what a record that exists says instead. None for one that control planes
    write: it holds the place, as whoever asks too early remembers for long that there is none, and it is left alone.
    """

    zone: str = ""
    title: str = ""
    type: str = ""
    leads_to: FloatingIP | LoadBalancer | str | None = None

    # Of whichever zone.
    of = record_set("")
    resource = "openstack_dns_recordset_v2"

    def find(self, cloud: OpenStackCloud) -> RecordSet | None:
        found = self._found(cloud)
        if found is None:
            return None
        return RecordSet(
            self.name, id=found["id"], zone=self.zone, title=self.title, type=self.type, leads_to=self._said(found)
        )

    def _found(self, cloud: OpenStackCloud) -> Described | None:
        wanted = f"{self.title}.".lower()
        return self.only(
            [
                each
                for each in cloud.once(records, self.zone)
                if (each["type"], str(each["name"]).lower()) == (self.type, wanted)
            ]
        )

    def _said(self, found: Described) -> FloatingIP | LoadBalancer | str | None:
        if self.leads_to is None:
            return None
        values = sorted(map(str, found["records"]))
        return self.leads_to if values == [self._address()] else ", ".join(values)

    def _address(self) -> str | None:
        return self.leads_to if self.leads_to is None or isinstance(self.leads_to, str) else self.leads_to.address

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        whose = names.mark(cloud.cluster_name)
        return {"name": f"{self.title}.", "type": self.type, "description": whose, **self._values()}

    def _values(self) -> dict[str, Any]:
        if self.leads_to is None:
            return {"ttl": _BRIEFLY, "records": [PLACEHOLDERS[self.type]]}
        address = self._address()
        if not address:
            raise TryAgainLater(f"record {self.title}: what it leads to has no address yet")
        return {"ttl": _FOR_A_MINUTE, "records": [address]}

    def create(self, cloud: OpenStackCloud) -> None:
        self.take(cloud.make(record_set(self.zone), self.request(cloud)))

    def update(self, cloud: OpenStackCloud, actual: RecordSet, changes: dict[str, Change]) -> None:
        cloud.change(record_set(self.zone), str(actual.id), self._values())

    @property
    def terraform_name(self) -> str:
        return f"{self.title}-{self.type}"

    def terraform_arguments(self) -> dict[str, Any]:
        # Control planes keep those that lead nowhere yet. Of what is imported, the provider does not know its default.
        kept = () if self.leads_to else ("records", "ttl")
        return {
            "description": MARK,
            "lifecycle": ignoring("description", "disable_status_check", *kept),
            "name": f"{self.title}.",
            "records": [self._terraform_address()],
            "ttl": _FOR_A_MINUTE if self.leads_to else _BRIEFLY,
            "type": self.type,
            "zone_id": self.zone,
        }

    def _terraform_address(self) -> Literal | str:
        if isinstance(self.leads_to, FloatingIP):
            return self.leads_to.terraform_link("address")
        if isinstance(self.leads_to, LoadBalancer):
            return self.leads_to.terraform_link("vip_address")
        return PLACEHOLDERS[self.type]

    def terraform_id(self, identifier: str) -> str:
        return f"{self.zone}/{identifier}"
