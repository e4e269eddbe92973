# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One control plane becomes three; all data is kept."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import etcd, network, running
from ansible_collections.kubeops.kops.tests.lab.sites import Site

FIRST, WORKER, *NEW = "test1", "test2", "test3", "test4"
kubectl = functools.partial(running.kubectl, host=FIRST)
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    """A control plane and a worker, and two more hosts."""
    return new_site(1, 1)


def test_one_control_plane_becomes_three(created: running.Run, site: Site, lab: Callable[[int], list[str]]) -> None:
    assert etcd.voters("main", FIRST) == ["a"]
    kubectl("create", "configmap", "of-old", "--from-literal=by=one")

    lab(4)
    site.control_planes += NEW
    site.write()
    three = site.create()
    assert three.code == 0, three.output
    print(f"\none in {created.seconds:.0f} s, two more in {three.seconds:.0f} s")
    assert running.ready_nodes(FIRST) == site.nodes
    for name in ("main", "events"):
        assert etcd.voters(name, FIRST) == ["a", "b", "c"]
        assert etcd.healthy(name, FIRST) == 3
    for host in site.control_planes:
        found = kubectl("get", "configmap", "of-old", "--output=yaml", f"--server=https://{network.address(host)}")
        assert "by: one" in found

    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output
