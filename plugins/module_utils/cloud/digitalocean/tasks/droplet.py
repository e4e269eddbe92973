# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DigitalOcean task: a droplet of an instance group."""

from __future__ import annotations

import datetime
import os
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from ....base.errors import KopsError
from ....engine.task import Change, TryAgainLater, internal
from ....exchange.server_credentials import for_server
from ...pools import over_ssh
from ...pools.places import keep_place
from ...pools.server_key import server_key
from .. import marks, names
from ..cloud import Described, DigitalOceanCloud
from ..credentials import document
from ..kinds import DROPLET, actions_of_droplet
from ..numbers import PRIVATE, PUBLIC, addresses_of, numbered
from ..states import COMING, RUNNING
from ._digitalocean import READY, DigitalOceanTask, id_of
from .server_template import ServerTemplate

# It runs, and waits for its credentials, or has others.
_WITHOUT = "without its credentials"
# It runs, and the load balancer of the API does not know it: a run that took it out was broken off.
_OUT = "out of service"
# DigitalOcean began to make it, and failed.
FAILED = "half made"
# Seconds after which DigitalOcean is asked what has become of making it.
_USUAL = 120.0
_SUFFIX_BYTES = 4


def has_failed(cloud: DigitalOceanCloud, droplet: Described) -> bool:
    """Whether DigitalOcean has failed to make it. It is asked only if that takes long."""
    if droplet["status"] != COMING:
        return False
    made = datetime.datetime.fromisoformat(str(droplet["created_at"]).replace("Z", "+00:00"))
    if (datetime.datetime.now(datetime.timezone.utc) - made).total_seconds() < _USUAL:
        return False
    actions = cloud.once(actions_of, str(droplet["id"]))
    return any((each["type"], each["status"]) == ("create", "errored") for each in actions)


def actions_of(cloud: DigitalOceanCloud, droplet: str) -> list[dict[str, Any]]:
    """What was done with a droplet."""
    return cloud.read(actions_of_droplet(droplet))


@dataclass(eq=False, repr=False)
class Droplet(DigitalOceanTask):
    """A droplet. Its task name is that of its place in the group; what DigitalOcean calls it is new with each droplet.

    A droplet that was only half made is made again. store: the state store of its cluster, which it names.
    state: READY, or what it lacks. All else is compared by whoever replaces droplets:
    template: what it is made from. number: in its group.
    """

    store: str | None = None
    state: str | None = READY
    template: ServerTemplate | None = internal()
    number: int = internal(0)

    of = DROPLET

    @property
    def made_from(self) -> ServerTemplate:
        """Its template. Raises KopsError without one."""
        return self.needed(self.template, "is made from no template")

    @property
    def made_directly(self) -> bool:
        """Always: droplets come and go."""
        return True

    def find(self, cloud: DigitalOceanCloud) -> Droplet | None:
        found = self.described(cloud)
        if found is None:
            return None
        state = self.state_of(cloud, found)
        return Droplet(self.name, id=str(found["id"]), state=state, store=marks.store_of(found))

    def described(self, cloud: DigitalOceanCloud) -> Described | None:
        for number, each in numbered(cloud, self.made_from.name):
            if number == self.number and marks.leaving_of(each) is None:
                return each
        return None

    def state_of(self, cloud: DigitalOceanCloud, found: Described) -> str:
        """What it lacks. A droplet that was stopped is there; starting it is another matter."""
        if found["status"] == COMING:
            return FAILED if has_failed(cloud, found) else COMING
        if found["status"] == RUNNING and self._lacks_credentials(cloud, found):
            return _WITHOUT
        return _OUT if self._missing_tags(found) else READY

    def request(self, cloud: DigitalOceanCloud) -> dict[str, Any]:
        template = self.made_from
        # By its name it is told from all that were, or will be, in its place.
        name = f"{template.name}-{secrets.token_hex(_SUFFIX_BYTES)}"
        data = str(template.user_data or "")
        if template.server_key is not None:
            data = for_server(data, self._nonce(cloud, name))
        image = template.needed(template.image, "has no image")
        return {
            "name": name,
            "region": template.needed(template.region, "has no region"),
            "size": template.needed(template.size, "has no size"),
            "image": int(image) if image.isdecimal() else image,
            "ssh_keys": [int(id_of(each)) for each in template.ssh_keys or ()],
            "user_data": data,
            "tags": [*sorted(template.tags or ()), *self._own_tags()],
            **({"vpc_uuid": id_of(template.vpc)} if template.vpc is not None else {}),
        }

    def create(self, cloud: DigitalOceanCloud) -> None:
        if self.id is None:
            self._keep_place()
        super().create(cloud)

    def _keep_place(self) -> None:
        keep_place(self.made_from.base, self.made_from.location, self.number)

    def _own_tags(self) -> list[str]:
        return [
            names.tag(marks.NUMBER, str(self.number)),
            marks.made_from_tag(self.made_from.mark(self.number)),
            marks.store_tag(str(self.store or "")),
        ]

    def update(self, cloud: DigitalOceanCloud, actual: Droplet, changes: dict[str, Change]) -> None:
        """Make a droplet again that was half made; wait for one that an earlier run has asked for.

        One that kops has made, or that is taken over from another state store, is told of its own.
        """
        if actual.state == FAILED and self.id == actual.id:
            cloud.delete(self.of, id_of(actual))
            if cloud.get(self.of, id_of(actual)) is not None:
                raise TryAgainLater(f"droplet {self.name} is {FAILED}, and is being deleted")
            self.id = None
        else:
            found = self.needed(cloud.get(self.of, id_of(actual)), "is gone")
            if "store" in changes:
                self._tell_store(cloud, found)
            for tag in self._missing_tags(found):
                cloud.tag(tag, self.of, [id_of(actual)])
        self.create(cloud)
        self.wait(cloud)

    def _tell_store(self, cloud: DigitalOceanCloud, found: Described) -> None:
        """And of its cluster and its number, if it is one of kops."""
        self._keep_place()
        if marks.number_of(found) is None:
            for each in (names.mark_tag(cloud.cluster_name), names.tag(marks.NUMBER, str(self.number))):
                cloud.tag(each, self.of, [str(found["id"])])
        own = marks.store_tag(str(self.store or ""))
        cloud.tag(own, self.of, [str(found["id"])])
        for each in names.values_in(names.tags_of(found), marks.STORE):
            if names.tag(marks.STORE, each) != own:
                cloud.untag(names.tag(marks.STORE, each), self.of, [str(found["id"])])

    def _missing_tags(self, found: Described) -> Collection[str]:
        """Those by which load balancers find it. Only what was taken out of service lacks them."""
        wanted = [each for each in self.made_from.tags or () if each.startswith(f"{names.CONTROL_PLANES}:")]
        return [each for each in wanted if not names.has_tag(found, each)]

    def wait(self, cloud: DigitalOceanCloud) -> None:
        asked = {"tag_name": names.cluster_tag(cloud.cluster_name)}
        found = cloud.latest(self.of, id_of(self), **asked)
        state = "gone" if found is None else self.state_of(cloud, found)
        if found is not None and state == _WITHOUT:
            self._give(cloud, found)
            return
        if state == FAILED:
            raise KopsError(f"droplet {self.name} could not be made: DigitalOcean began it, and failed; run again")
        if state != READY:
            raise TryAgainLater(f"droplet {self.name} is {state}")

    # -- credentials --------------------------------------------------------------------------------------------

    def _lacks_credentials(self, cloud: DigitalOceanCloud, found: Described) -> bool:
        # What kops has made has its token in its user data, and waits for nothing.
        if self.made_from.server_key is None or not marks.mark_of(found):
            return False
        key, wanted = self._key(cloud), document()
        return not (key and any(over_ssh.is_given(given, key, wanted) for _host_key, given in marks.given_to(found)))

    def _give(self, cloud: DigitalOceanCloud, found: Described) -> None:
        """Give the droplet the credentials of the environment. Raises TryAgainLater, KopsError."""
        addresses = [*addresses_of(found, PUBLIC), *addresses_of(found, PRIVATE)]
        if not addresses:
            raise TryAgainLater(f"droplet {self.name} has no address yet")
        key, given, name = self._key(cloud), document(), str(found["name"])
        before = marks.given_to(found)
        known = before[0][0] if before else ""
        access = over_ssh.access_of(os.environ)
        host = over_ssh.hand_over(addresses[0], name, self._nonce(cloud, name), given, access, known)
        cloud.tag(marks.given_tag(host, over_ssh.mark_of_credentials(key, given)), self.of, [id_of(self)])
        for each in before:
            # It is no other droplet's.
            cloud.delete_tag(marks.given_tag(*each))

    def _nonce(self, cloud: DigitalOceanCloud, name: str) -> bytes:
        return over_ssh.nonce_of(self._key(cloud), cloud.cluster_name, name, name)

    def _key(self, cloud: DigitalOceanCloud) -> bytes:
        template = self.made_from
        return server_key(cloud, str(template.needed(template.server_key, "has no key").base))
