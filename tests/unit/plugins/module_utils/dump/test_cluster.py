# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API of a cluster gives, and what becomes of nodes that do not answer."""

from __future__ import annotations

import base64
import io
import json
import tarfile
import time
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.dump.archive import Archive
from ansible_collections.kubeops.kops.plugins.module_utils.dump.cluster import ClusterDump, ClusterLimits
from ansible_collections.kubeops.kops.plugins.module_utils.dump.known import Known, Secret
from ansible_collections.kubeops.kops.plugins.module_utils.dump.redaction import Redaction
from ansible_collections.kubeops.kops.tests.support import fake_kubernetes
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes

SECRET = "correcthorsebatterystaple"
LISTING = b'<pre>\n<a href="kube-proxy.log">kube-proxy.log</a>\n<a href="pods/">pods/</a>\n<a href="btmp">btmp</a>'
POD = {"spec": {"nodeName": "n1", "initContainers": [{"name": "first"}], "containers": [{"name": "main"}]}}
READY = {"conditions": [{"type": "Ready", "status": "True"}]}
SILENT = {"conditions": [{"type": "Ready", "status": "Unknown", "message": "Kubelet stopped posting node status."}]}


@pytest.fixture()
def api() -> Iterator[FakeKubernetes]:
    """A cluster with a node that answers and one that does not."""
    with fake_kubernetes.serving() as fake:
        fake.raw["/apis"] = {"groups": [{"name": "apps", "preferredVersion": {"groupVersion": "apps/v1"}}]}
        fake.raw["/version"] = {"major": "1"}
        fake.raw["/livez"] = {}
        fake.add("Node", "n1", status=READY, metadata={"labels": {"kops.k8s.io/instancegroup": "nodes"}})
        fake.add("Node", "n2", status=SILENT, metadata={"labels": {"node-role.kubernetes.io/control-plane": ""}})
        for name in ("kube-system", "default"):
            fake.add("Namespace", name)
            data = {"password": base64.b64encode(SECRET.encode()).decode()}
            applied = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps({"data": data})}
            fake.add("Secret", "s", name, data=data, metadata={"annotations": applied, "managedFields": []})
        env = [{"name": "DB_PASSWORD", "value": SECRET}, {"name": "LEVEL", "value": "3"}]
        fake.add("Deployment", "web", "default", "apps/v1", spec={"containers": [{"name": "a", "env": env}]})
        fake.add("ConfigMap", "c", "default", data={"api-key": SECRET, "file": f"x: 1\npassword: {SECRET}\n"})
        restarted = {"containerStatuses": [{"name": "main", "restartCount": 2}]}
        fake.add("Pod", "web", "default", **POD, status=restarted)
        fake.add("Pod", "dead", "default", spec={"nodeName": "n2", "containers": [{"name": "main"}]})
        fake.raw["/api/v1/namespaces/default/pods/web/log"] = f"started\nAuthorization: Bearer {SECRET}\n".encode()
        fake.raw["/api/v1/nodes/n1/proxy/logs/"] = LISTING
        fake.raw["/api/v1/nodes/n1/proxy/logs/kube-proxy.log"] = b"proxies\n" * 1000
        yield fake


def dumped(fake: FakeKubernetes, **limits: Any) -> tuple[ClusterDump, dict[str, str]]:
    stream = io.BytesIO()
    archive = Archive(stream, Redaction(Known([Secret("known", b"n1-is-secret")])))
    given = ClusterLimits(**{"log_bytes": 1000, "node_seconds": 20, **limits})
    asked = ClusterDump(archive, fake.client(deadline=0.1), given)
    asked.collect()
    archive.close({})
    stream.seek(0)
    with tarfile.open(fileobj=stream, mode="r:gz") as tar:
        contents = {member.name: tar.extractfile(member) for member in tar}
        return asked, {name: content.read().decode() for name, content in contents.items() if content}


def test_objects_without_secrets_and_logs(api: FakeKubernetes) -> None:
    asked, files = dumped(api)
    assert SECRET not in "".join(files.values())
    assert base64.b64encode(SECRET.encode()).decode() not in "".join(files.values())
    secrets = files["cluster/namespaces/default/secrets.json"]
    assert '"password": "(hidden)"' in secrets
    assert "last-applied" not in secrets
    assert "managedFields" not in secrets
    deployment = json.loads(files["cluster/namespaces/default/deployments.apps.json"].removeprefix("---\n"))
    assert deployment["kind"] == "Deployment"
    assert [each["value"] for each in deployment["spec"]["containers"][0]["env"]] == ["(hidden)", "3"]
    assert files["cluster/cluster-wide/nodes.json"].count("---\n") == 2
    assert files["nodes/n1/pods/default/web/main.log"] == "started\nAuthorization: (hidden)\n"
    assert {name for name in files if name.startswith("nodes/")} == {
        "nodes/n1/pods/default/web/first.log",
        "nodes/n1/pods/default/web/main.log",
        "nodes/n1/pods/default/web/main.previous.log",
        "nodes/n1/log/kube-proxy.log",
    }
    assert len(files["nodes/n1/log/kube-proxy.log"]) < 1100
    assert asked.archive.removed["value of a Secret"] == 2
    assert asked.archive.removed["setting with a secret name"] == 2
    assert api.writes() == []


def test_a_kubelet_that_does_not_answer_is_named_and_asked_once(api: FakeKubernetes) -> None:
    path = "/api/v1/namespaces/default/pods/dead/log"
    said = "Get https://10.0.0.2:10250/containerLogs/default/dead/main: dial tcp 10.0.0.2:10250: i/o timeout"
    answer = api.answer

    def answered(method: str, target: str, body: Any, content_type: str) -> tuple[int, Any]:
        if target.startswith(path) or "/nodes/n2/" in target:
            return fake_kubernetes.refusal(500, "InternalError", said)
        return answer(method, target, body, content_type)

    api.answer = answered
    asked, files = dumped(api)
    why = {node.name: node.why for node in asked.nodes}
    assert why["n1"] == ""
    assert why["n2"].startswith(
        "it is not ready: Kubelet stopped posting node status.; its kubelet does not answer: 500"
    )
    assert "i/o timeout" in why["n2"]
    assert {"what": "nodes/n2", "why": why["n2"]} in asked.archive.missing
    assert sum(path in each or "/nodes/n2/" in each for each in api.requests) == 1
    assert "nodes/n1/pods/default/web/main.log" in files


def test_a_slow_node_has_its_time_and_holds_up_no_other(api: FakeKubernetes) -> None:
    answer = api.answer
    for number in range(20):
        api.add("Pod", f"slow{number}", "default", spec={"nodeName": "n2", "containers": [{"name": "main"}]})

    def answered(method: str, target: str, body: Any, content_type: str) -> tuple[int, Any]:
        if "/pods/slow" in target and "/log" in target:
            time.sleep(0.2)
            return 200, b"slow\n"
        return answer(method, target, body, content_type)

    api.answer = answered
    started = time.monotonic()
    asked, files = dumped(api, node_seconds=0.5, objects=False)
    assert time.monotonic() - started < 3
    why = {node.name: node.why for node in asked.nodes}
    assert why == {"n1": "", "n2": "the time for this node is over (0.5 s)"}
    assert 1 <= sum("slow" in name for name in files) <= 4
    assert "nodes/n1/log/kube-proxy.log" in files


def test_only_some_namespaces_nodes_and_no_objects(api: FakeKubernetes) -> None:
    _asked, files = dumped(api, namespaces=["default"])
    assert not [name for name in files if "namespaces/kube-system" in name]
    assert "cluster/namespaces/default/configmaps.json" in files
    asked, files = dumped(api, nodes=["n1"], objects=False)
    assert [node.name for node in asked.nodes] == ["n1"]
    assert not [name for name in files if "namespaces/" in name]
    asked, _files = dumped(api, max_nodes=1)
    assert [node.name for node in asked.nodes] == ["n2"]
    assert {"what": "nodes/n1", "why": "only 1 nodes were to be asked"} in asked.archive.missing


def test_journals_of_a_kubelet_that_serves_them(api: FakeKubernetes) -> None:
    answer = api.answer

    def answered(method: str, target: str, body: Any, content_type: str) -> tuple[int, Any]:
        if "/nodes/n1/proxy/logs/?query=" in target:
            return 200, b"kubelet says\n"
        return answer(method, target, body, content_type)

    api.answer = answered
    _asked, files = dumped(api)
    assert files["nodes/n1/kubelet.log"] == "kubelet says\n"
