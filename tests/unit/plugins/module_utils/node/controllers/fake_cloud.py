# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cloud with instances and records, for controllers; and a clock that tests turn."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.instance_ids import EC2
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.instances import CloudInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.records import RecordSet

OWN = "i-00000000000000000"


class Clock:
    """Seconds."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class FakeCloud:
    """Instances by id. asked: the questions so far. failing: whether it answers with an error."""

    ids = EC2

    def __init__(self) -> None:
        self.instances: dict[str, CloudInstance] = {}
        self.untagged: set[str] = set()
        self.asked: list[str] = []
        self.failing = False
        self.add(OWN, group="control-plane-a", role="ControlPlane", internal=("10.0.0.1",), external=("54.0.0.1",))

    def add(self, instance: str, **values: Any) -> None:
        self.instances[instance] = CloudInstance(instance, **{"group": "nodes-a", **values})

    def own_id(self) -> str:
        return OWN

    def all(self) -> dict[str, CloudInstance]:
        self._ask("all")
        return dict(self.instances)

    def servers(self) -> dict[str, CloudInstance]:
        self._ask("servers")
        return {name: each for name, each in self.instances.items() if each.group != "nodes-a"}

    def existing(self, ids: Collection[str]) -> set[str]:
        self._ask("existing")
        known = {name for name, each in self.instances.items() if not each.is_terminated}
        return set(ids) & (known | self.untagged)

    def _ask(self, question: str) -> None:
        self.asked.append(question)
        if self.failing:
            raise KopsError("the cloud does not answer")


class FakeRecords:
    """Record sets by name and type. written: those of each write. read: how many were read."""

    def __init__(self) -> None:
        self.sets: dict[tuple[str, str], RecordSet] = {}
        self.written: list[list[RecordSet]] = []
        self.read = 0

    def find(self, name: str, record_type: str) -> RecordSet | None:
        self.read += 1
        return self.sets.get((name, record_type))

    def write(self, records: Collection[RecordSet], seconds: int) -> None:
        assert seconds == 60
        self.written.append(list(records))
        self.sets.update({(each.name, each.type): each for each in records})
