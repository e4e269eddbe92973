# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual machines of a cluster, by instance group: an instance is called by the name of its machine."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping

from ..instances import DETACHED, SERVING, CloudInstance, InstancesOfGroup
from ..origin import Origin
from ..pools import user_data
from . import marks, names
from .cloud import VSphereCloud
from .collecting import Described
from .inventory import machine_places, named
from .numbers import forget_servers, group_of, numbered, numbers_of
from .ownership import machines, settings_of
from .pool import templates
from .states import POWER, addresses
from .tasks.vm_template import VMTemplate

_MIB_OF_GB = 1024


def servers_of_groups(cloud: VSphereCloud, *, compare: bool = True) -> dict[str, InstancesOfGroup]:
    """Instance group -> its virtual machines now. One call.

    compare: with what the state store says of their groups, which is read, too.
    """
    forget_servers(cloud)
    wanted_now = templates(cloud) if compare else {}
    groups = {*wanted_now, *map(group_of, machines(cloud))} - {""}
    return {
        group: InstancesOfGroup(
            numbers_of(cloud, group).size,
            [_machine(group, number, each, wanted_now.get(group)) for number, each in numbered(cloud, group)],
        )
        for group in sorted(groups)
    }


def running_by_group(cloud: VSphereCloud) -> dict[str, list[str]]:
    """Instance group -> its virtual machines, as they were read last."""
    found: dict[str, list[str]] = {}
    for each in machines(cloud):
        found.setdefault(group_of(each), []).append(named(each))
    return {group: sorted(servers) for group, servers in found.items()}


def existing(cloud: VSphereCloud, servers: Collection[str]) -> set[str]:
    """Which of these virtual machines the datacenter has now, whatever cluster they are of."""
    cloud.forget(machine_places)
    return {named(each) for each in cloud.once(machine_places)} & set(servers)


def console_output(cloud: VSphereCloud, name: str) -> str:
    """Nothing: the console of a virtual machine is a picture."""
    del cloud, name
    return ""


def user_data_by_instance(cloud: VSphereCloud) -> dict[str, str]:
    """Virtual machine -> its user data, as the state store has kept it: a guest may have written over its own."""
    forget_servers(cloud)
    return user_data.user_data_by_server(_said(cloud), templates(cloud))


def user_data_in_use(cloud: VSphereCloud) -> list[str] | None:
    """That of all servers now, and of those that are made from now on; None if that of a server is not kept."""
    forget_servers(cloud)
    return user_data.user_data_in_use(_said(cloud), templates(cloud))


def user_data_of_templates(cloud: VSphereCloud) -> list[str]:
    """That of servers that are made from now on."""
    return user_data.user_data_of(templates(cloud))


def _said(cloud: VSphereCloud) -> dict[str, user_data.Said]:
    return {named(each): (group_of(each), settings_of(each).get(names.MADE_FROM, "")) for each in machines(cloud)}


def origins(cloud: VSphereCloud) -> list[Origin]:
    """The state stores that the cluster's machines name."""
    stores = [settings_of(each).get(names.STORE, "") for each in machines(cloud)]
    return [Origin(store) for store in stores if store]


def _machine(group: str, number: int, machine: Described, template: VMTemplate | None) -> CloudInstance:
    said, power = settings_of(machine), str(machine.get("runtime.powerState") or "")
    hardware = machine.get("config.hardware")
    size = f"{hardware.numCPU}cpu-{hardware.memoryMB / _MIB_OF_GB:g}gb" if hardware else ""
    return CloudInstance(
        named(machine),
        group,
        DETACHED if names.LEAVING in said else SERVING,
        outdated=template.why_outdated(number, said.get(names.MADE_FROM, "")) if template else "",
        compared=template is not None,
        launched=_moment(said.get(marks.MADE, "")),
        private_addresses=tuple(addresses(machine)),
        machine_type=size,
        power=POWER.get(power, power),
        healthy=True,
        tags=_shown(said),
    )


def _shown(said: Mapping[str, str]) -> dict[str, str]:
    """Our marks: what else is there, is user data, or settings of vSphere."""
    return {key: value for key, value in said.items() if key.startswith("kubeops.")}


def _moment(text: str) -> datetime.datetime | None:
    """Of seconds since 1970."""
    return datetime.datetime.fromtimestamp(int(text), datetime.timezone.utc) if text.isdecimal() else None
