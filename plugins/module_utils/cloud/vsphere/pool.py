# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual machines of an instance group as a pool (pools/placed.py)."""

from __future__ import annotations

from collections.abc import Mapping

from ...base.errors import KopsError
from ...engine.task import Task
from ..instances import CloudInstance
from ..pools.numbers import Numbers
from ..pools.placed import Placed, PlacedPool
from ..pools.places import place_name
from ..pools.template import stored_templates
from . import names, power
from .cloud import VSphereCloud
from .ending import end_machine
from .errors import explain
from .numbers import forget_servers, group_of, leaving_of, numbered, numbers_of
from .ownership import machines
from .tasks.vm import VM
from .tasks.vm_template import VMTemplate


def server_of(template: VMTemplate, number: int) -> VM:
    """A virtual machine."""
    name = place_name(template.name, number)
    return VM(name, template.lifecycle, store=template.base, template=template, number=number)


def templates(cloud: VSphereCloud) -> dict[str, VMTemplate]:
    """Instance group -> what its machines are made from, by the state store; empty where that is not known."""
    return stored_templates(VMTemplate, cloud.store)


class ServerPool(PlacedPool[VSphereCloud]):
    """Virtual machines."""

    def forget(self, cloud: VSphereCloud) -> None:
        forget_servers(cloud)

    def placed(self, cloud: VSphereCloud, group: str) -> list[Placed]:
        return [Placed(number, str(each["name"]), each, leaving_of(each)) for number, each in numbered(cloud, group)]

    def groups_with_servers(self, cloud: VSphereCloud) -> set[str]:
        return set(map(group_of, machines(cloud)))

    def numbers_read(self, cloud: VSphereCloud, group: str) -> Numbers:
        return numbers_of(cloud, group)

    def templates(self, cloud: VSphereCloud) -> Mapping[str, VMTemplate]:
        return templates(cloud)

    def server(self, template: VMTemplate, number: int) -> Task[VSphereCloud]:
        return server_of(template, number)

    def explained(self, error: BaseException) -> KopsError:
        return explain(error)

    def mark_as_leaving(self, cloud: VSphereCloud, server: Placed, size: int) -> None:
        power.mark(cloud, server.described, {names.LEAVING: str(size)})

    def deregister(self, cloud: VSphereCloud, machine: CloudInstance, seconds: float) -> None:
        """Nothing: what is in front of the API is not in vCenter, and sees that a control plane does not answer."""

    def delete(self, cloud: VSphereCloud, machine: CloudInstance) -> None:
        """Its disks of etcd are taken from it, and stay."""
        for each in machines(cloud):
            if each["name"] == machine.name and group_of(each) == machine.within:
                end_machine(cloud, str(each["id"]))
        forget_servers(cloud)
