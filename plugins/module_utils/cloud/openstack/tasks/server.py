# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: a server of an instance group."""

from __future__ import annotations

import base64
import secrets
from dataclasses import dataclass
from typing import Any

from ....base.errors import KopsError
from ....engine.task import Change, TryAgainLater, internal
from ....exchange.openstack_sealing import CREDENTIAL, STORE_KEY
from .. import names
from ..catalog import flavor_id, needed_image
from ..cloud import Described, OpenStackCloud
from ..kinds import SERVER
from ..places import of_place
from ..sealing import awaits, needs_store_key, seal
from ..states import has_ended
from ..store_keys import key_of_environment, key_of_servers
from ._openstack import READY, SettlingTask, described, given, id_of
from .application_credential import ApplicationCredential
from .port import Port
from .server_template import ServerTemplate

ERROR = "ERROR"
# It runs, and waits for its credential.
_UNSEALED = "without its credential"
_APART = "anti-affinity"
_NAME, _NETWORK = names.TAG_NAME, "KopsNetwork"


@dataclass(eq=False, repr=False)
class Server(SettlingTask):
    """A server. Its task name is the stable one, in its metadata; what Nova calls it is new with each server.

    A server that could not be made is made again. store: the state store of its cluster, which it names.
    All else is compared by whoever replaces servers:
    template: what it is made from. number: in its group. port: its own.
    """

    store: str | None = None
    template: ServerTemplate | None = internal()
    number: int = internal(0)
    port: Port | None = internal()

    of = SERVER
    coming = frozenset({"BUILD", "REBUILD"})
    failed = frozenset({ERROR})

    @property
    def made_from(self) -> ServerTemplate:
        """Its template. Raises KopsError without one."""
        return self.needed(self.template, "is made from no template")

    def find(self, cloud: OpenStackCloud) -> Server | None:
        found = self.described(cloud)
        if found is None:
            return None
        # A server that was stopped is there; starting it is another matter.
        store = (found.get("metadata") or {}).get(names.STORE)
        return Server(self.name, id=found["id"], state=self.state_of(found), store=store)

    def state_of(self, found: Described) -> str:
        state = super().state_of(found)
        return _UNSEALED if state == READY and self._credential is not None and awaits(found) else state

    @property
    def _credential(self) -> ApplicationCredential | None:
        return self.template.credential if self.template else None

    def settle(self, cloud: OpenStackCloud, found: Described, state: str) -> None:
        if self._credential is None or state != _UNSEALED:
            super().settle(cloud, found, state)
            return
        messages = {CREDENTIAL: self._credential.value}
        if needs_store_key(found):
            # Servers of an earlier template, which still wait, are given the key that works now.
            has = self.made_from.store_key
            messages[STORE_KEY] = dict(key_of_servers(cloud.cluster_name, has) if has else key_of_environment())
        seal(cloud, found, messages)

    def described(self, cloud: OpenStackCloud) -> Described | None:
        found = []
        for each in cloud.once(described, self.of):
            metadata = each.get("metadata") or {}
            if metadata.get(names.OF_CLUSTER) == cloud.cluster_name and metadata.get(_NAME) == self.name:
                found.append(each)
        return self.only(of_place(cloud, self.name, found) if len(found) > 1 else found)

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        template = self.made_from
        image = needed_image(cloud, template.needed(template.image, "has no image"))
        named = {
            names.STORE: self.store,
            names.MADE_FROM: template.mark(self.number),
            _NAME: self.name,
            _NETWORK: template.title,
        }
        data = str(template.user_data or "")
        return {
            "name": f"{names.dashed(template.name)}-{secrets.token_hex(3)}",
            "imageRef": image["id"],
            "flavorRef": flavor_id(cloud, template.needed(template.flavor, "has no flavor")),
            "availability_zone": template.zone(self.number),
            "key_name": template.key_name or None,
            "config_drive": template.config_drive,
            "networks": [{"port": id_of(self.port)}],
            "metadata": given({**(template.metadata or {}), **template.generations, **named}),
            "security_groups": [{"name": each} for each in template.additional_groups or ()] or None,
            "block_device_mapping_v2": self._disks(image),
            "user_data": base64.b64encode(data.encode()).decode() if data else None,
        }

    def _disks(self, image: Described) -> list[dict[str, Any]] | None:
        template = self.made_from
        if not template.from_volume:
            return None
        size = template.boot_volume or image.get("min_disk")
        if not size:
            raise KopsError(f"server {self.name}: image {template.image} does not say how large its volume has to be")
        disk = {"boot_index": 0, "delete_on_termination": True, "destination_type": "volume", "source_type": "image"}
        return [{**disk, "uuid": image["id"], "volume_size": size}]

    def create(self, cloud: OpenStackCloud) -> None:
        if self.id is None:
            together = self.made_from.server_group
            hints = {"os:scheduler_hints": {"group": id_of(together)}} if together else {}
            self.take(cloud.make(self.of, given(self.request(cloud)), **hints))

    def update(self, cloud: OpenStackCloud, actual: Server, changes: dict[str, Change]) -> None:
        """Make a server again that could not be made; wait for one that an earlier run has asked for.

        One that kops has made, or that is taken over from another state store, is told of its own.
        """
        if actual.state == ERROR and self.id == actual.id:
            cloud.delete(self.of, id_of(actual))
            if not has_ended(cloud.get(self.of, id_of(actual))):
                raise TryAgainLater(f"server {self.name} is in the state {ERROR}, and is being deleted")
            self.id = None
        elif "store" in changes:
            told = {"metadata": {names.STORE: self.store}}
            cloud.ask("POST", self.of, f"/{id_of(actual)}/metadata", told, f"tell server {self.name} of its store")
        self.create(cloud)
        self.wait(cloud)

    def failure(self, found: Described) -> str:
        why = (found.get("fault") or {}).get("message", "Nova does not say why")
        together = self.template.server_group if self.template else None
        policy = together.policy if together else None
        apart = f"; its server group is {policy}, so no two of its servers share a host" if policy == _APART else ""
        return f"could not be made: {why}{apart}"
