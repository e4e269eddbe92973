# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control plane and a worker: hosts with nothing on them become a cluster that works, and stays as it is."""

from __future__ import annotations

import base64
import functools
import json
import pathlib
import re
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.lab import binaries, cluster, hosts, network, running, workloads

CONTROL_PLANE, WORKER = "test1", "test2"
kubectl = functools.partial(running.kubectl, host=CONTROL_PLANE)
kubectl_json = functools.partial(running.kubectl_json, host=CONTROL_PLANE)
dial = functools.partial(workloads.dial, host=CONTROL_PLANE)


@pytest.fixture(scope="module")
def create(
    lab: Callable[[int], list[str]], state_store: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., running.Run]:
    """Function: run create_cluster for these hosts."""
    lab(2)
    manifest = tmp_path_factory.mktemp("manifest") / "cluster.yml"
    manifest.write_text(cluster.manifest(api=network.address(CONTROL_PLANE)))
    inventory = running.inventory({"control-plane-a": [CONTROL_PLANE], "nodes": [WORKER]})
    variables = {"kops_manifest": str(manifest), "kops_state_store": state_store}

    def run(*options: str) -> running.Run:
        return running.playbook("create_cluster", inventory, variables, *options)

    return run


@pytest.fixture(scope="module")
def created(create: Callable[..., running.Run]) -> running.Run:
    """The run that made the cluster."""
    run = create()
    assert run.code == 0, run.output
    return run


@pytest.fixture(scope="module")
def pods(created: running.Run) -> dict[str, Any]:
    """A web server's pod on each node."""
    return workloads.start(CONTROL_PLANE)


def test_all_nodes_are_ready(created: running.Run) -> None:
    assert running.ready_nodes(CONTROL_PLANE) == [CONTROL_PLANE, WORKER]
    nodes = kubectl_json("get", "nodes")["items"]
    assert {node["status"]["nodeInfo"]["kubeletVersion"] for node in nodes} == {f"v{binaries.KUBERNETES['1.34']}"}
    groups = {node["metadata"]["name"]: node["metadata"]["labels"]["kops.k8s.io/instancegroup"] for node in nodes}
    assert groups == {CONTROL_PLANE: "control-plane-a", WORKER: "nodes"}


def test_nothing_had_to_be_started_twice(created: running.Run) -> None:
    pods = kubectl_json("get", "pods", "--all-namespaces")["items"]
    restarted = {
        pod["metadata"]["name"]: status["restartCount"]
        for pod in pods
        for status in pod["status"]["containerStatuses"]
        if status["restartCount"]
    }
    assert restarted == {}


def test_pods_reach_each_other_and_services(pods: dict[str, Any]) -> None:
    here, there = pods[CONTROL_PLANE], pods[WORKER]
    assert dial(here["name"], there["address"], 8080) == [there["name"]]
    assert dial(there["name"], here["address"], 8080) == [here["name"]]
    names = {here["name"], there["name"]}
    for pod in (here, there):
        ask = functools.partial(dial, pod["name"], "web.default.svc.cluster.local", 80, tries=10)
        answers = workloads.eventually(ask)
        assert set(answers) <= names
    for host in (CONTROL_PLANE, WORKER):
        url = f"http://{network.address(host)}:{workloads.NODE_PORT}/hostname"
        with urllib.request.urlopen(url, timeout=5) as answer:
            assert answer.read().decode() in names


def test_logs_and_exec(pods: dict[str, Any]) -> None:
    for pod in pods.values():
        assert "Started HTTP server" in kubectl("logs", pod["name"])
        assert kubectl("exec", pod["name"], "--", "/agnhost", "help").startswith("Usage:")


def test_a_second_run_changes_nothing(created: running.Run, create: Callable[..., running.Run]) -> None:
    again = create()
    assert again.code == 0, again.output
    assert again.changed == 0, again.output
    checked = create("--check")
    assert (checked.code, checked.changed) == (0, 0), checked.output
    print(f"\nmade in {created.seconds:.1f} s, unchanged in {again.seconds:.1f} s, checked in {checked.seconds:.1f} s")


def _status(url: str) -> int:
    tls = ssl.create_default_context()
    tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(url, timeout=5, context=tls) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_nobody_is_let_in_without_a_name(created: running.Run) -> None:
    first, second = network.address(CONTROL_PLANE), network.address(WORKER)
    assert _status(f"https://{first}/api") == 401
    for address in (first, second):
        assert _status(f"https://{address}:10250/pods") == 401
        with pytest.raises(OSError, match="refused"):
            urllib.request.urlopen(f"http://{address}:10255/pods", timeout=5)
    for port in (4001, 4002):
        with pytest.raises(OSError, match=r"(?i)certificate required|alert|reset|EOF"):
            _status(f"https://{first}:{port}/v2/keys")


# Where a node has keys; pods' own directories are theirs.
KEY_DIRECTORIES = ("/srv", "/etc/kubernetes", "/var/lib/kubelet/pki", "/var/lib/kube-proxy", "/var/lib/kubectl")


def test_no_private_key_is_readable_by_others(created: running.Run) -> None:
    for host in (CONTROL_PLANE, WORKER):
        words = ("grep", "-rlE", "PRIVATE KEY|client-key-data", *KEY_DIRECTORIES)
        keys = hosts.within(host, *words, check=False).split()
        assert keys
        modes = dict(line.split() for line in hosts.within(host, "stat", "-c", "%n %a", *keys).splitlines())
        assert {path: mode for path, mode in modes.items() if not mode.endswith("00")} == {}


def test_no_secret_is_shown(create: Callable[..., running.Run], created: running.Run, state_store: str) -> None:
    """Not even to who asks Ansible for all that it knows."""
    told = create("-vvv").output + json.dumps(created.tasks)
    store = pathlib.Path(state_store.removeprefix("file://"), cluster.NAME)
    keys = {
        base64.b64decode(key).decode()
        for path in store.rglob("keyset.yaml")
        for key in re.findall(r"privateMaterial: (\S+)", path.read_text())
    }
    assert keys
    assert "PRIVATE KEY" not in told
    for key in keys:
        line = key.splitlines()[5]
        assert line not in told
        # A line of it in base64, wherever it begins: the middle of it is one of three texts.
        for shift in range(3):
            encoded = base64.b64encode((" " * shift + line).encode()).decode()
            assert encoded[8:-8] not in told
