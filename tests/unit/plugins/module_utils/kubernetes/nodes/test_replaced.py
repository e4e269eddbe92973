# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Control planes that another host has replaced are forgotten, and nobody else."""

from __future__ import annotations

import datetime
import threading
import time

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.replaced import delete_replaced
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

ROLE = {"node-role.kubernetes.io/control-plane": ""}


def nodes(api: FakeKubernetes) -> set[str]:
    return {path.rpartition("/")[2] for path in api.objects if path.startswith("/api/v1/nodes/")}


def add(api: FakeKubernetes, name: str, labels: dict[str, str], ready: str, silent: float) -> None:
    """A node, and the lease that its kubelet has not renewed for so many seconds."""
    conditions = [{"type": "Ready", "status": ready}]
    api.add("Node", name, metadata={"labels": labels}, status={"conditions": conditions})
    renew(api, name, silent)


def renew(api: FakeKubernetes, name: str, silent: float) -> None:
    moment = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=silent)
    spec = {"renewTime": moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
    api.add("Lease", name, "kube-node-lease", "coordination.k8s.io/v1", spec=spec)


@pytest.mark.parametrize("control_planes", [["c1", "new"], []])
def test_who_was_replaced_is_forgotten(control_planes: list[str]) -> None:
    with serving() as api:
        add(api, "c1", ROLE, "True", 3)
        add(api, "new", ROLE, "Unknown", 300)
        add(api, "replaced", ROLE, "Unknown", 300)
        add(api, "just-died", ROLE, "True", 26)
        add(api, "worker", {}, "Unknown", 300)
        before = nodes(api)
        gone = {"replaced", "just-died"} if control_planes else set()
        ahead = delete_replaced(api.client(check=True), control_planes, wait=60)
        assert nodes(api) == before
        done = delete_replaced(api.client(), control_planes, wait=60)
        assert nodes(api) == before - gone
        assert {step.item for step in ahead} == {step.item for step in done} == {f"Node {name}" for name in gone}
        assert not delete_replaced(api.client(), control_planes, wait=60)


def test_who_renews_its_lease_lives() -> None:
    with serving() as api:
        add(api, "c1", ROLE, "True", 3)
        add(api, "stranger", ROLE, "True", 10)
        later = threading.Timer(1.5, lambda: renew(api, "stranger", 0))
        later.start()
        begun = time.monotonic()
        assert not delete_replaced(api.client(), ["c1"], wait=60)
        assert time.monotonic() - begun < 15
        later.join()


def test_who_is_silent_is_waited_for() -> None:
    with serving() as api:
        add(api, "c1", ROLE, "True", 3)
        add(api, "replaced", ROLE, "True", 23)
        assert not delete_replaced(api.client(), ["c1"], wait=0)
        (step,) = delete_replaced(api.client(), ["c1"], wait=60)
        assert step.item == "Node replaced"
