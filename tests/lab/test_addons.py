# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons whose programs run: metrics-server, cert-manager and the snapshot controller; a channel's; a user's chart.

The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pathlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.lab import (
    binaries,
    cluster,
    definitions,
    file_repository,
    kubernetes_core,
    running,
    workloads,
)
from ansible_collections.kubeops.kops.tests.lab.file_repository import FileRepository
from ansible_collections.kubeops.kops.tests.lab.sites import Site

pytestmark = pytest.mark.long

FIRST = "test1"
kubectl = functools.partial(running.kubectl, host=FIRST)
kubectl_json = functools.partial(running.kubectl_json, host=FIRST)
ADDONS = ("cert-manager", "metrics-server", "snapshot-controller")
SECURE = {"metricsServer": {"enabled": True, "insecure": False}, "certManager": {"enabled": True}}
METRICS, SYSTEM = "metrics-server", "--namespace=kube-system"
CHART = pathlib.Path(__file__).with_name("charts") / "web"
CLASS = {
    "apiVersion": "snapshot.storage.k8s.io/v1",
    "kind": "VolumeSnapshotClass",
    "metadata": {"name": "fast"},
    "driver": "csi.example.com",
    "deletionPolicy": "Delete",
}
SNAPSHOT = {
    "apiVersion": "snapshot.storage.k8s.io/v1",
    "kind": "VolumeSnapshot",
    "metadata": {"name": "first", "namespace": "default"},
    "spec": {"volumeSnapshotClassName": "fast", "source": {"persistentVolumeClaimName": "missing"}},
}
CHANNEL = "https://addons.example.com/board/addon.yaml"


@pytest.fixture(scope="module")
def repository(prepared: None) -> Iterator[FileRepository]:
    """The programs of the addons in the lab's registry, and a file repository with the definitions of their kinds."""
    running.prepare((binaries.NEWEST,), ADDONS)
    with file_repository.running() as found:
        found.files.update(definitions.published())
        yield found


@pytest.fixture(scope="module")
def site(new_site: Callable[..., Site], repository: FileRepository) -> Site:
    """A control plane and a worker, with metrics-server."""
    made: Site = new_site()
    write(made, repository, metricsServer={"enabled": True, "insecure": True})
    return made


def write(site: Site, repository: FileRepository, **spec: Any) -> None:
    site.write(spec={"assets": {"fileRepository": repository.url}, **spec})


def top(what: str, *options: str) -> dict[str, list[str]]:
    """Name -> figures, as kubectl shows them."""
    lines = kubectl("top", what, "--no-headers", *options, check=False).splitlines()
    rows = [line.split() for line in lines if re.search(r"\d+m\s", line)]
    return {name: figures for name, *figures in rows}


def figures_of_all_nodes(site: Site) -> dict[str, list[str]]:
    found = top("nodes")
    return found if sorted(found) == site.nodes else {}


def figures_of_pods(*names: str) -> dict[str, list[str]]:
    """Of the system's pods, as soon as there are those of all pods whose names begin so."""
    found = top("pods", SYSTEM)
    return found if all(any(pod.startswith(name) for pod in found) for name in names) else {}


def nodes_with(name: str) -> list[str]:
    """The nodes with a ready pod that has this name in its label k8s-app."""
    pods = kubectl_json("get", "pods", SYSTEM)["items"]
    return sorted(
        pod["spec"]["nodeName"]
        for pod in pods
        if pod["metadata"]["labels"].get("k8s-app") == name
        and all(status["ready"] for status in pod["status"].get("containerStatuses", [{"ready": False}]))
    )


def test_kubectl_top_with_a_single_worker(created: running.Run, site: Site) -> None:
    """The second replica has no host; that is told, and nothing waits for it."""
    assert "Deployment kube-system/metrics-server runs 1 of 2 pods" in created.output
    assert "waits for another host" in created.output
    nodes = workloads.eventually(lambda: figures_of_all_nodes(site), 90)
    pods = workloads.eventually(lambda: figures_of_pods(f"kube-apiserver-{FIRST}", METRICS), 90)
    print(f"\nmade in {created.seconds:.0f} s; {nodes} {pods}")
    assert all(int(cpu.removesuffix("m")) > 0 for cpu, *_others in nodes.values())
    assert all(int(memory.removesuffix("Mi")) > 0 for _cpu, memory in pods.values())
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output


def test_the_second_replica_comes_with_the_second_worker(
    created: running.Run, site: Site, repository: FileRepository, lab: Callable[[int], list[str]]
) -> None:
    site.workers = lab(3)[1:]
    write(site, repository, metricsServer={"enabled": True, "insecure": True})
    more = site.create()
    assert more.code == 0, more.output
    assert "runs 1 of 2 pods" not in more.output
    assert "waits for another host" not in more.output
    assert nodes_with(METRICS) == site.workers


def test_old_pods_make_room(created: running.Run, site: Site) -> None:
    """By kops' objects alone, new pods wait for ever: each host has an old one."""
    kubectl("rollout", "restart", f"deployment/{METRICS}", SYSTEM)
    status = functools.partial(kubectl, "rollout", "status", f"deployment/{METRICS}", SYSTEM)
    with pytest.raises(RuntimeError, match="timed out"):
        status("--timeout=40s")
    run = site.create()
    assert run.code == 0, run.output
    status("--timeout=1s")
    assert nodes_with(METRICS) == site.workers


def test_certificates_are_checked(created: running.Run, site: Site, repository: FileRepository) -> None:
    """With cert-manager; and both old pods make room for the new ones, which find no host beside them."""
    write(site, repository, **SECURE)
    secure = site.create()
    assert secure.code == 0, secure.output
    arguments = kubectl_json("get", "deployment", METRICS, SYSTEM)["spec"]["template"]["spec"]["containers"][0]["args"]
    assert "--kubelet-insecure-tls" not in arguments
    assert nodes_with(METRICS) == site.workers
    service = kubectl_json("get", "apiservice", "v1beta1.metrics.k8s.io")["spec"]
    assert service["caBundle"]
    assert not service.get("insecureSkipTLSVerify")
    nodes = workloads.eventually(lambda: figures_of_all_nodes(site), 90)
    print(f"\nin {secure.seconds:.0f} s; {nodes}")
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output


def test_kinds_come_from_the_file_repository(created: running.Run, site: Site, repository: FileRepository) -> None:
    write(site, repository, **SECURE, snapshotController={"enabled": True})
    added = site.create()
    assert added.code == 0, added.output
    print(f"\nin {added.seconds:.0f} s")
    kinds = [path for path in repository.asked if "external-snapshotter" in path]
    assert len(kinds) == len(set(kinds)) == 3
    store = pathlib.Path(site.state_store.removeprefix("file://")) / cluster.NAME / "addons"
    locked = yaml.safe_load((store / "lock.yaml").read_text())["files"]
    assert {each["url"].partition(".com/")[2] for each in locked} >= set(kinds)
    assert all((store / "upstream" / f"{each['sha256']}.yaml").exists() for each in locked)
    for obj in (CLASS, SNAPSHOT):
        kubectl("apply", "--filename=-", stdin=yaml.safe_dump(obj))
    error = workloads.eventually(
        lambda: kubectl("get", "volumesnapshot", "first", "--output=jsonpath={.status.error.message}")
    )
    assert "cannot get claim from snapshot" in error


def test_later_runs_do_not_need_the_server(created: running.Run, site: Site, repository: FileRepository) -> None:
    repository.asked.clear()
    repository.stopped = True
    again = site.create()
    repository.stopped = False
    assert (again.code, again.changed) == (0, 0), again.output
    assert repository.asked == []


def test_a_file_that_changed_is_refused(created: running.Run, site: Site, repository: FileRepository) -> None:
    """It is only fetched again if the state store does not have it any more."""
    store = pathlib.Path(site.state_store.removeprefix("file://")) / cluster.NAME / "addons"
    kept = {path: path.read_bytes() for path in (store / "upstream").glob("*.yaml")}
    path = next(path for path in repository.files if path.endswith("volumesnapshots.yaml"))
    content = repository.files[path]
    for file in kept:
        file.unlink()
    repository.files[path] = content.replace(b"VolumeSnapshot", b"VolumeSnapshotted")
    refused = site.create()
    repository.files[path] = content
    assert refused.code != 0
    assert path in refused.output
    assert "changed=0" in refused.output
    again = site.create()
    assert again.code == 0, again.output
    assert {path: path.read_bytes() for path in kept} == kept


def publish(repository: FileRepository, version: str, *names: str) -> str:
    """Publish a version of a channel's addon, which has a ConfigMap of each name. Returns the channel's checksum."""
    objects = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": "default", "labels": {"app": "board"}},
            "data": {"version": version},
        }
        for name in names
    ]
    pruned = {"kind": "ConfigMap", "namespaces": ["default"], "labelSelector": "app=board"}
    entry = {"name": "board.example.com", "manifest": f"{version}.yaml", "prune": {"kinds": [pruned]}}
    channel = {"kind": "Addons", "metadata": {"name": "board"}, "spec": {"addons": [entry]}}
    repository.files[f"board/{version}.yaml"] = yaml.safe_dump_all(objects).encode()
    repository.files["board/addon.yaml"] = yaml.safe_dump(channel).encode()
    return hashlib.sha256(repository.files["board/addon.yaml"]).hexdigest()


def boards() -> dict[str, str]:
    """Name -> version of the addon's objects."""
    found = kubectl_json("get", "configmaps", "--namespace=default", "--selector=app=board")["items"]
    return {each["metadata"]["name"]: each["data"]["version"] for each in found}


def test_an_addon_of_a_channel(created: running.Run, site: Site, repository: FileRepository) -> None:
    publish(repository, "v1", "first", "second")
    write(site, repository, **SECURE, snapshotController={"enabled": True}, addons=[{"manifest": CHANNEL}])
    added = site.create()
    assert added.code == 0, added.output
    assert boards() == {"first": "v1", "second": "v1"}
    checksum = publish(repository, "v2", "first", "third")
    unasked = site.create()
    assert (unasked.code, unasked.changed) == (0, 0), unasked.output
    changed = site.create(kops_addon_checksums={CHANNEL: checksum})
    assert changed.code == 0, changed.output
    assert boards() == {"first": "v2", "third": "v2"}
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output


def documented_play() -> str:
    """The play of docs/addons.md."""
    text = (ROOT / "docs" / "addons.md").read_text().partition("\n## Helm charts\n")[2]
    (play, *_others) = re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return str(play)


def test_a_chart(created: running.Run, site: Site, tmp_path: pathlib.Path) -> None:
    play = tmp_path / "chart.yml"
    play.write_text(documented_play())
    helm = binaries.build_addons(["helm"])["helm"].parent
    paths = [str(kubernetes_core.collections()), os.environ.get("ANSIBLE_COLLECTIONS_PATH", "")]
    environment = {
        "ANSIBLE_COLLECTIONS_PATH": ":".join(filter(None, paths)),
        "KOPS_CLUSTER_NAME": cluster.NAME,
        "KOPS_STATE_STORE": site.state_store,
        "PATH": f"{helm}:{os.environ['PATH']}",
    }
    given = {"chart": str(CHART), "kubeconfig": str(tmp_path / "kubeconfig")}
    first, second = (running.playbook(str(play), None, given, variables=environment) for _run in range(2))
    assert first.code == 0, first.output
    assert (second.code, second.changed) == (0, 0), second.output
    (deployment,) = kubectl_json("get", "deployments", "--namespace=web")["items"]
    assert deployment["status"]["availableReplicas"] == 2
    # The addons of the cluster leave it alone.
    again = site.create()
    assert (again.code, again.changed) == (0, 0), again.output
    assert kubectl_json("get", "deployments", "--namespace=web")["items"]
