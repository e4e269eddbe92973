# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: no server is left of instance groups that are gone, and groups have no more than their greatest size.

With a server of a group that is gone go its port and its floating address, which kops leaves. One beyond the size of
its group leaves it: a rolling update drains it, and ends it with its place.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from ....engine.task import Deletion, TryAgainLater, internal
from .. import names
from ..cloud import Described, OpenStackCloud
from ..kinds import FLOATING_IP, PORT, SERVER, SERVER_GROUP, Kind
from ..places import of_place
from ..pool import ServerPool, size_left
from ..resources.owned import Owned, metadata_of
from ..states import has_ended, lives
from ._openstack import OpenStackTask

_GONE = "its instance group is not in the state store any more"


@dataclass(eq=False, repr=False)
class RemovedServers(OpenStackTask):
    """Deletion of what removed groups have left, and departure from smaller ones.

    servers: group -> the stable names that its servers may have, those that leave it included.
    most: group -> its greatest size.
    """

    servers: dict[str, list[str]] = internal(default_factory=dict)
    most: dict[str, int] = internal(default_factory=dict)

    @property
    def is_absence(self) -> bool:
        return True

    def find(self, cloud: OpenStackCloud) -> RemovedServers:
        return dataclasses.replace(self)

    def deletions(self, cloud: OpenStackCloud, actual: RemovedServers) -> list[Deletion]:
        owned = Owned(cloud)
        return [*self._servers(owned, cloud), *_twins(owned, cloud), *self._server_groups(owned, cloud)]

    def _servers(self, owned: Owned, cloud: OpenStackCloud) -> Iterator[Deletion]:
        ports = {names.server_of_port(str(each["name"])): each for each in owned.ports() if names.group_of(each)}
        servers = {metadata_of(each).get(names.TAG_NAME, ""): each for each in owned.servers()}
        allowed = {name for each in self.servers.values() for name in each}
        gone = (ports.keys() | servers.keys()) - allowed
        # Most updates find none.
        floating = {str(each["description"]): each for each in owned.floating_ips()} if gone else {}
        for name in sorted((ports.keys() | servers.keys()) - {""}):
            server, port = servers.get(name, {}), ports.get(name)
            group = metadata_of(server).get(names.TAG_GROUP, "")
            if group in self.most and lives(server):
                # One that has left a larger group would have others made, up to the size that it was told.
                if name in gone or size_left(server) > self.most[group]:
                    leave = partial(self._leave, cloud, group, name)
                    why, leaves = self._too_many(group), str(server["name"])
                    yield Deletion(f"Place/{name}", "Place", name, leave, reason=why, leaves=leaves)
            elif name in gone:
                found = [
                    (SERVER, server or None),
                    (FLOATING_IP, floating.get(names.floating_ip(name)) if port else None),
                    (PORT, port),
                ]
                why = self._why_gone(name, port, cloud)
                yield Deletion(f"Server/{name}", "Server", name, partial(_delete, cloud, found), reason=why)

    def _too_many(self, group: str) -> str:
        return f"instance group {group} has {self.most[group]} at most"

    def _why_gone(self, name: str, port: Described | None, cloud: OpenStackCloud) -> str:
        """Of what has no server, or one that is being deleted. name: the stable one of the server."""
        for group in self.most:
            if names.number_of(name, group, cloud.cluster_name) is not None:
                has_left = port is None or names.LEAVING in (port.get("tags") or ())
                return f"its server has left instance group {group}" if has_left else self._too_many(group)
        return _GONE

    def _leave(self, cloud: OpenStackCloud, group: str, name: str) -> None:
        """Those that have left it before are told of its size, too, which they keep."""
        number, pool = names.number_of(name, group, cloud.cluster_name), ServerPool()
        leaving = pool.numbers(cloud, group).leaving
        pool.let_go(cloud, group, [*leaving, *([] if number is None else [number])], self.most[group])

    def _server_groups(self, owned: Owned, cloud: OpenStackCloud) -> Iterator[Deletion]:
        """Of groups that are gone, as long as their servers tell of them; others go with the cluster."""
        groups = {metadata_of(each).get(names.TAG_GROUP, "") for each in owned.servers()} - self.servers.keys()
        gone = {f"{cloud.cluster_name}-{group}" for group in groups}
        for each in owned.server_groups() if gone else ():
            name, run = str(each["name"]), partial(cloud.delete, SERVER_GROUP, str(each["id"]))
            if name in gone:
                yield Deletion(f"ServerGroup/{name}", "ServerGroup", name, run, reason=_GONE)


def _twins(owned: Owned, cloud: OpenStackCloud) -> Iterator[Deletion]:
    """Of servers that have another one's place: they have no port, and never become nodes."""
    places: dict[str, list[Described]] = {}
    for each in owned.servers():
        # Whatever names no place has nobody's.
        if place := metadata_of(each).get(names.TAG_NAME):
            places.setdefault(place, []).append(each)
    for name, servers in places.items():
        kept = of_place(cloud, name, servers) if len(servers) > 1 else servers
        for each in servers if len(kept) == 1 else ():
            if each is not kept[0]:
                run, why = partial(_delete, cloud, [(SERVER, each)]), f"server {kept[0]['name']} has its port"
                yield Deletion(f"Server/{each['name']}", "Server", str(each["name"]), run, reason=why)


def _delete(cloud: OpenStackCloud, found: list[tuple[Kind, Described | None]]) -> None:
    """A server, and when it is gone what was made for it."""
    for kind, each in found:
        if each is None:
            continue
        cloud.delete(kind, str(each["id"]))
        if kind is SERVER and not has_ended(cloud.get(kind, str(each["id"]))):
            raise TryAgainLater(f"server {each['name']} is being deleted")
