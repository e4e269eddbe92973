# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All keys of a cluster are rotated while it works: three steps, in each of which the controller is killed once.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import hosts, running, workloads
from ansible_collections.kubeops.kops.tests.lab.probe import PER_SECOND, Probe
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.long

FIRST = "test1"
KEYSETS = ("apiserver-aggregator-ca", "etcd-clients-ca", "etcd-peers-ca-main", "kubernetes-ca", "service-account")
CERTIFICATE = "BEGIN CERTIFICATE"
kubectl = functools.partial(running.kubectl, host=FIRST)
kubectl_json = functools.partial(running.kubectl_json, host=FIRST)
# Requests of each step that fail while the API servers of control planes restart. One of several is gone when it is
# asked; a single one is away for as long as it takes to start.
SECONDS_AWAY = {1: 120, 3: 4}


@pytest.fixture(scope="module", params=[(1, 2), (3, 2)], ids=["1 + 2", "3 + 2"])
def site(request: pytest.FixtureRequest, new_site: Callable[..., Site]) -> Site:
    """A cluster with an own state store, and its workers but the last, which joins at the end."""
    for name in hosts.names():
        if name.startswith("test"):
            hosts.remove(name)
    made: Site = new_site(*request.param)
    made.state_store += f"/{request.param[0]}"
    return made


def recorded() -> str:
    """The hash of the keys that the control plane uses; "" while it does not answer."""
    found = kubectl("get", "configmap", "kops-cluster-keys", "--namespace=kube-system", "--output=json", check=False)
    return str(json.loads(found)["data"]["keys"]) if found.startswith("{") else ""


def is_cordoned(host: str) -> bool:
    return kubectl("get", "node", host, "--output=jsonpath={.spec.unschedulable}", check=False) == "true"


def pods() -> dict[str, str]:
    """Pods with a controller: uid -> namespace/name."""
    return {
        pod["metadata"]["uid"]: f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        for pod in kubectl_json("get", "pods", "--all-namespaces")["items"]
        if any(owner["kind"] != "Node" for owner in pod["metadata"].get("ownerReferences", ()))
    }


def authorities(host: str, path: str) -> int:
    """How many certificates are in a file, or in a kubeconfig."""
    script = (
        "import base64, re, sys; text = open(sys.argv[1]).read();"
        "found = re.search('certificate-authority-data: *([^ \\n]+)', text);"
        f"print((base64.b64decode(found.group(1)).decode() if found else text).count('{CERTIFICATE}'))"
    )
    return int(hosts.within(host, "python3", "-c", script, path))


def step(site: Site, state: str, killed_when: Callable[[], bool]) -> None:
    """A step on all keysets; its rolling update is killed once, and run again."""
    before = pods()
    done = site.run("keypair", kops_keyset="all", kops_keypair_state=state)
    assert done.code == 0, done.output
    for keyset in KEYSETS:
        assert keyset in done.output
    # A control plane asks its own API server only.
    with Probe(site.workers[0]) as probe:
        updated = site.run("update_cluster")
        assert updated.code == 0, updated.output
        killed = site.killed("rolling_update", killed_when)
        assert killed.code == -9, killed.output
        run = site.run("rolling_update")
        assert run.code == 0, run.output
    print(f"\n{state}: killed after {killed.seconds:.0f} s, then {run.seconds:.0f} s; {probe.seen}")
    assert probe.seen.asked > run.seconds
    assert len(probe.seen.failed) <= SECONDS_AWAY[len(site.control_planes)] * PER_SECOND
    assert running.ready_nodes(FIRST) == site.nodes
    # Whatever knew the keys of before is gone, DaemonSets' pods as well.
    assert not before.keys() & pods().keys()
    valid = site.run("validate_cluster", kops_validate_wait=60)
    assert valid.code == 0, valid.output
    again = site.run("rolling_update")
    assert (again.code, again.changed) == (0, 0), again.output


def refused(site: Site, state: str, *words: str) -> None:
    """A step too early changes nothing, and says why."""
    before = site.run("get_keypairs").results("Read")
    run = site.run("keypair", kops_keyset="all", kops_keypair_state=state)
    assert run.code != 0
    for word in ("nothing was changed", "kubernetes-ca", "kubeops.kops.rolling_update", *site.nodes, *words):
        assert word in run.output
    assert site.run("get_keypairs").results("Read") == before


def test_new_keys_are_trusted(created: running.Run, site: Site) -> None:
    workloads.start(kubectl)
    step(site, "present", lambda: is_cordoned(FIRST))
    for host in site.nodes:
        for path in ("/srv/kubernetes/ca.crt", "/var/lib/kubelet/kubeconfig", "/var/lib/kube-proxy/kubeconfig"):
            assert authorities(host, path) == 2


def test_new_keys_sign(created: running.Run, site: Site) -> None:
    before = recorded()
    step(site, "promoted", lambda: recorded() not in ("", before))


def test_old_keys_are_distrusted(created: running.Run, site: Site) -> None:
    step(site, "distrusted", lambda: is_cordoned(FIRST))
    for host in site.nodes:
        for path in ("/srv/kubernetes/ca.crt", "/var/lib/kubelet/kubeconfig", "/var/lib/kube-proxy/kubeconfig"):
            assert authorities(host, path) == 1


def test_a_host_that_joins_then_reaches_all(created: running.Run, site: Site) -> None:
    newcomer = f"test{len(site.nodes) + 1}"
    hosts.start(newcomer)
    site.workers.append(newcomer)
    site.write()
    run = site.create()
    assert run.code == 0, run.output
    places = workloads.start(kubectl)
    assert sorted(places) == site.nodes
    for asked in places.values():
        assert workloads.dial(kubectl, places[newcomer]["name"], asked["address"], 8080) == [asked["name"]]


def test_a_step_too_early_is_refused(created: running.Run, site: Site) -> None:
    assert site.run("keypair", kops_keyset="all").code == 0
    refused(site, "promoted", "do not trust it yet")
