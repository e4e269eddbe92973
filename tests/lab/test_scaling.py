# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A single control plane becomes three, and keeps what it knew."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import cluster, etcd, network, running

CONTROL_PLANES, WORKER = ["test1", "test2", "test3"], "test4"
kubectl = functools.partial(running.kubectl, host=CONTROL_PLANES[0])
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def create(
    lab: Callable[[int], list[str]], state_store: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], running.Run]:
    """Function: run create_cluster for so many control planes and a worker."""
    lab(4)
    directory = tmp_path_factory.mktemp("manifest")

    def run(count: int) -> running.Run:
        manifest = directory / f"{count}.yml"
        manifest.write_text(cluster.manifest(control_planes=count, api=network.address(CONTROL_PLANES[0])))
        groups = {cluster.control_plane_group(index): [name] for index, name in enumerate(CONTROL_PLANES[:count])}
        variables = {"kops_manifest": str(manifest), "kops_state_store": state_store}
        return running.playbook("create_cluster", running.inventory({**groups, "nodes": [WORKER]}), variables)

    return run


def test_one_control_plane_becomes_three(create: Callable[[int], running.Run]) -> None:
    one = create(1)
    assert one.code == 0, one.output
    assert etcd.voters("main", CONTROL_PLANES[0]) == ["a"]
    kubectl("create", "configmap", "of-old", "--from-literal=by=one")

    three = create(3)
    assert three.code == 0, three.output
    print(f"\none in {one.seconds:.0f} s, two more in {three.seconds:.0f} s")
    assert running.ready_nodes(CONTROL_PLANES[0]) == [*CONTROL_PLANES, WORKER]
    for name in ("main", "events"):
        assert etcd.voters(name, CONTROL_PLANES[0]) == ["a", "b", "c"]
        assert etcd.healthy(name, CONTROL_PLANES[0]) == 3
    for host in CONTROL_PLANES:
        found = kubectl("get", "configmap", "of-old", "--output=yaml", f"--server=https://{network.address(host)}")
        assert "by: one" in found

    again = create(3)
    assert (again.code, again.changed) == (0, 0), again.output
