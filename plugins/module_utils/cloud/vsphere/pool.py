# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual machines of an instance group as a pool (pools/replacing.py)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...engine.task import Task
from ..instances import CloudInstance
from ..pools.making import make_now, nothing_to_make_from
from ..pools.numbers import Numbers
from ..pools.places import give_up_places, keep_place
from ..pools.replacing import Pool
from ..pools.template import stored_templates
from . import marks, names, power
from .cloud import VSphereCloud
from .ending import end_machine
from .errors import explain
from .numbers import forget_servers, group_of, numbered, numbers_of, places_of_groups
from .ownership import machines
from .tasks.vm import VM
from .tasks.vm_template import VMTemplate


def server_of(template: VMTemplate, number: int) -> VM:
    """A virtual machine."""
    return VM(
        marks.stable_name(template.name, number),
        template.lifecycle,
        store=template.base,
        template=template,
        number=number,
    )


def templates(cloud: VSphereCloud) -> dict[str, VMTemplate]:
    """Instance group -> what its machines are made from, by the state store; empty where that is not known."""
    return stored_templates(VMTemplate, cloud.store)


class ServerPool(Pool[VSphereCloud]):
    """Virtual machines: a place without one is a file of the state store (pools/places.py)."""

    def numbers(self, cloud: VSphereCloud, group: str) -> Numbers:
        forget_servers(cloud)
        return numbers_of(cloud, group)

    def groups(self, cloud: VSphereCloud) -> dict[str, Numbers]:
        forget_servers(cloud)
        return {group: numbers_of(cloud, group) for group in sorted(templates(cloud))}

    def number(self, cloud: VSphereCloud, machine: CloudInstance) -> int | None:
        own = (number for number, each in numbered(cloud, machine.within) if each["name"] == machine.name)
        return next(own, None)

    def make(self, cloud: VSphereCloud, group: str, numbers: Sequence[int]) -> None:
        template = templates(cloud).get(group)
        if template is None:
            raise nothing_to_make_from(group)
        forget_servers(cloud)
        tasks: list[Task[VSphereCloud]] = [server_of(template, number) for number in numbers]
        make_now(cloud, tasks, explain)

    def let_go(self, cloud: VSphereCloud, group: str, numbers: Collection[int], size: int) -> None:
        # First: a place that is left over must not count.
        give_up_places(cloud.store, group, numbers)
        for number, machine in numbered(cloud, group):
            if number in numbers:
                power.mark(cloud, machine, {names.LEAVING: str(size)})

    def deregister(self, cloud: VSphereCloud, machine: CloudInstance, seconds: float) -> None:
        """Nothing: what is in front of the API is not in vCenter, and sees that a control plane does not answer."""

    def end(self, cloud: VSphereCloud, machine: CloudInstance, for_good: bool) -> None:
        """Its disks of etcd are taken from it, and stay."""
        forget_servers(cloud)
        number = self.number(cloud, machine)
        if number is not None:
            if for_good:
                give_up_places(cloud.store, machine.within, [number])
            else:
                self._keep(cloud, machine.within, number)
        for each in machines(cloud):
            if each["name"] == machine.name and group_of(each) == machine.within:
                end_machine(cloud, str(each["id"]))
        forget_servers(cloud)

    def _keep(self, cloud: VSphereCloud, group: str, number: int) -> None:
        """It is missed from now on, also by a run that goes on after this one."""
        template = templates(cloud).get(group)
        if template is not None and number not in cloud.once(places_of_groups).get(group, ()):
            keep_place(cloud.store, template.location, number)
