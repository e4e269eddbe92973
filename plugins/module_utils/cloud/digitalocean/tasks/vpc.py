# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DigitalOcean task: a VPC."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Any, ClassVar

from ....base.errors import KopsError
from ....engine.task import Change, internal
from .. import names
from ..cloud import Described, DigitalOceanCloud
from ..kinds import VPC as KIND
from ..ownership import can_take_over, described
from ._digitalocean import MARK, DigitalOceanTask, id_of


@dataclass(eq=False, repr=False)
class VPC(DigitalOceanTask):
    """A VPC. region: slug. marked: whether it names its cluster, which that of kops does not.

    given: it existed before the cluster, and its task name is its id.
    """

    region: str | None = None
    ip_range: str | None = None
    marked: bool | None = True
    given: bool = internal(False)

    of = KIND
    resource = "digitalocean_vpc"
    immutable: ClassVar[frozenset[str]] = frozenset({"region", "ip_range"})

    def find(self, cloud: DigitalOceanCloud) -> VPC | None:
        found = self._lent(cloud) if self.given else self.named(cloud)
        if found is None:
            return None
        is_marked = found.get("description") == names.mark(cloud.cluster_name)
        if not (self.given or is_marked or can_take_over(cloud, found)):
            raise self.not_own()
        return VPC(
            self.name,
            id=str(found["id"]),
            region=str(found["region"]),
            ip_range=str(found["ip_range"]),
            marked=is_marked or self.given,
        )

    def _lent(self, cloud: DigitalOceanCloud) -> Described:
        found = next((each for each in cloud.once(described, self.of) if each["id"] == self.name), None)
        if found is None:
            raise KopsError(f"spec.networking.networkID: the account has no VPC with the id {self.name}")
        if cloud.region and found["region"] != cloud.region:
            raise KopsError(
                f"spec.networking.networkID: the VPC {self.name} is in {found['region']}, and the cluster in"
                f" {cloud.region}"
            )
        return found

    def check(self, cloud: DigitalOceanCloud, actual: VPC | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        if actual is not None or not self.ip_range:
            return
        wanted = ipaddress.ip_network(self.ip_range)
        for each in cloud.once(described, self.of):
            if wanted.overlaps(ipaddress.ip_network(str(each["ip_range"]))):
                raise KopsError(
                    f"spec.networking.networkCIDR: {self.ip_range} overlaps {each['ip_range']}, which is that of the"
                    f" account's VPC {each['name']}; choose another"
                )

    def request(self, cloud: DigitalOceanCloud) -> dict[str, Any]:
        return {
            "name": self.name,
            "region": self.region,
            "ip_range": self.ip_range,
            "description": names.mark(cloud.cluster_name),
        }

    @property
    def identifier(self) -> str | None:
        return self.name if self.given else super().identifier

    @property
    def is_lent(self) -> bool:
        return self.given

    def terraform_arguments(self) -> dict[str, Any]:
        return {"name": self.name, "region": self.region, "ip_range": self.ip_range, "description": MARK}

    def update(self, cloud: DigitalOceanCloud, actual: VPC, changes: dict[str, Change]) -> None:
        cloud.change(self.of, id_of(actual), {"description": names.mark(cloud.cluster_name)}, "PATCH")
