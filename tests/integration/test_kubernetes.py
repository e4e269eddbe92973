# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons, validation and draining against a real API server; there are no nodes but those that the tests write down."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.selection import addons_of
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient, KubernetesError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import RetryPolicy, read_kubeconfig
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.labels import label_nodes
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.probes import api_failures, seconds_left
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.pods import (
    LABEL,
    PodProbe,
    pod_failures,
)
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.support.kubernetes import Authority, ControlPlane, control_plane, kubeconfig

from tests.support.upstream import without_definitions

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("kubernetes")]
DAY = 86400
DNS = {
    "domain": "cluster.local",
    "serverIP": "100.64.0.10",
    "memoryRequest": "70Mi",
    "cpuRequest": "100m",
    "memoryLimit": "170Mi",
    "nodeLocalDNS": {
        "enabled": True,
        "image": "registry.k8s.io/dns/k8s-dns-node-cache:1.26.0",
        "localIP": "169.254.20.10",
        "memoryRequest": "5Mi",
        "cpuRequest": "25m",
    },
}
CLUSTER = {
    "metadata": {"name": "demo.example.com", "labels": {"alpha.kops.k8s.io/cloud": "metal"}},
    "spec": {
        "kubernetesVersion": "1.34.4",
        "kubeDNS": DNS,
        "networking": {
            "nonMasqueradeCIDR": "100.64.0.0/10",
            "topology": {"dns": "None"},
            "flannel": {"backend": "vxlan"},
        },
    },
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with control_plane(tmp_path_factory.mktemp("control-plane")) as started:
        yield started


def module(running: ControlPlane, called: str, /, *, check: bool = False, **arguments: Any) -> dict[str, Any]:
    """The result of a module, started as Ansible starts it."""
    given = {"kubeconfig": running.kubeconfig, **arguments, "_ansible_check_mode": check, "_ansible_diff": True}
    done = subprocess.run(
        [sys.executable, str(ROOT / "plugins" / "modules" / f"{called}.py")],
        input=json.dumps({"ANSIBLE_MODULE_ARGS": given}),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    return json.loads(done.stdout.splitlines()[-1])


def wanted(**more: Any) -> dict[str, Any]:
    found = addons_of(AddonContext(codec.from_plain(Cluster, CLUSTER), [], 3), without_definitions)
    addons = [{"name": addon.name, "objects": addon.objects} for addon in found.addons]
    return {"addons": addons, "retired": found.retired, "wait": 0, **more}


def changed(result: dict[str, Any]) -> list[str]:
    return [item["item"] for item in result["changes"]]


def test_addons_come_stay_and_go(running: ControlPlane) -> None:
    ahead = module(running, "addons", check=True, **wanted())
    assert ahead["changed"] is True
    assert running.client().find("/api/v1/namespaces/kube-flannel") is None
    done = module(running, "addons", **wanted())
    assert (changed(done), done["count"]) == (changed(ahead), len(ahead["changes"]))
    service = running.client().get("/api/v1/namespaces/kube-system/services/kube-dns")
    assert (service["spec"]["clusterIP"], service["metadata"]["labels"]["k8s-addon"]) == (
        "100.64.0.10",
        "coredns.addons.k8s.io",
    )
    for check in (True, False):
        again = module(running, "addons", check=check, **wanted())
        assert (again["changed"], changed(again)) == (False, [])
    # Somebody scales by hand: what the addon names comes back, and nothing else is touched.
    path = "/apis/apps/v1/namespaces/kube-system/deployments/coredns"
    running.client().patch(path, {"spec": {"replicas": 7}})
    for check in (True, False):
        result = module(running, "addons", check=check, **wanted())
        assert [(item["item"], item["before"]["spec"], item["after"]["spec"]) for item in result["changes"]] == [
            ("Deployment kube-system/coredns", {"replicas": 7}, {"replicas": 2})
        ]
    # Without flannel, what it brought goes, but for its namespace.
    fewer = wanted()
    fewer["addons"] = [addon for addon in fewer["addons"] if addon["name"] != "networking.flannel"]
    fewer["retired"].append("networking.flannel")
    ahead = module(running, "addons", check=True, **fewer)
    done = module(running, "addons", **fewer)
    gone = ["ClusterRole flannel", "ClusterRoleBinding flannel", "ConfigMap kube-flannel/kube-flannel-cfg"]
    gone += ["DaemonSet kube-flannel/kube-flannel-ds", "ServiceAccount kube-flannel/flannel"]
    assert sorted(changed(done)) == gone
    assert sorted(changed(ahead)) == gone
    assert running.client().find("/api/v1/namespaces/kube-flannel") is not None
    assert module(running, "addons", **fewer)["changed"] is False


PODS = "/api/v1/namespaces/kube-system/pods"
RUNNING = {"phase": "Running", "podIP": "100.96.1.2", "podIPs": [{"ip": "100.96.1.2"}]}
NO_PLUGIN = {"type": "Warning", "reason": "FailedCreatePodSandBox", "message": "plugin failed"}


def play_kubelet(client: KubernetesClient, running_on: str, ended: threading.Event) -> None:
    """Until the event, let pods of one node run, and report an event about the others."""
    while not ended.wait(0.05):
        for pod in client.list(PODS, labelSelector=LABEL):
            name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
            about = {"kind": "Pod", "namespace": "kube-system", "name": name, "uid": uid}
            event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": name}, "involvedObject": about}
            try:
                if pod["spec"]["nodeName"] == running_on:
                    client.patch(f"{PODS}/{name}/status", {"status": RUNNING})
                else:
                    client.post("/api/v1/namespaces/kube-system/events", {**event, **NO_PLUGIN})
            except KubernetesError as error:
                # The pod was deleted meanwhile, or its event is there already.
                assert error.status in (404, 409), error


def test_pods_that_show_that_nodes_have_a_network(running: ControlPlane) -> None:
    ended = threading.Event()
    kubelet = threading.Thread(target=play_kubelet, args=(running.client(), "well", ended))
    kubelet.start()
    try:
        failures = pod_failures(running.client(), {"well": "a", "ill": "b"}, PodProbe("pause", "100.64.0.0/10", 3))
    finally:
        ended.set()
        kubelet.join()
    message = "does not run pods with a network: the pod does not run after 3 seconds: plugin failed"
    assert [(failure.name, failure.group, failure.message) for failure in failures] == [("ill", "b", message)]
    assert list(running.client().list(PODS, labelSelector=LABEL)) == []


def test_what_does_not_run_is_told(running: ControlPlane) -> None:
    result = module(running, "addons", **wanted(wait=3))
    assert result["failed"] is True
    assert "not all workloads run after 3 seconds:" in result["msg"]
    assert "- Deployment kube-system/coredns has 0 of 2 pods ready" in result["msg"]


def test_what_is_wrong_is_told_with_all_of_it(running: ControlPlane) -> None:
    bad = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "Bad_Name"}},
        {"apiVersion": "v1", "kind": "Gadget", "metadata": {"name": "gadget"}},
    ]
    result = module(running, "addons", addons=[{"name": "bad", "objects": bad}], wait=0)
    assert result["msg"].startswith("addon bad cannot be applied:\nConfigMap Bad_Name: ")
    assert "422" in result["msg"]
    assert "Gadget gadget: the API server does not know kind Gadget in v1" in result["msg"]


def test_secrets_are_never_shown(running: ControlPlane) -> None:
    metadata = {"name": "password", "namespace": "default"}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"key": "hidden-value"}}
    addons = [{"name": "own", "objects": [secret]}]
    for check in (True, False):
        result = module(running, "addons", check=check, addons=addons)
        assert changed(result) == ["Secret default/password"]
        assert "hidden-value" not in json.dumps(result)
        assert base64.b64encode(b"hidden-value").decode() not in json.dumps(result)
    secret["data"] = {"key": "not base64 but hidden-value"}
    result = module(running, "addons", addons=addons)
    assert result["failed"] is True
    assert "hidden-value" not in json.dumps(result)


def node(running: ControlPlane, name: str, ready: str = "True", **labels: str) -> None:
    client = running.client()
    path = f"/api/v1/nodes/{name}"
    if client.find(path) is None:
        client.post("/api/v1/nodes", {"metadata": {"name": name, "labels": labels}})
    condition = {"type": "Ready", "status": ready, "reason": "Test"}
    client.patch(f"{path}/status", {"status": {"conditions": [condition]}})


def pod(running: ControlPlane, name: str, on: str, **labels: str) -> None:
    spec = {
        "nodeName": on,
        "containers": [{"name": "main", "image": "none"}],
        "terminationGracePeriodSeconds": 0,
        "tolerations": [{"operator": "Exists"}],
    }
    client = running.client()
    base = "/api/v1/namespaces/default/pods"
    client.post(base, {"metadata": {"name": name, "labels": labels}, "spec": spec})
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    client.patch(f"{base}/{name}/status", {"status": status})


def test_labels_of_nodes(running: ControlPlane) -> None:
    node(running, "labelled", zone="a")
    for labels, expected in (
        ({"node-role.kubernetes.io/node": "", "tier": "x"}, True),
        ({"node-role.kubernetes.io/node": "", "tier": "x"}, False),
        ({"node-role.kubernetes.io/node": ""}, True),
        ({"node-role.kubernetes.io/node": ""}, False),
    ):
        ahead = label_nodes(running.client(check=True), {"labelled": labels}, 0)
        done = label_nodes(running.client(), {"labelled": labels}, 0)
        assert [step.changed for step in (*ahead, *done)] == [expected, expected]
    found = running.client().get("/api/v1/nodes/labelled")["metadata"]["labels"]
    assert found == {"zone": "a", "node-role.kubernetes.io/node": ""}


def test_draining_keeps_budgets(running: ControlPlane) -> None:
    client = running.client()
    node(running, "worker")
    pod(running, "free", "worker")
    pod(running, "kept", "worker", app="kept")
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "kept"}}}
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "kept"}, "spec": spec}
    client.apply(budget)
    short = {"name": "worker", "timeout": 2, "settle": 0}
    ahead = module(running, "node_drain", check=True, **short)
    assert changed(ahead) == ["Node worker", "Pod default/free", "Pod default/kept"]
    result = module(running, "node_drain", **short)
    assert "node worker is cordoned but not drained after 2 seconds" in result["msg"]
    assert "- pod default/kept: Cannot evict pod" in result["msg"]
    assert "default/free" not in result["msg"]
    result = module(running, "node_drain", fail_on_timeout=False, **short)
    assert (result["drained"], len(result["warnings"])) == (False, 1)
    client.delete(client.path_of(budget))
    result = module(running, "node_drain", name="worker", timeout=30, settle=0)
    assert (result["drained"], changed(result)) == (True, ["Pod default/kept"])
    assert module(running, "node_drain", name="worker")["changed"] is False
    assert changed(module(running, "node_drain", name="worker", state="schedulable")) == ["Node worker"]
    assert module(running, "node_drain", name="worker", state="schedulable")["changed"] is False
    assert module(running, "node_drain", name="worker", state="absent")["changed"] is True
    assert module(running, "node_drain", name="worker", state="absent")["changed"] is False


def test_a_rolling_update_marks_the_nodes_that_it_cordons(running: ControlPlane) -> None:
    for name in ("updated", "by-hand"):
        node(running, name)

    def unfinished() -> list[str]:
        result = module(running, "validate_cluster", name="demo", groups=[], dns_domain="", certificate_days=-1)
        return [each["name"] for each in result["nodes"] if each["cordoned_for_update"]]

    update = {"for_update": True, "settle": 0}
    assert changed(module(running, "node_drain", name="by-hand", state="cordoned")) == ["Node by-hand"]
    for name, expected in (("updated", ["Node updated"]), ("by-hand", [])):
        ahead = module(running, "node_drain", check=True, name=name, **update)
        assert changed(ahead) == changed(module(running, "node_drain", name=name, **update)) == expected
    assert unfinished() == ["updated"]
    for name, expected in (("updated", ["Node updated"]), ("by-hand", [])):
        assert changed(module(running, "node_drain", name=name, state="schedulable", **update)) == expected
    assert unfinished() == []
    specs = {name: running.client().get(f"/api/v1/nodes/{name}")["spec"] for name in ("updated", "by-hand")}
    assert {name: spec.get("unschedulable", False) for name, spec in specs.items()} == {
        "updated": False,
        "by-hand": True,
    }


def test_validation_returns_all_failures(running: ControlPlane) -> None:
    node(running, "cp", **{"node-role.kubernetes.io/control-plane": "", "kops.k8s.io/instancegroup": "cp"})
    node(running, "sick", ready="False")
    groups = [{"name": "cp", "role": "ControlPlane", "size": 1}, {"name": "nodes", "nodes": ["sick", "away"]}]
    result = module(
        running,
        "validate_cluster",
        name="demo",
        groups=groups,
        api_addresses=["127.0.0.1", "127.0.0.2"],
        dns_domain="",
    )
    kinds = {(failure["kind"], failure["name"]) for failure in result["failures"]}
    assert {("Node", "cp"), ("Node", "sick"), ("Machine", "away"), ("APIServer", "127.0.0.2")} <= kinds
    assert "Node cp: has no pod kube-apiserver" in result["msg"]
    # The certificate of the test's own API server ends too soon.
    assert ("Certificate", "127.0.0.1") in kinds
    assert "the certificate of the API server expires in 5 days" in result["text"]


def test_an_address_has_to_serve_the_certificate_of_the_name(running: ControlPlane, tmp_path: pathlib.Path) -> None:
    """The name is what a kubeconfig says; the address is where one of several API servers is."""
    admin = running.authority.issue("admin", "system:masters")
    path = tmp_path / "kubeconfig"
    path.write_text(kubeconfig(f"https://api.internal.demo:{running.port}", running.authority.pem, *admin))
    assert api_failures(str(path), ["127.0.0.1"]) == []
    path.write_text(kubeconfig(f"https://api.elsewhere:{running.port}", running.authority.pem, *admin))
    (failure,) = api_failures(str(path), ["127.0.0.1"])
    assert "its certificate is not valid: Hostname mismatch" in failure.message


def test_strangers_are_refused_at_once(running: ControlPlane, tmp_path: pathlib.Path) -> None:
    other = Authority.new()
    path = tmp_path / "kubeconfig"
    server = f"https://127.0.0.1:{running.port}"
    path.write_text(kubeconfig(server, other.pem, *running.authority.issue("admin", "system:masters")))
    with pytest.raises(KopsError, match="its certificate is not valid"):
        KubernetesClient.from_kubeconfig(str(path), retry=RetryPolicy(deadline=60)).get("/api/v1/nodes")
    path.write_text(kubeconfig(server, running.authority.pem, *running.authority.issue("nobody")))
    with pytest.raises(KubernetesError, match="403"):
        KubernetesClient.from_kubeconfig(str(path)).get("/api/v1/nodes")


def test_how_long_a_certificate_lasts(running: ControlPlane) -> None:
    left = seconds_left("127.0.0.1", running.port, read_kubeconfig(running.kubeconfig)[1])
    assert 4 * DAY < left <= 5 * DAY
