# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Control planes on vSphere that hold the address of the API by turns: no load balancer is there.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab.cloud import machines
from ansible_collections.kubeops.kops.tests.lab.vsphere.sites import VSphereSite

pytestmark = pytest.mark.long
# Free in the network of the lab.
ADDRESS = "172.20.0.8"
WAITS = {"kops_validate_wait": 600, "kops_validate_interval": 3, "kops_validate_count": 1}
# Seconds within which another control plane has to have it.
AWAY = 30


@pytest.fixture(scope="module")
def site(new_site: Callable[..., VSphereSite]) -> VSphereSite:
    """Three control planes and a worker, which joins through the address."""
    options = {"api_loadbalancer_type": None, "api_public_name": ADDRESS, "control_plane_count": 3, "node_count": 1}
    made = new_site({"networking": "flannel", **options})
    run = made.create(**WAITS)
    assert run.code == 0, f"{run.output}\n{made.state()}"
    print(f"\nfrom nothing to valid in {run.seconds:.0f} s")
    return made


def holders(site: VSphereSite, *but: str) -> list[str]:
    """The control planes that have the address. but: those that are not asked."""
    show = ("ip", "-oneline", "address", "show", "to", ADDRESS)
    return [name for name in site.control_planes() if name not in but and machines.within(name, *show)]


def answers(site: VSphereSite) -> bool:
    """Whether an API server answers at the address, as workers reach it; who says no name is refused."""
    ask = ("curl", "--silent", "--insecure", "--max-time", "2", "--output", "/dev/null", "--write-out", "%{http_code}")
    return machines.within(site.workers()[0], *ask, f"https://{ADDRESS}/healthz", check=False).strip() in ("200", "401")


def test_one_control_plane_has_the_address_and_workers_join_through_it(site: VSphereSite) -> None:
    assert len(holders(site)) == 1
    assert answers(site)
    assert site.ready() == sorted(site.instances())


def test_another_one_takes_it_when_its_holder_is_gone_and_a_successor_is_made(site: VSphereSite) -> None:
    (holder,) = holders(site)
    started = time.monotonic()
    machines.hang(holder)
    site.wait(lambda: answers(site), AWAY)
    print(f"\nthe address was away for {time.monotonic() - started:.0f} s")
    (heir,) = holders(site, holder)
    assert heir != holder
    site.wait(lambda: holder not in site.ready(), 180)
    run = site.run("repair", **WAITS, kops_repair_after=1, kops_repair_drain_timeout=5)
    assert run.code == 0, f"{run.output}\n{site.state()}"
    assert holder not in site.control_planes()
    assert len(site.control_planes()) == 3
    assert len(holders(site)) == 1
    assert site.ready() == sorted(site.instances())


def test_a_second_run_changes_nothing(site: VSphereSite) -> None:
    again = site.run("update_cluster")
    assert (again.code, again.changed) == (0, 0), again.output


def test_deletion_leaves_nothing(site: VSphereSite) -> None:
    run = site.run("delete_cluster")
    assert run.code == 0, run.output
    assert site.instances() == {}
