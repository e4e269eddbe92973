# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DigitalOcean task: a name of the cluster in a domain of the account."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....base.dns_placeholders import PLACEHOLDERS
from ....base.errors import KopsError
from ....engine.targets.hcl import Literal, ignoring
from ....engine.targets.imports import Import
from ....engine.task import Change, TryAgainLater, computed, internal
from ...dns_names import is_own
from .. import names
from ..cloud import Described, DigitalOceanCloud
from ..domains import TEXT, marks_in, records, within
from ..kinds import DOMAIN, records_of
from ..ownership import described
from ._digitalocean import MARK, DigitalOceanTask
from .load_balancer import LoadBalancer

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget

# Seconds for which it may be remembered: as kops' for placeholders, and as control planes' own.
_FOR_A_MINUTE = 60


@dataclass(eq=False, repr=False)
class Record(DigitalOceanTask):
    """A record, or several of one name and type. Its task name is the name in DNS and the type.

    domain: its name. title: the name in DNS, without the last dot. type: A or AAAA.
    leads_to: whose address it says; text is what records that exist say instead. None for one that control planes
    write: it holds the place, as whoever asks too early remembers for long that there is none, and it is left alone.
    marked: whether a text beside it has to say whose it is, as its name does not. mark: the id of that text.
    """

    domain: str = ""
    title: str = ""
    type: str = ""
    leads_to: LoadBalancer | str | None = None
    marked: bool = internal(False)
    mark: str | None = computed()

    # Of whichever domain.
    of = records_of("")
    resource = "digitalocean_record"

    def find(self, cloud: DigitalOceanCloud) -> Record | None:
        found = self._found(cloud)
        if not found:
            return None
        marks = self._marks(cloud)
        if not (self._has_own_name(cloud) or marks):
            raise KopsError(
                f"record {self.name}: there is one in the domain {self.domain} already, and nothing says that it is the"
                " cluster's; it stays as it is. Delete it, or give the API another name (spec.api.publicName)"
            )
        identifier = str(found[0]["id"])
        return Record(
            self.name,
            id=identifier,
            domain=self.domain,
            title=self.title,
            type=self.type,
            leads_to=self._said(found),
            mark=str(marks[0]["id"]) if marks else None,
        )

    def _found(self, cloud: DigitalOceanCloud) -> list[Described]:
        wanted = within(self.title, self.domain)
        return [
            each
            for each in cloud.once(records, self.domain)
            if (each["type"], str(each["name"]).lower()) == (self.type, wanted)
        ]

    def _has_own_name(self, cloud: DigitalOceanCloud) -> bool:
        return is_own(cloud.cluster_name, self.title, self.type)

    def _marks(self, cloud: DigitalOceanCloud) -> list[Described]:
        wanted = within(self.title, self.domain)
        return [each for each in marks_in(cloud, cloud.once(records, self.domain)) if each["name"] == wanted]

    def _said(self, found: list[Described]) -> LoadBalancer | str | None:
        if self.leads_to is None:
            return None
        values = sorted(str(each["data"]) for each in found)
        return self.leads_to if values == [self._address()] else ", ".join(values)

    def _address(self) -> str | None:
        return self.leads_to.address if isinstance(self.leads_to, LoadBalancer) else self.leads_to

    def _needed_address(self) -> str:
        if self.leads_to is None:
            return PLACEHOLDERS[self.type]
        address = self._address()
        if not address:
            raise TryAgainLater(f"record {self.title}: what it leads to has no address yet")
        return address

    def check(self, cloud: DigitalOceanCloud, actual: Record | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        known = sorted(str(each["name"]) for each in cloud.once(described, DOMAIN))
        if actual is None and self.domain not in known:
            raise KopsError(
                f"record {self.name}: the account has no domain {self.domain}, only {', '.join(known) or 'none'}"
            )

    def request(self, cloud: DigitalOceanCloud) -> dict[str, Any]:
        return self._record(self.type, self._needed_address())

    def _record(self, of_type: str, data: str) -> dict[str, Any]:
        return {"type": of_type, "name": within(self.title, self.domain), "data": data, "ttl": _FOR_A_MINUTE}

    def create(self, cloud: DigitalOceanCloud) -> None:
        kind, wanted = records_of(self.domain), self.request(cloud)
        if not (self._has_own_name(cloud) or self._marks(cloud)):
            # First: without it, nobody knows whose the other is.
            cloud.make(kind, self._record(TEXT, names.mark(cloud.cluster_name)))
            cloud.forget(records, self.domain)
        if self.id is None:
            self.take(cloud.make(kind, wanted))

    def update(self, cloud: DigitalOceanCloud, actual: Record, changes: dict[str, Change]) -> None:
        """One record stays, and says what is wanted; those that say something else are deleted."""
        kind, address = records_of(self.domain), self._needed_address()
        cloud.forget(records, self.domain)
        found = sorted(self._found(cloud), key=lambda each: (each["data"] != address, each["id"]))
        for first in found[:1]:
            if first["data"] != address:
                cloud.change(kind, str(first["id"]), self.request(cloud))
        for other in found[1:]:
            cloud.delete(kind, str(other["id"]))

    # -- target terraform ---------------------------------------------------------------------------------------

    @property
    def terraform_name(self) -> str:
        return f"{self.title}-{self.type}"

    def terraform_arguments(self) -> dict[str, Any]:
        return {
            **self._terraform_record(self.type, self._terraform_address()),
            # Control planes keep those that lead nowhere yet.
            "lifecycle": None if self.leads_to else ignoring("ttl", "value"),
        }

    def terraform(self, target: TerraformTarget) -> None:
        super().terraform(target)
        if self.marked:
            target.resource(self.resource, self._terraform_mark, self._terraform_record(TEXT, MARK))

    def terraform_imports(self) -> Iterator[Import]:
        yield from super().terraform_imports()
        if self.marked and self.mark:
            yield Import(self.resource, self._terraform_mark, self.terraform_id(self.mark))

    def terraform_id(self, identifier: str) -> str:
        return f"{self.domain},{identifier}"

    @property
    def _terraform_mark(self) -> str:
        return f"{self.title}-{TEXT}"

    def _terraform_record(self, of_type: str, value: Literal | str) -> dict[str, Any]:
        name = within(self.title, self.domain)
        return {"domain": self.domain, "name": name, "ttl": _FOR_A_MINUTE, "type": of_type, "value": value}

    def _terraform_address(self) -> Literal | str:
        if isinstance(self.leads_to, LoadBalancer):
            return self.leads_to.terraform_link("ip")
        return self.leads_to or PLACEHOLDERS[self.type]
