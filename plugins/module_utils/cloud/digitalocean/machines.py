# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The droplets of a cluster, by instance group: an instance is called by the name of its droplet.

Those that kops has made share one name, and are called by their private address, as their Nodes are.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection

from ..instances import DETACHED, SERVING, CloudInstance, InstancesOfGroup
from ..origin import Origin
from ..pools import user_data
from . import marks, names
from .cloud import Described, DigitalOceanCloud
from .kinds import DROPLET
from .numbers import PRIVATE, PUBLIC, addresses_of, forget_droplets, group_of, name_of, numbered, numbers_of
from .ownership import droplets_of
from .pool import templates
from .states import POWER, lives
from .tasks.droplet import FAILED, has_failed
from .tasks.server_template import ServerTemplate

_BY_KOPS = "kops has made it, and does not say from what"


def servers_of_groups(cloud: DigitalOceanCloud, *, compare: bool = True) -> dict[str, InstancesOfGroup]:
    """Instance group -> its droplets now. One call.

    compare: with what the state store says of their groups, which is read, too.
    """
    forget_droplets(cloud)
    wanted_now = templates(cloud) if compare else {}
    groups = {*wanted_now, *map(group_of, living(cloud))} - {""}
    return {
        group: InstancesOfGroup(
            numbers_of(cloud, group).size,
            [_machine(cloud, number, droplet, wanted_now.get(group)) for number, droplet in numbered(cloud, group)],
        )
        for group in sorted(groups)
    }


def running_by_group(cloud: DigitalOceanCloud) -> dict[str, list[str]]:
    """Instance group -> its droplets, as they were read last."""
    found: dict[str, list[str]] = {}
    for droplet in living(cloud):
        found.setdefault(group_of(droplet), []).append(name_of(droplet))
    return {group: sorted(droplets) for group, droplets in found.items()}


def living(cloud: DigitalOceanCloud) -> list[Described]:
    """The cluster's droplets that are there."""
    return [each for each in droplets_of(cloud) if lives(each)]


def existing(cloud: DigitalOceanCloud, servers: Collection[str]) -> set[str]:
    """Which of these droplets the account has now, whatever cluster they are of."""
    return {name_of(each) for each in cloud.read(DROPLET) if lives(each)} & set(servers)


def console_output(cloud: DigitalOceanCloud, name: str) -> str:
    """Nothing: the console of a droplet is for browsers only."""
    del cloud, name
    return ""


def user_data_by_instance(cloud: DigitalOceanCloud) -> dict[str, str]:
    """Droplet -> its user data, as the state store has kept it: DigitalOcean does not show it."""
    forget_droplets(cloud)
    return user_data.user_data_by_server(_said(cloud), templates(cloud))


def user_data_in_use(cloud: DigitalOceanCloud) -> list[str] | None:
    """That of all servers now, and of those that are made from now on; None if that of a server is not kept."""
    forget_droplets(cloud)
    return user_data.user_data_in_use(_said(cloud), templates(cloud))


def user_data_of_templates(cloud: DigitalOceanCloud) -> list[str]:
    """That of servers that are made from now on."""
    return user_data.user_data_of(templates(cloud))


def _said(cloud: DigitalOceanCloud) -> dict[str, user_data.Said]:
    return {name_of(each): (group_of(each), marks.mark_of(each)) for each in living(cloud)}


def origins(cloud: DigitalOceanCloud) -> list[Origin]:
    """The state stores that the cluster's droplets name."""
    named = [marks.store_of(each) for each in droplets_of(cloud)]
    return [Origin(store) for store in named if store]


def _machine(
    cloud: DigitalOceanCloud, number: int, droplet: Described, template: ServerTemplate | None
) -> CloudInstance:
    status, is_broken = str(droplet["status"]), has_failed(cloud, droplet)
    outdated = f"it is {FAILED}: DigitalOcean failed" if is_broken else _why_outdated(number, droplet, template)
    return CloudInstance(
        name_of(droplet),
        group_of(droplet),
        SERVING if marks.leaving_of(droplet) is None else DETACHED,
        outdated=outdated,
        compared=is_broken or template is not None,
        launched=_moment(droplet.get("created_at")),
        private_addresses=tuple(addresses_of(droplet, PRIVATE)),
        public_addresses=tuple(addresses_of(droplet, PUBLIC)),
        zone=str((droplet.get("region") or {}).get("slug") or ""),
        machine_type=str(droplet.get("size_slug") or ""),
        power=POWER.get(status, status),
        healthy=not is_broken,
        tags=dict(each.partition(":")[::2] for each in names.tags_of(droplet)),
    )


def _why_outdated(number: int, droplet: Described, template: ServerTemplate | None) -> str:
    """By the tags that a droplet has."""
    if template is None:
        return ""
    before = marks.mark_of(droplet)
    return template.why_outdated(number, before) if before else _BY_KOPS


def _moment(text: object) -> datetime.datetime | None:
    """As 2026-01-31T09:00:00Z."""
    return datetime.datetime.fromisoformat(str(text).replace("Z", "+00:00")) if text else None
