# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ....base.errors import KopsError
from ....engine.task import Change, computed, internal
from .. import names
from ..cloud import Described, OpenStackCloud
from ..kinds import NETWORK
from ._openstack import AS_IT_WAS_MADE, MARK, OpenStackTask, add_tag, described, id_of

EXTERNAL = "router:external"


@dataclass(eq=False, repr=False)
class Network(OpenStackTask):
    """A network.

    tag: of the cluster, also on a network that existed before. availability_zone_hints: where its services run.
    title: its name, where its task name is its id. given: it existed before the cluster, and its task name is its id.
    external: it leads to the world, and is the
    cloud's; its task name is its name.
    """

    tag: str | None = None
    availability_zone_hints: list[str] | None = None
    title: str | None = computed()
    given: bool = internal(False)
    external: bool = internal(False)

    of = NETWORK
    resource = "openstack_networking_network_v2"
    immutable: ClassVar[frozenset[str]] = frozenset({"availability_zone_hints"})
    # One that is lent is named by its id.
    found_before_rendering: ClassVar[bool] = True

    def find(self, cloud: OpenStackCloud) -> Network | None:
        found = self._found(cloud)
        if found is None:
            return None
        return Network(
            self.name,
            id=found["id"],
            title=found["name"],
            tag=self.tag if self.tag in (found.get("tags") or ()) else None,
            availability_zone_hints=found.get("availability_zone_hints") or None,
        )

    def _found(self, cloud: OpenStackCloud) -> Described | None:
        if self.external:
            return self._external(cloud)
        if not self.given:
            return self.described(cloud)
        found = self.only([each for each in cloud.once(described, self.of) if each["id"] == self.name])
        if found is None:
            raise KopsError(f"spec.networking.networkID: the project sees no network with the id {self.name}")
        return found

    def _external(self, cloud: OpenStackCloud) -> Described:
        networks = [each for each in cloud.once(described, self.of) if each.get(EXTERNAL)]
        found = self.only([each for each in networks if each["name"] == self.name])
        if found is None:
            known = ", ".join(sorted(str(each["name"]) for each in networks)) or "none"
            raise KopsError(
                f"spec.cloudProvider.openstack.router.externalNetwork: there is no external network {self.name};"
                f" the project sees {known}"
            )
        return found

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {
            "name": self.name,
            # Tags come later.
            "description": names.mark(cloud.cluster_name),
            "admin_state_up": True,
            "availability_zone_hints": self.availability_zone_hints,
        }

    def create(self, cloud: OpenStackCloud) -> None:
        super().create(cloud)
        if self.tag:
            add_tag(cloud, self.of, id_of(self), self.tag)

    def update(self, cloud: OpenStackCloud, actual: Network, changes: dict[str, Change]) -> None:
        if self.tag and "tag" in changes:
            add_tag(cloud, self.of, id_of(actual), self.tag)

    @property
    def is_lent(self) -> bool:
        return self.given or self.external

    def terraform_arguments(self) -> dict[str, Any]:
        return {
            "admin_state_up": True,
            "availability_zone_hints": self.availability_zone_hints,
            "description": MARK,
            "lifecycle": AS_IT_WAS_MADE,
            "name": self.name,
            "tags": [self.tag] if self.tag else None,
        }
