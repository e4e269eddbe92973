# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers of a cluster, by instance group: an instance is called by the name of its server."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping

from ..instances import DETACHED, SERVING, CloudInstance, InstancesOfGroup
from ..origin import Origin
from ..pools import user_data
from . import marks, names
from .cloud import Described, HetznerCloud, described
from .kinds import SERVER
from .numbers import forget_servers, labels_of, numbered, numbers_of, servers_of
from .pool import templates
from .states import POWER, lives, name_in
from .tasks.server import private_addresses, public_address
from .tasks.server_template import ServerTemplate

_BY_KOPS = "kops has made it, and does not say from what"
_NOT_IN_NETWORK = "it is not in the cluster's network: Hetzner did not finish making it"


def servers_of_groups(cloud: HetznerCloud, *, compare: bool = True) -> dict[str, InstancesOfGroup]:
    """Instance group -> its servers now. One call.

    compare: with what the state store says of their groups, which is read, too.
    """
    forget_servers(cloud)
    wanted_now = templates(cloud) if compare else {}
    groups = {*wanted_now, *(labels_of(each).get(names.GROUP, "") for each in living(cloud))}
    return {
        group: InstancesOfGroup(
            numbers_of(cloud, group).size,
            [_machine(group, number, server, wanted_now.get(group)) for number, server in numbered(cloud, group)],
        )
        for group in sorted(groups)
    }


def running_by_group(cloud: HetznerCloud) -> dict[str, list[str]]:
    """Instance group -> its servers, as they were read last."""
    found: dict[str, list[str]] = {}
    for server in living(cloud):
        found.setdefault(labels_of(server).get(names.GROUP, ""), []).append(str(server["name"]))
    return {group: sorted(servers) for group, servers in found.items()}


def living(cloud: HetznerCloud) -> list[Described]:
    """The cluster's servers that are not being deleted."""
    return [each for each in servers_of(cloud) if lives(each)]


def existing(cloud: HetznerCloud, servers: Collection[str]) -> set[str]:
    """Which of these servers the project has now, whatever cluster they are of."""
    cloud.forget(described, SERVER)
    return {str(each["name"]) for each in cloud.once(described, SERVER) if lives(each)} & set(servers)


def console_output(cloud: HetznerCloud, name: str) -> str:
    """Nothing: the console of a server is for browsers only."""
    del cloud, name
    return ""


def user_data_by_instance(cloud: HetznerCloud) -> dict[str, str]:
    """Server -> its user data, as the state store has kept it: Hetzner does not show it."""
    forget_servers(cloud)
    return user_data.user_data_by_server(_said(cloud), templates(cloud))


def user_data_in_use(cloud: HetznerCloud) -> list[str] | None:
    """That of all servers now, and of those that are made from now on; None if that of a server is not kept."""
    forget_servers(cloud)
    return user_data.user_data_in_use(_said(cloud), templates(cloud))


def user_data_of_templates(cloud: HetznerCloud) -> list[str]:
    """That of servers that are made from now on."""
    return user_data.user_data_of(templates(cloud))


def _said(cloud: HetznerCloud) -> dict[str, user_data.Said]:
    servers = living(cloud)
    return {
        str(each["name"]): (labels_of(each).get(names.GROUP, ""), marks.mark_of(labels_of(each))) for each in servers
    }


def origins(cloud: HetznerCloud) -> list[Origin]:
    """The state stores that the cluster's servers name."""
    named = [marks.store_of(labels_of(each)) for each in servers_of(cloud)]
    return [Origin(store) for store in named if store]


def _machine(group: str, number: int, server: Described, template: ServerTemplate | None) -> CloudInstance:
    status, labels, private = str(server["status"]), labels_of(server), private_addresses(server)
    is_broken = status == "running" and not private
    outdated = _NOT_IN_NETWORK if is_broken else _why_outdated(number, labels, template)
    public = public_address(server)
    return CloudInstance(
        str(server["name"]),
        group,
        DETACHED if marks.LEAVING in labels else SERVING,
        outdated=outdated,
        compared=is_broken or template is not None,
        launched=_moment(server.get("created")),
        private_addresses=private,
        public_addresses=(public,) if public else (),
        zone=location_of(server),
        machine_type=name_in(server, "server_type") or "",
        power=POWER.get(status, status),
        healthy=not is_broken,
        tags=dict(labels),
    )


def location_of(server: Described) -> str:
    """The location of a server; earlier versions of the API give it with its data center."""
    return name_in(server, "location") or name_in(server.get("datacenter") or {}, "location") or ""


def _why_outdated(number: int, labels: Mapping[str, str], template: ServerTemplate | None) -> str:
    """By the labels that a server has."""
    if template is None:
        return ""
    before = marks.mark_of(labels)
    return template.why_outdated(number, before) if before else _BY_KOPS


def _moment(text: object) -> datetime.datetime | None:
    """As 2026-01-31T09:00:00+00:00."""
    return datetime.datetime.fromisoformat(str(text).replace("Z", "+00:00")) if text else None
