# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the stub shows of a cluster."""

from __future__ import annotations

import functools
from collections.abc import Collection

from ...engine.resource import Resource, by_key
from ..endpoints import Endpoint
from ..instances import CloudInstance, InstancesOfGroup
from ..looking import Looking
from .cloud import StubCloud, everything


class StubLooking(Looking[StubCloud]):
    """Everything has the cluster's name in its path."""

    def find_objects(self, cloud: StubCloud) -> dict[str, Resource]:
        found = cloud.once(everything)
        disks = frozenset(f"disk:{name}" for name in found["disks"])
        return by_key(
            Resource(kind, name, functools.partial(cloud.ask, "DELETE", f"{kind}s/{name}"), name, blocks)
            for kind, blocks in (("group", disks), ("disk", frozenset()))
            for name in found[f"{kind}s"]
        )

    def api_endpoints(self, cloud: StubCloud) -> list[Endpoint]:
        instances = cloud.once(everything)["instances"].values()
        return [Endpoint(each["address"]) for each in instances if each["role"] == "ControlPlane"]

    def groups(self, cloud: StubCloud, *, only_serving: bool = False, why: bool = False) -> dict[str, InstancesOfGroup]:
        cloud.forget(everything)
        found = cloud.once(everything)
        return {
            name: InstancesOfGroup(
                group["size"],
                [
                    CloudInstance(
                        instance,
                        name,
                        outdated="" if each["user_data"] == group["user_data"] else "its user data is older",
                        private_addresses=(each["address"],),
                        zone=each["zone"],
                        power="running",
                        healthy=True,
                    )
                    for instance, each in found["instances"].items()
                    if each["group"] == name
                ],
            )
            for name, group in found["groups"].items()
        }

    def existing(self, cloud: StubCloud, names: Collection[str]) -> set[str]:
        cloud.forget(everything)
        return set(cloud.once(everything)["instances"]) & set(names)

    def user_data_by_instance(self, cloud: StubCloud) -> dict[str, str]:
        cloud.forget(everything)
        return {name: each["user_data"] for name, each in cloud.once(everything)["instances"].items()}
