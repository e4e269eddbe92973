# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner task: a server of an instance group."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from typing import Any

from ....base.errors import KopsError
from ....engine.task import Change, TryAgainLater, internal
from ....exchange.server_credentials import for_server
from ...pools import over_ssh
from ...pools.places import keep_place
from ...pools.server_key import server_key
from .. import marks
from ..cloud import Described, HetznerCloud
from ..credentials import document
from ..kinds import SERVER
from ..numbers import labels_of, numbered
from ._hetzner import HetznerTask, id_of
from .server_template import ServerTemplate

READY = "ready"
_COMING = frozenset({"initializing", "starting", "rebuilding", "migrating"})
# It runs, and waits for its credentials, or has others.
_WITHOUT = "without its credentials"
# Hetzner began to make it, and did not bring it into the network.
HALF_MADE = "half made"


def private_addresses(server: Described, network: int | None = None) -> tuple[str, ...]:
    """Its addresses in a network, or in all of them."""
    own = (each for each in server.get("private_net") or () if network in (None, each["network"]))
    return tuple(str(each["ip"]) for each in own if each.get("ip"))


def public_address(server: Described) -> str:
    """Its public IPv4 address; "" for none."""
    return str(((server.get("public_net") or {}).get("ipv4") or {}).get("ip") or "")


@dataclass(eq=False, repr=False)
class Server(HetznerTask):
    """A server. Its task name is that of its place in the group; what Hetzner calls it is new with each server.

    A server that was only half made is made again. store: the state store of its cluster, which it names.
    state: READY, or what it lacks. All else is compared by whoever replaces servers:
    template: what it is made from. number: in its group.
    """

    store: str | None = None
    state: str | None = READY
    template: ServerTemplate | None = internal()
    number: int = internal(0)

    of = SERVER

    @property
    def made_from(self) -> ServerTemplate:
        """Its template. Raises KopsError without one."""
        return self.needed(self.template, "is made from no template")

    @property
    def group(self) -> str:
        """Its instance group."""
        return self.made_from.name

    @property
    def made_directly(self) -> bool:
        """Always: servers come and go."""
        return True

    def find(self, cloud: HetznerCloud) -> Server | None:
        found = self.described(cloud)
        if found is None:
            return None
        store = marks.store_of(labels_of(found))
        return Server(self.name, id=int(found["id"]), state=self.state_of(cloud, found), store=store)

    def described(self, cloud: HetznerCloud) -> Described | None:
        found = [each for number, each in numbered(cloud, self.group) if number == self.number]
        found = [each for each in found if marks.LEAVING not in labels_of(each)]
        if len(found) > 1:
            several = ", ".join(sorted(str(each["name"]) for each in found))
            raise KopsError(
                f"{len(found)} servers of {self.group} say that they have the number {self.number} ({several}): delete"
                f" those that nobody uses, or take away their label {marks.NUMBER}"
            )
        return found[0] if found else None

    def state_of(self, cloud: HetznerCloud, found: Described) -> str:
        """What it lacks. A server that was stopped is there; starting it is another matter."""
        if found["status"] in _COMING:
            return str(found["status"])
        if not private_addresses(found, self.template.network.id if self.template and self.template.network else None):
            return HALF_MADE
        return _WITHOUT if found["status"] == "running" and self._lacks_credentials(cloud, found) else READY

    def request(self, cloud: HetznerCloud) -> dict[str, Any]:
        template = self.made_from
        name, birth = f"{template.name}-{secrets.token_hex(3)}", over_ssh.new_birth()
        data = str(template.user_data or "")
        if template.server_key is not None:
            data = for_server(data, self._nonce(cloud, name, birth))
        return {
            "name": name,
            "server_type": template.needed(template.type, "has no server type"),
            "image": template.needed(template.image, "has no image"),
            "location": template.needed(template.place, "has no location"),
            "ssh_keys": [id_of(each) for each in template.ssh_keys or ()],
            "networks": [id_of(template.network)],
            "public_net": {"enable_ipv4": True, "enable_ipv6": False},
            **({"placement_group": id_of(template.placement)} if template.placement else {}),
            "start_after_create": True,
            "user_data": data,
            "labels": {
                **(template.labels or {}),
                **marks.of_mark(template.mark(self.number)),
                **marks.of_store(str(self.store or "")),
                marks.NUMBER: str(self.number),
                marks.BIRTH: birth,
            },
        }

    def create(self, cloud: HetznerCloud) -> None:
        if self.id is None:
            # First: a server that was made and is lost is missed.
            keep_place(str(self.store), self.made_from.location, self.number)
        super().create(cloud)

    def update(self, cloud: HetznerCloud, actual: Server, changes: dict[str, Change]) -> None:
        """Make a server again that was half made; wait for one that an earlier run has asked for.

        One that kops has made, or that is taken over from another state store, is told of its own.
        """
        if actual.state == HALF_MADE and self.id == actual.id:
            cloud.delete(self.of, id_of(actual))
            if cloud.get(self.of, id_of(actual)) is not None:
                raise TryAgainLater(f"server {self.name} is {HALF_MADE}, and is being deleted")
            self.id = None
        elif "store" in changes:
            found = self.needed(self.described(cloud), "is gone")
            kept = {key: value for key, value in labels_of(found).items() if not key.startswith(marks.STORE)}
            told = {**kept, **marks.of_store(str(self.store or "")), marks.NUMBER: str(self.number)}
            cloud.change(self.of, id_of(actual), {"labels": told})
            keep_place(str(self.store), self.made_from.location, self.number)
        self.create(cloud)
        self.wait(cloud)

    def wait(self, cloud: HetznerCloud) -> None:
        cloud.settle(self.of, id_of(self), self.name)
        found = cloud.latest(self.of, id_of(self))
        state = "gone" if found is None else self.state_of(cloud, found)
        if found is not None and state == _WITHOUT:
            self._give(cloud, found)
            return
        if state != READY:
            raise TryAgainLater(f"server {self.name} is {state}")

    # -- credentials --------------------------------------------------------------------------------------------

    def _lacks_credentials(self, cloud: HetznerCloud, found: Described) -> bool:
        labels = labels_of(found)
        # What kops has made has its token in its user data, and waits for nothing.
        if self.template is None or self.template.server_key is None or marks.BIRTH not in labels:
            return False
        key = self._key(cloud)
        return not (key and over_ssh.is_given(labels.get(marks.CREDENTIALS, ""), key, document()))

    def _give(self, cloud: HetznerCloud, found: Described) -> None:
        """Give the server the credentials of the environment. Raises TryAgainLater, KopsError."""
        key, given, name = self._key(cloud), document(), str(found["name"])
        labels = dict(cloud.get(self.of, id_of(self)) or found)["labels"]
        address = public_address(found) or private_addresses(found)[0]
        known = labels.get(marks.HOST_KEY, "")
        nonce = self._nonce(cloud, name, str(labels[marks.BIRTH]))
        host = over_ssh.hand_over(address, name, nonce, given, over_ssh.access_of(os.environ), known)
        told = {**labels, marks.HOST_KEY: host, marks.CREDENTIALS: over_ssh.mark_of_credentials(key, given)}
        cloud.change(self.of, id_of(self), {"labels": told})

    def _nonce(self, cloud: HetznerCloud, name: str, birth: str) -> bytes:
        return over_ssh.nonce_of(self._key(cloud), cloud.cluster_name, name, birth)

    def _key(self, cloud: HetznerCloud) -> bytes:
        template = self.made_from
        return server_key(cloud, str(template.needed(template.server_key, "has no key").base))
