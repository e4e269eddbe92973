# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stub of a cloud, with nothing but its own folders and rows: its instances become a cluster that runs pods.

Its own are the proof by which workers are known, disks, names and addresses (tests/support/stub_cloud/). The state
store is in S3, which any cloud can have.
"""

from __future__ import annotations

import json
import pathlib
import time
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.tests.lab import binaries, cluster, hosts, images, running
from ansible_collections.kubeops.kops.tests.lab.cloud import account, clusters, machines, network, stub_machines
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import ADMIN
from ansible_collections.kubeops.kops.tests.support import stub_collection
from ansible_collections.kubeops.kops.tests.support.stub_api import Stub, served

pytestmark = pytest.mark.turn(5)

NAME = "stub.example.com"
# What the cloud controller of a cloud takes from new nodes; the stub has none.
_TAINT = "node.cloudprovider.kubernetes.io/uninitialized"
_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "hello"},
    "spec": {"containers": [{"name": "pause", "image": "registry.k8s.io/pause:3.10.1"}]},
}


class StubSite:
    """A cluster in the stub. collections: the path that has the collection with it."""

    def __init__(self, stub: Stub, url: str, collections: pathlib.Path, directory: pathlib.Path) -> None:
        self.stub, self.collections = stub, collections
        self.environment = {
            **clusters.environment(),
            "KOPS_CLUSTER_NAME": NAME,
            "ANSIBLE_COLLECTIONS_PATH": str(collections),
            "STUB_CLOUD": url,
        }
        self.manifest = directory / "cluster.yml"

    def run(self, playbook: str, **variables: Any) -> running.Run:
        """Run a playbook of the collection with the stub."""
        return running.playbook(playbook, None, variables, variables=self.environment)

    def instances(self, role: str) -> dict[str, dict[str, Any]]:
        """Those of a role, by name."""
        found = self.stub.cluster(NAME)["instances"]
        return {name: each for name, each in found.items() if each["role"] == role}

    def kubectl(self, *arguments: str, stdin: str | None = None, check: bool = True) -> str:
        """On the control plane."""
        (server,) = self.instances("ControlPlane")
        return machines.within(server, "kubectl", f"--kubeconfig={ADMIN}", *arguments, stdin=stdin, check=check)

    def ready(self) -> list[str]:
        """The names of Nodes that are ready, once what the cloud controller does is done."""
        self.kubectl("taint", "nodes", "--all", f"{_TAINT}-", check=False)
        try:
            nodes = json.loads(self.kubectl("get", "nodes", "--output=json"))["items"]
        except (RuntimeError, ValueError):
            return []
        return sorted(node["metadata"]["name"] for node in nodes if _is_ready(node))

    def state(self) -> str:
        """What a person would look at first."""
        log = ("journalctl", "--no-pager", "--output=cat", "--unit=kops-configuration")
        texts = [self.kubectl("get", "nodes,pods", "--all-namespaces", check=False)]
        names = self.stub.cluster(NAME)["instances"]
        return "\n".join([*texts, *(f"{name}:\n{machines.within(name, *log, check=False)[-2000:]}" for name in names)])


def _is_ready(node: dict[str, Any]) -> bool:
    return any(each["type"] == "Ready" and each["status"] == "True" for each in node["status"]["conditions"])


@pytest.fixture(name="site", scope="module")
def make_site(prepared: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StubSite]:
    directory = tmp_path_factory.mktemp("stub")
    network.up(images.anchor(binaries.pause()))
    account.start()
    addresses = (f"172.20.7.{number}" for number in range(10, 250))
    stub = Stub(stub_machines.StubMachines(), addresses, ("testing", "testing"))
    collections = stub_collection.with_stub(directory / "collections")
    with served(stub, network.BRIDGE.gateway, network.METADATA_PORT) as url:
        try:
            yield StubSite(stub, url, collections, directory)
        finally:
            stub_machines.remove(list(stub.cluster(NAME)["instances"]))
            account.stop()
            network.down()


@pytest.fixture(name="created", scope="module")
def make_cluster(site: StubSite) -> StubSite:
    """The cluster: its objects are there, and its instances have become nodes."""
    site.manifest.write_text(manifest())
    run = site.run("create_cluster", kops_manifest=str(site.manifest))
    assert run.code == 0, run.output
    expected, end = sorted([*site.instances("ControlPlane"), *site.instances("Node")]), time.monotonic() + 420
    while site.ready() != expected:
        assert time.monotonic() < end, site.state()
        time.sleep(2)
    return site


def manifest() -> str:
    """A control plane and a worker, with the fields that hosts of the lab need."""
    given = {
        "name": NAME,
        "state_store": account.STORE,
        "cloud": stub_collection.NAME,
        "zones": ["us-east"],
        "networking": "flannel",
        "kubernetes_version": binaries.KUBERNETES[binaries.NEWEST],
        "ssh_public_key": hosts.key_pair().with_suffix(".pub").read_text().strip(),
        "dry_run": True,
    }
    documents = list(yaml.safe_load_all(create_cluster(given, check_mode=False).as_result()["manifest"]))
    (found,) = (each for each in documents if each["kind"] == "Cluster")
    found["spec"] = cluster.merged(found["spec"], clusters.lab_fields(found["spec"]))
    return "---\n".join(yaml.safe_dump(document, sort_keys=False) for document in documents)


def test_its_instances_become_nodes(created: StubSite) -> None:
    (worker,) = created.instances("Node")
    node = json.loads(created.kubectl("get", "node", worker, "--output=json"))
    assert node["spec"]["providerID"] == f"stub://us-east/{worker}"
    assert node["metadata"]["labels"]["kops.k8s.io/instancegroup"] == "nodes-us-east"
    boot = json.loads(machines.within(worker, "cat", "/etc/kubeops/boot.json"))
    assert "store" not in boot


def test_a_second_run_changes_nothing(created: StubSite) -> None:
    run = created.run("update_cluster")
    assert (run.code, run.changed) == (0, 0), run.output


def test_the_worker_runs_a_pod(created: StubSite) -> None:
    (worker,) = created.instances("Node")
    created.kubectl("apply", "--filename=-", stdin=json.dumps({**_POD, "spec": {**_POD["spec"], "nodeName": worker}}))
    created.kubectl("wait", "--for=condition=Ready", "pod/hello", "--timeout=60s")


def test_whoever_is_not_signed_for_gets_nothing(created: StubSite) -> None:
    """From the worker itself, but with a proof that the stub has not made."""
    (server,), (worker,) = created.instances("ControlPlane").values(), created.instances("Node")
    url = f"https://{server['address']}:3988/bootstrap"
    status = ("--output", "/dev/null", "--write-out", "%{http_code}")
    asked = (
        "curl",
        "--silent",
        "--insecure",
        *status,
        "--data",
        "{}",
        "--header",
        f"Authorization: stub {worker}:0",
        url,
    )
    assert machines.within(worker, *asked) == "403"


def test_a_worker_that_ends_is_followed_by_another(created: StubSite) -> None:
    (gone,) = created.instances("Node")
    created.stub.end(NAME, gone)
    end = time.monotonic() + 300
    while len(created.ready()) < 2 or gone in created.ready():
        assert time.monotonic() < end, created.state()
        time.sleep(2)


def test_deletion_leaves_nothing(created: StubSite) -> None:
    run = created.run("delete_cluster")
    assert run.code == 0, run.output
    assert not any(created.stub.cluster(NAME).values())
