# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""vSphere task: a virtual machine of an instance group.

It is cloned from its image, off and with its marks; gets its network and its disks, and the tag of the cluster; and is
started. Until then it says that it is being made, so whoever goes on does what is missing.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import secrets
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ....base.errors import KopsError
from ....engine.task import Change, Task, TryAgainLater, computed, internal
from ....exchange.server_credentials import for_server
from ...pools import over_ssh
from ...pools.places import keep_place
from ...pools.server_key import server_key
from .. import devices, inventory, marks, names, power
from ..cloud import VSphereCloud
from ..collecting import Described
from ..credentials import document
from ..kinds import DATASTORE, FOLDER, MACHINE, POOL
from ..numbers import numbered
from ..ownership import forget_machines, machine_now, own_machines, settings_of
from ..states import addresses, disks_in, is_on
from .vm_template import VMTemplate, id_of

READY = "ready"
HALF_MADE = "half made"
WITHOUT_ADDRESS, WITHOUT = "without an address", "without its credentials"
_RANDOM_BYTES = 3


@dataclass(eq=False, repr=False)
class VM(Task[VSphereCloud]):
    """A virtual machine. Its task name is that of its place in the group; what vCenter calls it is new with each one.

    store: the state store of its cluster, which it names. state: READY, or what it lacks.
    All else is compared by whoever replaces machines:
    template: what it is made from. number: in its group. id: as vCenter knows it.
    """

    store: str | None = None
    state: str | None = READY
    template: VMTemplate | None = internal()
    number: int = internal(0)
    id: str | None = computed()

    def dependencies(self) -> Iterator[Task[Any]]:
        # A template that was read is made already.
        return (each for each in super().dependencies() if not getattr(each, "only_id", False))

    @property
    def made_from(self) -> VMTemplate:
        """Its template. Raises KopsError without one."""
        return self.needed(self.template, "is made from no template")

    @property
    def group(self) -> str:
        """Its instance group."""
        return self.made_from.name

    @property
    def made_directly(self) -> bool:
        """Always: virtual machines come and go."""
        return True

    # -- what is there ------------------------------------------------------------------------------------------

    def find(self, cloud: VSphereCloud) -> VM | None:
        found = self.described(cloud)
        if found is None:
            return None
        store = settings_of(found).get(names.STORE)
        return VM(self.name, id=str(found["id"]), state=self.state_of(cloud, found), store=store)

    def described(self, cloud: VSphereCloud) -> Described | None:
        """The machine that says that it has this place. Raises KopsError for several."""
        found = [each for number, each in numbered(cloud, self.group) if number == self.number]
        found = [each for each in found if names.LEAVING not in settings_of(each)]
        if len(found) > 1:
            several = ", ".join(sorted(str(each["name"]) for each in found))
            raise KopsError(
                f"{len(found)} virtual machines of {self.group} say that they have the number {self.number}"
                f" ({several}): delete those that nobody uses, or take away their setting {names.NAME}"
            )
        return found[0] if found else None

    def state_of(self, cloud: VSphereCloud, found: Described) -> str:
        """What it lacks. A machine that was stopped is there; starting it is another matter."""
        if marks.MAKING in settings_of(found):
            return HALF_MADE
        if not is_on(found) or not self._lacks_credentials(cloud, found):
            return READY
        # It is given them at its address.
        return WITHOUT if addresses(found) else WITHOUT_ADDRESS

    # -- making -------------------------------------------------------------------------------------------------

    def create(self, cloud: VSphereCloud) -> None:
        if self.id is None:
            # First: a machine that was made and is lost is missed.
            keep_place(str(self.store), self.made_from.location, self.number)
            self.id = self._clone(cloud)
        found = self.needed(power.now(cloud, self.id), "is gone")
        if marks.MAKING not in settings_of(found):
            return
        if not is_on(found):
            self._configure(cloud, found)
            cloud.tagging.attach(names.tag_id(cloud.cluster_name), MACHINE, self.id)
            power.switch_on(cloud, found)
        power.mark(cloud, found, {marks.MAKING: ""})

    def _clone(self, cloud: VSphereCloud) -> str:
        """Make the clone, off and with its marks; its id."""
        from pyVmomi import vim

        template = self.made_from
        name = f"{template.name}-{secrets.token_hex(_RANDOM_BYTES)}"
        image = inventory.template(cloud, template.needed(template.image, "has no image"))
        on = inventory.datastore(cloud, str(template.datastore or ""))
        location = vim.vm.RelocateSpec(
            pool=cloud.object(POOL, id_of(template.pool)), datastore=cloud.object(DATASTORE, str(on["id"]))
        )
        config = vim.vm.ConfigSpec(
            numCPUs=template.cpus,
            memoryMB=template.memory,
            extraConfig=devices.settings(self._settings(cloud, name)),
        )
        spec = vim.vm.CloneSpec(location=location, config=config, powerOn=False, template=False)
        source, folder = cloud.object(MACHINE, str(image["id"])), cloud.object(FOLDER, id_of(template.folder))
        made = cloud.run(
            f"clone {template.image} to virtual machine {name}", lambda: source.CloneVM_Task(folder, name, spec)
        )
        forget_machines(cloud)
        return str(made)

    def _configure(self, cloud: VSphereCloud, found: Described) -> None:
        """Give it its network, its disks, and their ids, which are known once they are attached."""
        template = self.made_from
        wanted = {str(each["path"]): int(each["size"]) for each in template.disks_of(self.number)}
        self._check_disks(cloud, found, wanted)
        changes = devices.changes(cloud, found, template.root_disk or 0, str(template.network or ""), wanted)
        if changes:
            power.reconfigure(cloud, found, deviceChange=changes)
        if wanted:
            found = self.needed(power.now(cloud, str(found["id"])), "is gone")
            uuids = {devices.path_of(each): devices.uuid_of(each) for each in disks_in(found)}
            said = [
                {**{key: each[key] for key in ("etcd", "member", "members")}, "uuid": uuids[each["path"]]}
                for each in template.disks_of(self.number)
            ]
            power.mark(cloud, found, {names.DISKS: json.dumps(said, sort_keys=True)})

    def _check_disks(self, cloud: VSphereCloud, found: Described, wanted: Collection[str]) -> None:
        """A disk is attached to one machine. Raises KopsError."""
        for each in cloud.once(own_machines) if wanted else ():
            held = {devices.path_of(disk) for disk in disks_in(each)} & set(wanted)
            if held and each["id"] != found["id"]:
                raise KopsError(
                    f"virtual machine {each['name']} has {', '.join(sorted(held))}, which is {self.name}'s: end it, or"
                    " detach the disk in vCenter"
                )

    def _settings(self, cloud: VSphereCloud, name: str) -> dict[str, str]:
        template, birth = self.made_from, over_ssh.new_birth()
        data = str(template.user_data or "")
        if template.server_key is not None:
            data = for_server(data, self._nonce(cloud, name, birth))
        metadata = {
            "instance-id": f"{name}-{birth}",
            "local-hostname": name,
            "public-keys-data": "\n".join(template.ssh_keys or ()),
        }
        return {
            **(template.settings or {}),
            **_for_guest(marks.METADATA, json.dumps(metadata, sort_keys=True)),
            **(_for_guest(marks.USER_DATA, data) if data else {}),
            # By their uuids, its guest finds the disks of etcd.
            "disk.EnableUUID": "TRUE",
            names.CLUSTER: cloud.cluster_name,
            names.STORE: str(self.store or ""),
            names.GROUP: template.name,
            names.NAME: names.server(template.name, self.number, cloud.cluster_name),
            names.MADE_FROM: template.mark(self.number),
            marks.BIRTH: birth,
            marks.MADE: str(int(time.time())),
            marks.MAKING: "true",
        }

    def update(self, cloud: VSphereCloud, actual: VM, changes: dict[str, Change]) -> None:
        """Finish a machine that an earlier run has begun; tell one that is taken over of its own state store."""
        if "store" in changes:
            found = self.needed(self.described(cloud), "is gone")
            power.mark(cloud, found, {names.STORE: str(self.store or "")})
            keep_place(str(self.store), self.made_from.location, self.number)
        self.create(cloud)
        self.wait(cloud)

    def wait(self, cloud: VSphereCloud) -> None:
        found = machine_now(cloud, str(self.id))
        state = "gone" if found is None else self.state_of(cloud, found)
        if found is not None and state == WITHOUT:
            self._give(cloud, found)
            return
        if state != READY:
            raise TryAgainLater(f"virtual machine {self.name} is {state}")

    # -- credentials --------------------------------------------------------------------------------------------

    def _lacks_credentials(self, cloud: VSphereCloud, found: Described) -> bool:
        said = settings_of(found)
        if self.template is None or self.template.server_key is None or marks.BIRTH not in said:
            return False
        key = self._key(cloud)
        return not (key and over_ssh.is_given(said.get(marks.CREDENTIALS, ""), key, document()))

    def _give(self, cloud: VSphereCloud, found: Described) -> None:
        """Give the machine the credentials of the environment. Raises TryAgainLater, KopsError."""
        said, key, given, name = settings_of(found), self._key(cloud), document(), str(found["name"])
        nonce = self._nonce(cloud, name, str(said[marks.BIRTH]))
        access, known = over_ssh.access_of(os.environ), said.get(marks.HOST_KEY, "")
        host = over_ssh.hand_over(addresses(found)[0], name, nonce, given, access, known)
        told = {marks.HOST_KEY: host, marks.CREDENTIALS: over_ssh.mark_of_credentials(key, given)}
        power.mark(cloud, found, told)

    def _nonce(self, cloud: VSphereCloud, name: str, birth: str) -> bytes:
        return over_ssh.nonce_of(self._key(cloud), cloud.cluster_name, name, birth)

    def _key(self, cloud: VSphereCloud) -> bytes:
        template = self.made_from
        return server_key(cloud, str(template.needed(template.server_key, "has no key").base))


def _for_guest(key: str, text: str) -> Mapping[str, str]:
    """What cloud-init reads. Without a time, the same text gives the same value."""
    packed = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
    return {key: packed, f"{key}{marks.ENCODING}": "gzip+base64"}
