# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacement of instances, for rolling updates: managed groups start others, with other names.

kops lets a group make an instance again under its name (recreateInstances), and cannot detach any.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict

from ...base.errors import KopsError
from ..instances import CloudInstance
from ..replacing import Replacing
from .cloud import COMPUTE, GCECloud
from .detached import LABEL, is_marked, own_size
from .identifiers import last_component
from .instances import LIVING, MADE_BY, Described, metadata_of, owned_instances, owned_managers

# How long an instance may take to begin to end, and the pause between two looks, in seconds.
_ENDING_SECONDS, _PAUSE = 120.0, 1.0


class GCEReplacing(Replacing[GCECloud]):
    """Instances of managed groups. Those of one group are changed one after the other: its size is read and written."""

    def __init__(self) -> None:
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def detach(self, cloud: GCECloud, machine: CloudInstance) -> None:
        """Mark an instance, and let its group have one more (detached.py)."""
        with self._locks[machine.within]:
            self._detach(cloud, machine)

    def deregister(self, cloud: GCECloud, machine: CloudInstance, seconds: float) -> None:
        """Take an instance out of its group's target pools, to which Google then sends no new connections.

        Backend services take whole groups; there, a load balancer only notices that the instance has ended.
        """
        manager = cloud.once(owned_managers).get(machine.within) or {}
        url = f"{cloud.project}/zones/{machine.zone}/instances/{machine.name}"
        for pool in manager.get("targetPools") or ():
            path = f"{cloud.project}/regions/{cloud.region}/targetPools/{last_component(pool)}"
            members = (cloud.get(COMPUTE, path) or {}).get("instances") or ()
            if any(each.endswith(f"/{url}") for each in members):
                instance = next(each for each in members if each.endswith(f"/{url}"))
                cloud.call(f"{path}/removeInstance", {"instances": [{"instance": instance}]})

    def terminate(self, cloud: GCECloud, machine: CloudInstance) -> None:
        """End an instance; its group has started another one before. One that is gone is no error."""
        with self._locks[machine.within]:
            instance = self._living(cloud, machine.name)
            if instance is None:
                return
            if machine.within and self._detach(cloud, machine) is not None:
                self._delete_from_group(cloud, machine, instance)
            else:
                cloud.delete(f"{cloud.project}/zones/{last_component(instance['zone'])}/instances/{machine.name}")
        self._await_end(cloud, machine)

    def replenish(self, cloud: GCECloud, group: str) -> None:
        """Managed groups keep their numbers by themselves."""

    def remove(self, cloud: GCECloud, machine: CloudInstance, wanted: int, fixed: bool) -> None:
        """End an instance, and let its group want one fewer, in one step. One that is gone is no error."""
        with self._locks[machine.within]:
            instance = self._living(cloud, machine.name)
            if instance is None:
                return
            self._delete_from_group(cloud, machine, instance)
        self._await_end(cloud, machine)

    def _detach(self, cloud: GCECloud, machine: CloudInstance) -> Described | None:
        """The managed group, once it has one more instance; None if the instance is of no group."""
        cloud.forget(owned_managers)
        instance, manager = self._living(cloud, machine.name), cloud.once(owned_managers).get(machine.within)
        if instance is None or manager is None:
            return None
        members = [
            each
            for each in cloud.once(owned_instances)
            if each.get("status") in LIVING and last_component(metadata_of(each).get(MADE_BY, "")) == machine.within
        ]
        size = own_size(manager, members)
        if not is_marked(instance):
            # First of all: if this is all that happens, a later run knows what the size has to be.
            path = f"{cloud.project}/zones/{last_component(instance['zone'])}/instances/{machine.name}"
            labels = {**(instance.get("labels") or {}), LABEL: str(size)}
            cloud.call(
                f"{path}/setLabels", {"labels": labels, "labelFingerprint": instance.get("labelFingerprint", "")}
            )
        detached = {each["name"] for each in members if is_marked(each)} | {machine.name}
        wanted = size + len(detached)
        if int(manager.get("targetSize") or 0) < wanted:
            zone = last_component(manager["zone"])
            path = f"{cloud.project}/zones/{zone}/instanceGroupManagers/{machine.within}"
            cloud.call(f"{path}/resize", size=str(wanted))
        return manager

    def _delete_from_group(self, cloud: GCECloud, machine: CloudInstance, instance: Described) -> None:
        """The target size falls with it."""
        zone = last_component(instance["zone"])
        path = f"{cloud.project}/zones/{zone}/instanceGroupManagers/{machine.within}"
        cloud.call(f"{path}/deleteInstances", {"instances": [f"zones/{zone}/instances/{machine.name}"]})

    def _living(self, cloud: GCECloud, name: str) -> Described | None:
        cloud.forget(owned_instances)
        found = (each for each in cloud.once(owned_instances) if each["name"] == name and each["status"] in LIVING)
        return next(found, None)

    def _await_end(self, cloud: GCECloud, machine: CloudInstance) -> None:
        """Wait until the group has begun to delete it. Raises KopsError."""
        end = time.monotonic() + _ENDING_SECONDS
        while self._living(cloud, machine.name) is not None:
            if time.monotonic() > end:
                raise KopsError(f"{machine.name} is still there, though its group was told to delete it")
            time.sleep(_PAUSE)
