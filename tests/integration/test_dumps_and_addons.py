# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dumps of a cluster on AWS, and its addons: its instances are moto's, its API server is a fake with TLS."""

from __future__ import annotations

import base64
import io
import json
import os
import pathlib
import stat
import tarfile
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.dump.known import Known
from ansible_collections.kubeops.kops.plugins.module_utils.dump.redaction import Redaction
from ansible_collections.kubeops.kops.plugins.module_utils.operations.dump.secrets import secrets_of
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.plugins.modules import addons_info, toolbox_dump
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import run_here
from ansible_collections.kubeops.kops.tests.integration.conftest import (
    NAME,
    STORE,
    Account,
    account_with_cluster,
    run_ansible,
)
from ansible_collections.kubeops.kops.tests.integration.test_validation import (
    CONTROL_PLANE,
    WORKERS,
    api_server,
    authority_of,
    instances,
)
from ansible_collections.kubeops.kops.tests.support import dumps
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.dumps import DOCKER_CONFIG, PASSWORD, files_of
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes

TEMPLATE_OF_HOST = {"archive": "", "why": "", "asked_api": False, "instance_group": WORKERS}


@pytest.fixture(scope="module")
def cluster(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """The objects of a cluster, and a secret of it."""
    with account_with_cluster(server, tmp_path_factory.mktemp("account")) as account:
        ClusterStore.open(STORE, NAME).secrets.store("dockerconfig", DOCKER_CONFIG.encode())
        yield account


@pytest.fixture(scope="module")
def secrets(cluster: Account) -> list[bytes]:
    """Every secret of the store, as this file writes them down by itself."""
    return dumps.secrets_of(STORE, NAME)


@pytest.fixture()
def api(cluster: Account, secrets: list[bytes], tmp_path: pathlib.Path) -> Iterator[FakeKubernetes]:
    """An API whose pods have written all secrets into their logs."""
    with api_server(tmp_path, authority_of(cluster)) as fake:
        found = instances(cluster)
        for group, name in found.items():
            labels = {"kops.k8s.io/instancegroup": group}
            if group == CONTROL_PLANE:
                labels["node-role.kubernetes.io/control-plane"] = ""
            ready = {"conditions": [{"type": "Ready", "status": "True"}]}
            fake.add("Node", name, metadata={"labels": labels}, status=ready)
            spec = {"nodeName": name, "containers": [{"name": "main"}]}
            fake.add("Pod", f"pod-{group}", "kube-system", spec=spec)
            log = b"\n".join([b"begin", *secrets, *map(base64.b64encode, secrets), b"the end\n"])
            fake.raw[f"/api/v1/namespaces/kube-system/pods/pod-{group}/log"] = log
        fake.raw["/apis"] = {"groups": []}
        data = {name: base64.b64encode(value).decode() for name, value in zip("abcdefghijkl", secrets)}
        fake.add("Secret", "keys", "kube-system", data=data)
        fake.add("ConfigMap", "copy", "kube-system", data={"text": secrets[0].decode()})
        yield fake


def dumped(**given: Any) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The result of the module, and the files of its archive by their path below the directory."""
    result = run_here(toolbox_dump, {"name": NAME, "state_store": STORE, **given}, check=False)
    assert not result.get("failed"), result["msg"]
    assert stat.S_IMODE(os.stat(result["path"]).st_mode) == 0o600
    return result, files_of(pathlib.Path(result["path"]))


def assert_clean(files: dict[str, bytes], secrets: list[bytes]) -> None:
    """No secret, no line of one and no base64 of one is in any file."""
    everything = b"\n".join(files.values())
    for secret in secrets:
        lines = [line for line in secret.splitlines() if not line.startswith(b"-----")]
        assert [line for line in [secret, *lines, base64.b64encode(secret)] if line in everything] == []


def test_all_of_a_cluster_without_secrets(
    cluster: Account, api: FakeKubernetes, secrets: list[bytes], tmp_path: pathlib.Path
) -> None:
    with cluster.server.recorded() as calls:
        result, files = dumped(directory=str(tmp_path), api_server=api.url)
    assert cluster.writes(calls) == []
    assert api.writes() == []
    assert_clean(files, secrets)
    index = json.loads(files["index.json"])
    names = instances(cluster)
    assert {(node["name"], node["way"]) for node in index["nodes"]} >= {(name, "api") for name in names.values()}
    for name, group in ((name, group) for group, name in names.items()):
        log = files[f"nodes/{name}/pods/kube-system/pod-{group}/main.log"].decode()
        assert log.startswith("begin\n(hidden)")
        assert log.endswith("the end\n")
    assert {"store/cluster.yaml", "cloud/instances.json", "cloud/autoscaling-groups.json"} <= files.keys()
    assert "cluster/namespaces/kube-system/secrets.json" in files
    assert index["removed"]["value of a Secret"] == len(secrets)
    assert index["searched"]["secrets"] >= len(secrets)
    assert set(index["files"]) == set(files) - {"index.json", "summary.txt"}
    assert result["removed"] == index["removed"]
    assert "Nodes, how they were asked" in files["summary.txt"].decode()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".kops-dump")]


def test_without_an_api_the_cloud_is_asked(cluster: Account, secrets: list[bytes], tmp_path: pathlib.Path) -> None:
    result, files = dumped(directory=str(tmp_path), api_server="https://127.0.0.1:1")
    assert_clean(files, secrets)
    (why,) = (each["why"] for each in result["missing"] if each["what"] == "cluster")
    assert "127.0.0.1" in why
    consoles = {node["name"] for node in result["nodes"] if node["way"] == "console"}
    assert consoles == set(instances(cluster).values())
    health = json.loads(files["cloud/target-health.json"])
    assert any(name in json.dumps(health) for name in instances(cluster).values())
    assert "Not collected:" in result["text"]


def test_a_host_that_has_sent_secrets_and_one_that_is_dead(
    cluster: Account, secrets: list[bytes], tmp_path: pathlib.Path
) -> None:
    """The first is not believed to have removed any, nor to send what it should."""
    sent = tmp_path / "sent.tar.gz"
    with tarfile.open(sent, "w:gz") as tar:
        for name, content in (
            ("var/log/x.log", b"\n".join(secrets)),
            ("index.json", json.dumps({"missing": [{"what": "dmesg", "why": "no"}], "removed": {"a": 2}}).encode()),
        ):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(sent.read_bytes()[:200])
    hosts = {
        "one": {**TEMPLATE_OF_HOST, "archive": str(sent)},
        "two": {**TEMPLATE_OF_HOST, "why": "Connection timed out"},
        "three": {**TEMPLATE_OF_HOST, "archive": str(broken)},
    }
    only_hosts = {"hosts": hosts, "api_server": "https://127.0.0.1:1", "cloud_resources": False}
    result, files = dumped(directory=str(tmp_path), **only_hosts)
    assert_clean(files, secrets)
    assert b"(hidden)" in files["nodes/one/var/log/x.log"]
    missing = {each["what"]: each["why"] for each in result["missing"]}
    assert missing["nodes/one/dmesg"] == "no"
    assert missing["nodes/two"] == "Connection timed out"
    assert missing["nodes/three"].startswith("what the host has sent cannot be read: ")
    assert result["removed"]["a"] == 2
    assert {node["name"]: node["files"] for node in result["nodes"]} == {"one": 1, "two": 0, "three": 0}


def test_an_archive_with_a_secret_is_deleted(
    cluster: Account, api: FakeKubernetes, secrets: list[bytes], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the search finds does not depend on what the removal has done."""

    def forgetful(self: Redaction, text: bytes, removed: Counter[str]) -> bytes:
        return text

    monkeypatch.setattr(Redaction, "hide", forgetful)
    arguments = {"name": NAME, "state_store": STORE, "directory": str(tmp_path), "api_server": api.url}
    result = run_here(toolbox_dump, arguments, check=False)
    assert result["failed"]
    assert "the archive was deleted, because secrets were still in it" in result["msg"]
    assert "pod-nodes-us-east-1a/main.log: " in result["msg"]
    assert_clean({"message": result["msg"].encode()}, secrets)
    assert [path.name for path in tmp_path.iterdir() if "tar" in path.name or "dump" in path.name] == []


def test_every_secret_of_the_store_is_known(cluster: Account, secrets: list[bytes]) -> None:
    store = ClusterStore.open(STORE, NAME)
    known = Known(secrets_of(store, store.read_cluster()))
    assert [known.find(b"x " + secret + b" y") != "" for secret in secrets] == [True] * len(secrets)
    assert known.find(base64.b64encode(f"bob:{PASSWORD}".encode()))


def test_a_directory_that_is_not_there(cluster: Account, tmp_path: pathlib.Path) -> None:
    result = run_here(
        toolbox_dump, {"name": NAME, "state_store": STORE, "directory": str(tmp_path / "no")}, check=False
    )
    assert result["msg"] == f"{tmp_path / 'no'} is no directory; make it first"


def test_the_playbook(cluster: Account, api: FakeKubernetes, secrets: list[bytes], tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    given = f"kops_dump_directory={out} kops_api_server={api.url} kops_dump_namespaces="
    command = ("ansible-playbook", "kubeops.kops.toolbox_dump", "-e", given)
    with cluster.server.recorded() as calls:
        shown = run_ansible(*command, "--check")
    assert list(out.iterdir()) == []
    assert cluster.writes(calls) == []
    assert "from the Kubernetes API: objects and events, logs of pods and nodes" in shown
    assert "consoles of 2 instances" in shown
    shown = run_ansible(*command)
    (archive,) = out.iterdir()
    assert str(archive) in shown
    assert archive.name.startswith(f"{NAME}-20")
    assert_clean({"shown": shown.encode(), **files_of(archive)}, secrets)


# -- addons ---------------------------------------------------------------------------------------------------------


def test_addons_by_the_store_and_the_cluster(cluster: Account, tmp_path: pathlib.Path) -> None:
    with api_server(tmp_path, authority_of(cluster)) as fake:
        annotations = fake.objects["/api/v1/namespaces/kube-system"]["metadata"]["annotations"]
        names = [name.removeprefix("addons.k8s.io/") for name in annotations]
        annotations["addons.k8s.io/coredns.addons.k8s.io"] = '{"manifestHash": "0", "channel": "s3://x/y.yaml"}'
        annotations["addons.k8s.io/old.addons.k8s.io"] = '{"version": "1.2", "manifestHash": "1"}'
        del annotations["addons.k8s.io/limit-range.addons.k8s.io"]
        arguments = {"state_store": STORE, "cluster_name": NAME, "api_server": fake.url}
        result = run_here(addons_info, arguments, check=False)
        assert fake.writes() == []
    found = {addon["name"]: addon for addon in result["addons"]}
    assert sorted(found) == sorted([*names, "old.addons.k8s.io"])
    different = {name: addon["status"] for name, addon in found.items() if addon["status"] != "applied"}
    assert different == {
        "coredns.addons.k8s.io": "pending",
        "limit-range.addons.k8s.io": "missing",
        "old.addons.k8s.io": "unwanted",
    }
    coredns = found["coredns.addons.k8s.io"]
    assert (coredns["applied_hash"], coredns["applied_channel"]) == ("0", "s3://x/y.yaml")
    assert len(coredns["manifest_hash"]) == 64
    assert coredns["manifest"].startswith("coredns.addons.k8s.io/")
    assert found["old.addons.k8s.io"]["version"] == "1.2"


def test_addons_of_a_cluster_that_does_not_answer(cluster: Account) -> None:
    arguments = {"state_store": STORE, "cluster_name": NAME}
    result = run_here(addons_info, {**arguments, "api_server": "https://127.0.0.1:1"}, check=False)
    assert "which addons are applied was not asked: " in result["warnings"][0]
    assert {addon["status"] for addon in result["addons"]} == {"unknown"}
    alone = run_here(addons_info, {**arguments, "source": "store"}, check=False)
    assert alone["addons"] == result["addons"] != []
    assert "warnings" not in alone


def test_the_playbook_get_addons(cluster: Account) -> None:
    with cluster.server.recorded() as calls:
        shown = run_ansible("ansible-playbook", "kubeops.kops.get_addons", "-e", "kops_addon_source=store")
    assert cluster.writes(calls) == []
    assert "NAME " in shown
    assert "coredns.addons.k8s.io" in shown
