# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All keys of three control planes and two workers are rotated by one playbook, which is killed once in each step.

The tests of this file go through the life of one cluster, in their order; test_rotation.py has the single steps.
"""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import etcd, hosts, running, workloads
from ansible_collections.kubeops.kops.tests.lab.probe import PER_SECOND, Probe
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.long

FIRST = "test1"
WAITS = {"kops_validate_wait": 300}
# API servers of three control planes restart: as many requests of a step may fail as are made in so many seconds.
SECONDS_AWAY = 4
kubectl = functools.partial(running.kubectl, host=FIRST)


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site]) -> Site:
    made: Site = new_site(3, 2, spec={"encryptionConfig": True})
    return made


@pytest.fixture(scope="module")
def kubeconfig(site: Site, created: running.Run) -> str:
    """The file of a user, as it was at the beginning."""
    path = site.directory / "kubeconfig"
    written = site.run("kubeconfig", kops_kubeconfig=str(path))
    assert written.code == 0, written.output
    workloads.start(kubectl)
    kubectl("create", "secret", "generic", "marker", "--from-literal=it=lives")
    return path.read_text()


def pods() -> set[str]:
    """The uids of pods with a controller."""
    found = running.kubectl_json("get", "pods", "--all-namespaces", host=FIRST)["items"]
    return {
        pod["metadata"]["uid"]
        for pod in found
        if any(owner["kind"] != "Node" for owner in pod["metadata"].get("ownerReferences", ()))
    }


def is_cordoned(host: str) -> bool:
    return kubectl("get", "node", host, "--output=jsonpath={.spec.unschedulable}", check=False) == "true"


def stored() -> bytes:
    """The secret as it is in etcd."""
    return etcd.value("main", "/registry/secrets/default/marker", FIRST, kubectl)


def step(site: Site, state: str, killed_when: Callable[[], bool], **variables: str) -> running.Run:
    """Go on until a step, killed once; what was begun is completed without being asked for again."""
    before = pods()
    with Probe(site.workers[0]) as probe:
        killed = site.killed("rotate", killed_when, kops_rotate_until=state, **WAITS, **variables)
        assert killed.code == -9, killed.output
        run = site.run("rotate", kops_rotate_until=state, **WAITS)
        assert run.code == 0, run.output
    print(f"\n{state}: killed after {killed.seconds:.0f} s, then {run.seconds:.0f} s; {probe.seen}")
    print(run.output)
    assert len(probe.seen.failed) <= SECONDS_AWAY * PER_SECOND
    assert running.ready_nodes(FIRST) == site.nodes
    assert not before & pods()
    again = site.run("rotate", kops_rotate_until=state, **WAITS)
    assert (again.code, again.changed) == (0, 0), again.output
    return run


def test_new_keys_are_trusted(site: Site, kubeconfig: str) -> None:
    before = datetime.datetime.now(datetime.timezone.utc).isoformat()
    planned = site.run("rotate", "--check", kops_rotate_before=before)
    assert planned.code == 0, planned.output
    assert planned.output.count("all nodes take this up") == 3
    # Workers take up new CAs without being drained.
    step(site, "present", lambda: is_cordoned(site.control_planes[1]), kops_rotate_before=before)


def test_new_keys_sign(site: Site, kubeconfig: str) -> None:
    step(site, "promoted", lambda: is_cordoned(site.control_planes[1]))
    assert b"k8s:enc:secretbox:v1:key-" in stored()


def test_old_keys_are_distrusted(site: Site, kubeconfig: str) -> None:
    was = stored()
    step(site, "distrusted", lambda: is_cordoned(site.control_planes[2]))
    assert stored().split(b":")[:5] != was.split(b":")[:5]
    assert kubectl("get", "secret", "marker", "--output=jsonpath={.data.it}") == "bGl2ZXM="
    hosts.within(FIRST, "sh", "-c", "cat >/root/old.kubeconfig", stdin=kubeconfig)
    old = ("get", "nodes", "--kubeconfig=/root/old.kubeconfig")
    with pytest.raises(RuntimeError, match="certificate signed by unknown authority"):
        kubectl(*old)
    with pytest.raises(RuntimeError, match="asked for the client to provide credentials"):
        kubectl(*old, "--certificate-authority=/srv/kubernetes/ca.crt")
    valid = site.run("validate_cluster", kops_validate_wait=60)
    assert valid.code == 0, valid.output
