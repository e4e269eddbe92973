# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner task: a private network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ....base.errors import KopsError
from ....engine.task import internal
from ..cloud import Described, HetznerCloud, described
from ..kinds import NETWORK
from ._hetzner import HetznerTask


@dataclass(eq=False, repr=False)
class Network(HetznerTask):
    """A network. ip_range: all its subnets are in it.

    given: it existed before the cluster, and its task name is its id or its name. Nothing of it is changed.
    """

    ip_range: str | None = None
    given: bool = internal(False)

    of = NETWORK
    resource = "hcloud_network"
    # What it is lent may be given by its name.
    found_before_rendering: ClassVar[bool] = True
    immutable: ClassVar[frozenset[str]] = frozenset({"ip_range"})

    def find(self, cloud: HetznerCloud) -> Network | None:
        found = self._given(cloud) if self.given else self.described(cloud)
        if found is None:
            return None
        return Network(
            self.name, id=found["id"], labels=self.own_labels(found), ip_range=found["ip_range"], given=self.given
        )

    def _given(self, cloud: HetznerCloud) -> Described:
        networks = cloud.once(described, self.of)
        found = next((each for each in networks if self.name in (str(each["id"]), each["name"])), None)
        if found is None:
            known = ", ".join(sorted(str(each["name"]) for each in networks)) or "none"
            raise KopsError(
                f"spec.networking.networkID: the project has no network with the id or name {self.name}, only {known}"
            )
        return found

    def request(self, cloud: HetznerCloud) -> dict[str, object]:
        return {**super().request(cloud), "ip_range": self.ip_range}

    @property
    def is_lent(self) -> bool:
        return self.given

    def terraform_arguments(self) -> dict[str, Any]:
        return {**super().terraform_arguments(), "ip_range": self.ip_range}
