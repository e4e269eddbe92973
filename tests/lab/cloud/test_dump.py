# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A dump of a control plane and a worker, without SSH: all runs, then no API server, then the worker hangs, too.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from unittest import mock

import pytest
from ansible_collections.kubeops.kops.tests.lab import hosts, running
from ansible_collections.kubeops.kops.tests.lab.cloud import clusters, machines
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CONSOLES, HEALTH, CloudSite
from ansible_collections.kubeops.kops.tests.support import dumps

pytestmark = pytest.mark.long
ADDONS = ("aws-cloud-controller-manager",)
MANIFEST, ASIDE = "/etc/kubernetes/manifests/kube-apiserver.manifest", "/root/kube-apiserver.manifest"


@pytest.fixture(scope="module")
def site(new_site: Callable[..., CloudSite]) -> CloudSite:
    """A cluster, on whose nodes logs have all secrets in them."""
    made = new_site({"networking": "flannel", "node_count": 1})
    created = made.create(kops_validate_wait=600, kops_validate_interval=3)
    assert created.code == 0, f"{created.output}\n{made.state()}"
    print(f"\nfrom nothing to valid in {created.seconds:.0f} s")
    made.kubectl("create", "secret", "generic", "user", "--from-literal=word=f5d1c0a2")
    stored = made.run("secret", kops_secret="dockerconfig", kops_secret_value=dumps.DOCKER_CONFIG)
    assert stored.code == 0, stored.output
    return made


@pytest.fixture(scope="module")
def secrets(site: CloudSite) -> list[bytes]:
    with mock.patch.dict(os.environ, site.environment()):
        found = dumps.secrets_of(site.store, clusters.NAME)
    for name in site.instances():
        machines.within(name, "sh", "-c", "cat >/var/log/leak.log", stdin=dumps.spoken(found))
        machines.within(name, "systemd-cat", "--identifier=leak", "cat", "/var/log/leak.log")
    return found


def dump(site: CloudSite, directory: pathlib.Path, secrets: list[bytes]) -> tuple[running.Run, dict[str, bytes]]:
    """A run of the playbook, and what is in the archive: no secret."""
    done = site.run("toolbox_dump", kops_dump_directory=str(directory))
    assert done.code == 0, done.output
    return done, dumps.taken(directory, done.output, done.seconds, secrets)


def assert_consoles(site: CloudSite, files: dict[str, bytes], *names: str) -> None:
    """The consoles of instances are among the files, where the cloud shows them."""
    for name in names if CONSOLES in site.shows else ():
        assert b"kubeops: " in files[f"nodes/{name}/console.log"]


def test_everything_runs(site: CloudSite, secrets: list[bytes], tmp_path: pathlib.Path) -> None:
    planned = site.run("toolbox_dump", "--check", kops_dump_directory=str(tmp_path))
    assert planned.code == 0, planned.output
    assert list(tmp_path.iterdir()) == []
    _run, files = dump(site, tmp_path, secrets)
    index = dumps.index_of(files)
    servers, workers = site.control_planes(), site.workers()
    ways = {(node["name"], node["way"]): node["why"] for node in index["nodes"]}
    assert {name: ways[name, "api"] for name in (*servers, *workers)} == dict.fromkeys((*servers, *workers), "")
    pods = [path for path in files if path.startswith(f"nodes/{servers[0]}/pods/kube-system/kube-apiserver-")]
    assert pods, sorted(files)
    assert f"nodes/{workers[0]}/log/leak.log" in files
    assert files[f"nodes/{workers[0]}/log/leak.log"].startswith(b"begin of the log\n(hidden)")
    assert files[f"nodes/{workers[0]}/log/leak.log"].endswith(b"end of the log\n")
    assert b'"kind": "Event"' in files["cluster/namespaces/kube-system/events.json"]
    assert_consoles(site, files, servers[0])
    # As the cloud calls them.
    assert any(workers[0].encode() in content for path, content in files.items() if path.startswith("cloud/"))
    if HEALTH in site.shows:
        assert servers[0].encode() in files["cloud/target-health.json"]
    assert b'"name": "user"' in files["cluster/namespaces/default/secrets.json"]
    assert index["removed"]["value of a Secret"] >= 1
    assert dumps.leaks(files, [b"f5d1c0a2"]) == []


def test_no_api_server_runs(site: CloudSite, secrets: list[bytes], tmp_path: pathlib.Path) -> None:
    server = site.control_planes()[0]
    machines.within(server, "mv", MANIFEST, ASIDE)
    site.wait(lambda: site.nodes() == {}, 60)
    _run, files = dump(site, tmp_path, secrets)
    index = dumps.index_of(files)
    (why,) = (each["why"] for each in index["missing"] if each["what"] == "cluster")
    assert "cannot be reached" in why
    assert_consoles(site, files, *site.instances())
    assert ("cloud/target-health.json" in files) == (HEALTH in site.shows)


def test_over_ssh_no_api_server_is_needed(site: CloudSite, secrets: list[bytes], tmp_path: pathlib.Path) -> None:
    """As with the inventory plugin: a host for each instance. The worker hangs."""
    server, worker = site.control_planes()[0], site.workers()[0]
    public = hosts.key_pair().with_suffix(".pub").read_text()
    machines.within(server, "sh", "-c", "mkdir -p /root/.ssh && cat >/root/.ssh/authorized_keys", stdin=public)
    machines.hang(worker)
    inventory = running.inventory({})
    inventory["all"]["hosts"] = {name: {"ansible_host": site.address(name)} for name in (server, worker)}
    done = running.playbook(
        "toolbox_dump", inventory, {"kops_dump_directory": str(tmp_path)}, variables=site.environment()
    )
    assert done.code == 0, done.output
    files = dumps.taken(tmp_path, done.output, done.seconds, secrets)
    assert b"(hidden)" in files[f"nodes/{server}/journal.log"]
    assert b"kube-apiserver" in files[f"nodes/{server}/kubelet.log"]
    missing = {each["what"]: each["why"] for each in dumps.index_of(files)["missing"]}
    assert worker in str([what for what in missing if what == f"nodes/{worker}"])
    assert "cluster" in missing


def test_a_worker_that_hangs_holds_up_nothing(site: CloudSite, secrets: list[bytes], tmp_path: pathlib.Path) -> None:
    server, worker = site.control_planes()[0], site.workers()[0]
    machines.within(server, "mv", ASIDE, MANIFEST)
    site.wait(lambda: server in site.ready(), 120)
    done, files = dump(site, tmp_path, secrets)
    why = {(node["name"], node["way"]): node["why"] for node in dumps.index_of(files)["nodes"]}
    assert "its kubelet does not answer" in why[worker, "api"]
    assert f"nodes/{server}/log/leak.log" in files
    assert (f"nodes/{worker}/console.log" in files) == (CONSOLES in site.shows)
    assert done.seconds < 150
