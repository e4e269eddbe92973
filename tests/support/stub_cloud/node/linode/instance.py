# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instance of the stub that the process runs on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ...base.errors import KopsError
from ...base.linode_instance_ids import STUB
from ..cloud.disks import Holder, MemberDisk
from ..cloud.instances import CloudInstance
from ..system.machine import Machine
from .api import StubAPI

SCHEME = "stub"


class StubInstance:
    """See node/cloud/."""

    def __init__(self) -> None:
        self.api = StubAPI()

    def facts(self) -> dict[str, str]:
        own = self.api.own()
        return {
            "NODE_NAME": own["name"],
            "INTERNAL_IP": own["address"],
            "PROVIDER_ID": STUB.provider_id(own["name"], own["zone"]),
        }

    def name_by_address(self, facts: Mapping[str, str]) -> str:
        raise KopsError("nodes are named by their instances")

    def facts_named(self, names: Collection[str], machine: Machine, *, check: bool) -> dict[str, str]:
        return {}

    def is_prepared(self) -> bool:
        return False

    def tell_group(self, group: str, hook: str) -> bool:
        return False

    def access_to(self, scheme: str) -> StubAPI:
        if scheme != "s3":
            raise KopsError(f"instances of the stub have no credentials for {scheme}://")
        return self.api

    def cluster_disks(self, cluster: str) -> StubDisks:
        return StubDisks(self.api, cluster)

    def cluster_instances(self, cluster: str) -> StubInstances:
        return StubInstances(self.api, cluster)

    def records(self, zone: str, *, private: bool, role: str, token: Callable[[str], str]) -> Any:
        raise KopsError("the stub has no DNS")

    def proof(self, body: bytes) -> str:
        """The stub signs for whom it sees, which a server has it look at."""
        signed = self.api.ask("sign", {"hash": hashlib.sha256(body).hexdigest()})
        return f"{SCHEME} {signed['token']}"


class StubDisks:
    """The disks of a cluster's members of etcd."""

    def __init__(self, api: StubAPI, cluster: str) -> None:
        own = api.own()
        self.api, self.cluster, self.instance, self.zone = api, cluster, own["name"], own["zone"]

    def all(self) -> list[MemberDisk]:
        found = self.api.cluster(self.cluster)["disks"]
        members: dict[str, set[str]] = {}
        for each in found.values():
            members.setdefault(each["etcd"], set()).add(each["member"])
        return [
            MemberDisk(
                name,
                each["zone"],
                each["etcd"],
                each["member"],
                tuple(sorted(members[each["etcd"]])),
                holder=each["holder"],
                device=each["device"],
                is_attached=bool(each["device"]),
            )
            for name, each in sorted(found.items())
        ]

    def attach(self, disk: MemberDisk) -> bool:
        done: bool = self.api.ask(f"clusters/{self.cluster}/disks/{disk.id}/attach", {})["done"]
        return done

    def holders(self, instances: Collection[str]) -> dict[str, Holder]:
        known = self.api.cluster(self.cluster)["instances"]
        return {
            name: Holder("running", address=known[name]["address"]) if name in known else Holder("gone", lets_go=True)
            for name in instances
        }

    def paths(self, disk: MemberDisk) -> tuple[str, ...]:
        return (disk.device,)


class StubInstances:
    """The instances of a cluster."""

    ids = STUB

    def __init__(self, api: StubAPI, cluster: str) -> None:
        self.api, self.cluster = api, cluster

    def own_id(self) -> str:
        return str(self.api.own()["name"])

    def all(self) -> dict[str, CloudInstance]:
        return {
            name: CloudInstance(name, group=each["group"], role=each["role"], internal=(each["address"],))
            for name, each in self.api.cluster(self.cluster)["instances"].items()
        }

    def servers(self) -> dict[str, CloudInstance]:
        return {name: each for name, each in self.all().items() if each.role == "ControlPlane"}

    def existing(self, ids: Collection[str]) -> set[str]:
        return self.all().keys() & set(ids)
