# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validation: every rule by a cluster that breaks it, and the waiting."""

from __future__ import annotations

import datetime
import pathlib
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes import probes
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import Credentials, RetryPolicy
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.addons import Workload
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import (
    Failure,
    Group,
    Validation,
    validate,
)
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.pods import PodProbe
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.run import (
    Expectation,
    Timing,
    check_once,
    check_until,
    text_of,
)
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving
from ansible_collections.kubeops.kops.tests.support.kubernetes import Authority, free_ports, kubeconfig

GROUPS = [Group("control-plane", "ControlPlane", 1), Group("nodes", "Node", 2), Group("bastions", "Bastion", 1)]
STATIC = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        node(fake, "cp1", "control-plane", **{"node-role.kubernetes.io/control-plane": ""})
        node(fake, "w1", "nodes")
        node(fake, "w2", "nodes")
        for name in STATIC:
            pod(fake, name, "cp1", labels={"k8s-app": name})
        pod(fake, "coredns", "w1", "system-cluster-critical")
        pod(fake, "flannel", "w2", "system-node-critical")
        yield fake


def node(
    api: FakeKubernetes, name: str, group: str, ready: str = "True", network: str = "False", **labels: str
) -> None:
    conditions = [{"type": "Ready", "status": ready}, {"type": "NetworkUnavailable", "status": network}]
    labels = {"kops.k8s.io/instancegroup": group, **labels}
    status = {"conditions": conditions, "nodeInfo": {"kubeletVersion": "v1.34.4"}}
    api.add("Node", name, metadata={"labels": labels}, status=status)


def pod(
    api: FakeKubernetes,
    name: str,
    on: str,
    priority: str = "",
    phase: str = "Running",
    ready: bool = True,
    state: dict[str, Any] | None = None,
    labels: dict[str, str] | None = None,
) -> None:
    status = {"phase": phase, "containerStatuses": [{"name": "main", "ready": ready, "state": state or {}}]}
    spec = {"nodeName": on, "priorityClassName": priority}
    api.add("Pod", name, "kube-system", metadata={"labels": labels or {}}, spec=spec, status=status)


def failures(api: FakeKubernetes, groups: Any = None, **more: Any) -> list[tuple[str, str, str, str]]:
    found = validate(api.client(), GROUPS if groups is None else groups, **more).failures
    return [(each.kind, each.name, each.message, each.group) for each in found]


def test_a_cluster_as_it_should_be(api: FakeKubernetes) -> None:
    found = validate(api.client(), GROUPS)
    assert found.failures == []
    assert found.nodes[0] == {
        "name": "cp1",
        "role": "control-plane",
        "instance_group": "control-plane",
        "ready": "True",
        "cordoned_for_update": "",
        "needs_update": False,
        "old_pods": [],
        "version": "v1.34.4",
    }


def test_a_group_with_too_few_nodes(api: FakeKubernetes) -> None:
    del api.objects["/api/v1/nodes/w2"]
    message = "has too few nodes: 1 instead of 2"
    assert failures(api) == [("InstanceGroup", "nodes", message, "nodes")]


def test_a_machine_that_has_not_joined(api: FakeKubernetes) -> None:
    groups = [GROUPS[0], Group("nodes", nodes=("w1", "w2", "w3"))]
    assert failures(api, groups) == [("Machine", "w3", "has not joined the cluster yet", "nodes")]


@pytest.mark.parametrize(
    ("heard", "joined"), [("2026-01-01T08:59:59Z", False), ("2026-01-01T09:00:01Z", True), ("", True)]
)
def test_the_node_of_a_former_machine_is_none(api: FakeKubernetes, heard: str, joined: bool) -> None:
    """A managed group of Google Cloud makes an instance again under its name, while its Node still counts as ready."""
    launched = datetime.datetime(2026, 1, 1, 9, tzinfo=datetime.timezone.utc)
    ready = {"type": "Ready", "status": "True", **({"lastHeartbeatTime": heard} if heard else {})}
    api.objects["/api/v1/nodes/w1"]["status"]["conditions"][0] = ready
    groups = [GROUPS[0], Group("nodes", "Node", 2, ("w1", "w2"), {"w1": launched})]
    message = "has not joined the cluster yet; what its Node says is older"
    assert failures(api, groups) == ([] if joined else [("Machine", "w1", message, "nodes")])
    assert failures(api, groups, max_unready_nodes=1) == []


def test_a_node_is_of_the_group_that_names_it(api: FakeKubernetes) -> None:
    """Its label may say something else still, or nothing yet."""
    del api.objects["/api/v1/nodes/w2"]["metadata"]["labels"]
    groups = [GROUPS[0], Group("nodes", size=1, nodes=("w2",)), Group("more", size=1, nodes=("w1",))]
    found = validate(api.client(), groups)
    assert found.failures == []
    assert {row["name"]: row["instance_group"] for row in found.nodes} == {
        "cp1": "control-plane",
        "w1": "more",
        "w2": "nodes",
    }


@pytest.mark.parametrize("ready", ["False", "Unknown"])
def test_a_node_that_is_not_ready(api: FakeKubernetes, ready: str) -> None:
    node(api, "w2", "nodes", ready=ready)
    assert failures(api) == [("Node", "w2", "is not ready", "nodes")]
    pod(api, "flannel", "w2", "system-node-critical", ready=False)
    # Of a silent kubelet, its node is all that is told.
    assert len(failures(api)) == (2 if ready == "False" else 1)
    assert failures(api, max_unready_nodes=1) == []
    node(api, "w1", "nodes", ready=ready)
    assert len(failures(api, max_unready_nodes=1)) == (3 if ready == "False" else 2), "more are away than may be"


def test_control_planes_are_never_tolerated(api: FakeKubernetes) -> None:
    node(api, "cp1", "control-plane", ready="False")
    assert [found[:2] for found in failures(api, max_unready_nodes=3)] == [("Node", "cp1")]


def test_a_node_that_a_rolling_update_has_left_cordoned(api: FakeKubernetes) -> None:
    for name in ("w1", "w2"):
        api.objects[f"/api/v1/nodes/{name}"]["spec"] = {"unschedulable": True}
    mark = {"kops.k8s.io/cordoned-for-update": "2026-05-08T12:00:00Z"}
    api.objects["/api/v1/nodes/w2"]["metadata"]["annotations"] = mark
    ((kind, name, message, group),) = failures(api)
    assert (kind, name, group) == ("Node", "w2", "nodes")
    assert "was cordoned at 2026-05-08T12:00:00Z by a rolling update that has not finished with it" in message
    rows = {row["name"]: row["cordoned_for_update"] for row in validate(api.client(), GROUPS).nodes}
    assert rows == {"cp1": "", "w1": "", "w2": "2026-05-08T12:00:00Z"}
    before_a_rolling_update = validate(api.client(), GROUPS, unfinished_updates=False)
    assert before_a_rolling_update.failures == []
    assert {row["name"]: row["cordoned_for_update"] for row in before_a_rolling_update.nodes} == rows


def addon_agent(api: FakeKubernetes, *nodes: str) -> None:
    """A DaemonSet of an addon with a pod on each node, ready where its node is."""
    labels = {"addon.kops.k8s.io/name": "networking.flannel"}
    ready = 0
    for name in nodes:
        status = next(each["status"] for each in api.objects[f"/api/v1/nodes/{name}"]["status"]["conditions"])
        pod(api, f"agent-{name}", name, "system-node-critical", ready=status == "True", labels={"app": "agent"})
        api.objects[f"/api/v1/namespaces/kube-system/pods/agent-{name}"]["status"]["conditions"] = [
            {"type": "Ready", "status": status}
        ]
        ready += status == "True"
    counts = {"desiredNumberScheduled": len(nodes), "updatedNumberScheduled": len(nodes), "numberAvailable": ready}
    spec = {"selector": {"matchLabels": {"app": "agent"}}}
    api.add("DaemonSet", "agent", "kube-system", "apps/v1", metadata={"labels": labels}, spec=spec, status=counts)


AGENT = Workload("networking.flannel", "DaemonSet", "kube-system", "agent", "kubeops.kops.hosts applies it again")


def test_what_an_addon_must_have_is_missed(api: FakeKubernetes) -> None:
    """All that there is works, and a network that is gone is not among it."""
    assert failures(api) == []
    message = "DaemonSet kube-system/agent does not exist; kubeops.kops.hosts applies it again"
    assert failures(api, workloads=[AGENT]) == [("Addon", "networking.flannel", message, "")]
    addon_agent(api, "cp1", "w1", "w2")
    assert failures(api, workloads=[AGENT]) == []


def test_a_dead_host_is_told_once(api: FakeKubernetes) -> None:
    """Nothing can be known of its pods; those of a node that says that it is not ready count."""
    node(api, "w2", "nodes", ready="Unknown")
    addon_agent(api, "cp1", "w1", "w2")
    assert failures(api) == [("Node", "w2", "is not ready", "nodes")]
    assert failures(api, leaving=["w2"]) == []
    node(api, "w2", "nodes", ready="False")
    kinds = [kind for kind, *_rest in failures(api)]
    assert kinds == ["Node", "Addon", "Pod"]


def test_a_node_without_network(api: FakeKubernetes) -> None:
    node(api, "w2", "nodes", network="True")
    assert failures(api) == [("Node", "w2", "has no network for pods yet", "nodes")]


@pytest.mark.parametrize("name", STATIC)
def test_a_control_plane_without_one_of_its_pods(api: FakeKubernetes, name: str) -> None:
    del api.objects[f"/api/v1/namespaces/kube-system/pods/{name}"]
    assert failures(api) == [("Node", "cp1", f"has no pod {name}", "control-plane")]


@pytest.mark.parametrize(
    ("priority", "phase", "message", "group"),
    [
        ("system-cluster-critical", "Pending", "is pending", ""),
        ("system-node-critical", "Unknown", "is in an unknown state", "nodes"),
        ("system-node-critical", "Running", "is not ready (main)", "nodes"),
    ],
)
def test_a_pod_that_the_system_needs(api: FakeKubernetes, priority: str, phase: str, message: str, group: str) -> None:
    pod(api, "dns", "w1", priority, phase, ready=False)
    assert failures(api) == [("Pod", "kube-system/dns", message, group)]
    pod(api, "dns", "w1", priority, "Running", ready=False, state={"waiting": {"reason": "CrashLoopBackOff"}})
    assert failures(api)[0][2].endswith("is not ready (main): CrashLoopBackOff")


@pytest.mark.parametrize(("priority", "phase"), [("", "Pending"), ("system-node-critical", "Succeeded")])
def test_pods_that_do_not_matter(api: FakeKubernetes, priority: str, phase: str) -> None:
    pod(api, "job", "w1", priority, phase, ready=False)
    assert failures(api) == []


# -- what is asked directly -----------------------------------------------------------------------------------------


def dns_server(answers: list[bytes]) -> tuple[str, int, threading.Thread]:
    """Answers each question with the next of the records, b"" with silence."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listening.bind(("127.0.0.1", 0))

    def serve() -> None:
        with listening:
            for record in answers:
                query, client = listening.recvfrom(512)
                if record:
                    count = 0 if record == b"none" else 1
                    code = 3 if record == b"none" else 0
                    head = query[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, count, 0, 0)
                    listening.sendto(head + query[12:] + (record if count else b""), client)

    thread = threading.Thread(target=serve, daemon=True)
    port = listening.getsockname()[1]
    thread.start()
    return "127.0.0.1", port, thread


def record(address: str) -> bytes:
    return struct.pack(">HHHIH", 0xC00C, 1, 1, 30, 4) + socket.inet_aton(address)


def services(api: FakeKubernetes) -> None:
    api.add("Service", "kube-dns", "kube-system", spec={"clusterIP": "127.0.0.1"})
    api.add("Service", "kubernetes", "default", spec={"clusterIP": "100.64.0.1"})


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([record("100.64.0.1")], ""),
        ([b"", record("100.64.0.1")], ""),
        ([record("10.0.0.9")], "resolves kubernetes.default.svc.cluster.local to 10.0.0.9 instead of 100.64.0.1"),
        (
            [b"none", b"none"],
            "cannot resolve kubernetes.default.svc.cluster.local: the answer is an error",
        ),
        ([b"nonsense", b"nonsense"], "the answer is not a valid DNS message"),
        ([b"", b""], "no answer"),
    ],
)
def test_dns(api: FakeKubernetes, monkeypatch: pytest.MonkeyPatch, answers: list[bytes], message: str) -> None:
    services(api)
    _host, port, thread = dns_server(answers)
    monkeypatch.setattr(probes, "_DNS_PORT", port)
    monkeypatch.setattr(probes, "_SECONDS", 0.6)
    found = probes.dns_failures(api.client(), "cluster.local")
    thread.join(5)
    assert not thread.is_alive()
    if message:
        assert message in found[0].message
    else:
        assert found == []


def test_no_dns_at_all(api: FakeKubernetes, monkeypatch: pytest.MonkeyPatch) -> None:
    (failure,) = probes.dns_failures(api.client(), "cluster.local")
    assert failure.message == "there is no such service in kube-system"
    services(api)
    monkeypatch.setattr(probes, "_DNS_PORT", free_ports(1)[0])
    assert probes.dns_failures(api.client(), "cluster.local")[0].message.endswith("Connection refused")


def test_api_servers_are_asked_one_by_one(tmp_path: pathlib.Path) -> None:
    authority, port = Authority.new(), free_ports(1)[0]
    path = tmp_path / "kubeconfig"
    path.write_text(kubeconfig(f"https://localhost:{port}", authority.pem, *authority.issue("admin")))
    found = probes.api_failures(str(path), ["127.0.0.1", "127.0.0.2"])
    assert [(each.kind, each.name) for each in found] == [("APIServer", "127.0.0.1"), ("APIServer", "127.0.0.2")]
    assert "https://localhost" in found[1].message
    assert "at 127.0.0.2 cannot be reached: Connection refused" in found[1].message


# -- the whole ------------------------------------------------------------------------------------------------------


def test_an_api_server_that_does_not_answer_is_a_failure(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(kubeconfig(f"http://127.0.0.1:{free_ports(1)[0]}", "a", "a", "a"))
    found = check_once(Expectation(GROUPS, kubeconfig=str(path)), RetryPolicy(deadline=0.1))
    assert [(each.kind, each.name) for each in found.failures] == [("APIServer", "kubernetes")]


def test_only_some_groups_count(api: FakeKubernetes, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(kubeconfig(api.url, "a", "a", "a"))
    node(api, "w2", "nodes", ready="False")
    pod(api, "dns", "w1", "system-cluster-critical", "Pending")
    quiet = {"dns_domain": "", "certificate_days": -1, "kubeconfig": str(path)}
    names = [failure.name for failure in check_once(Expectation(GROUPS, only=["control-plane"], **quiet)).failures]
    assert names == ["kube-system/dns"], "what is of no group always counts"
    names = [failure.name for failure in check_once(Expectation(GROUPS, **quiet)).failures]
    assert names == ["w2", "kube-system/dns"]


def test_pods_are_started_once_nothing_else_fails(api: FakeKubernetes, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(kubeconfig(api.url, "a", "a", "a"))
    api.kubelet = lambda pod: {} if pod["spec"]["nodeName"] == "w1" else {"phase": "Running", "podIP": "100.96.0.9"}
    quiet = {"dns_domain": "", "certificate_days": -1, "kubeconfig": str(path)}
    probe = PodProbe("pause", seconds=0.2)
    node(api, "w2", "nodes", ready="False")

    def started(**more: Any) -> tuple[list[str], int]:
        """Names of what failed, and how many pods were started."""
        api.requests.clear()
        found = check_once(Expectation(GROUPS, **quiet, **more))
        return [each.name for each in found.failures], sum(each.startswith("POST ") for each in api.requests)

    assert started(pods=probe) == (["w2"], 0)
    assert started(pods=probe, max_unready_nodes=1) == (["w1"], 2), "a node that may be missing is left out"
    assert started(pods=probe, only=["control-plane"]) == ([], 1)
    node(api, "w2", "nodes")
    assert started(pods=probe) == (["w1"], 3)
    assert started() == ([], 0)


def test_pods_that_do_not_know_the_keys(api: FakeKubernetes, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(kubeconfig(api.url, "a", "a", "a"))
    api.add("ConfigMap", "kops-cluster-keys", "kube-system", data={"keys": "hash", "since": "2026-01-02T00:00:00Z"})
    volumes = [{"name": "api", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}]
    spec, created = {"nodeName": "w1", "volumes": volumes}, {"creationTimestamp": "2026-01-01T00:00:00Z"}
    api.add("Pod", "old", "web", spec=spec, metadata=created)
    plain = {"dns_domain": "", "certificate_days": -1, "kubeconfig": str(path)}
    known = Failure("Node", "w2", "found on its host", "nodes")
    found = check_once(Expectation(GROUPS, found=[known], **plain)).failures
    assert [(each.kind, each.name) for each in found] == [("Node", "w2"), ("Pod", "web/old")]
    assert "started on w1 before the last step of a key rotation" in found[1].message
    assert "delete it and create it again" in found[1].message
    assert check_once(Expectation(GROUPS, pod_trust=False, **plain)).failures == []


def test_pods_that_would_not_trust_an_api_server(
    api: FakeKubernetes, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(kubeconfig(api.url, "a", "a", "a"))
    for namespace, authority in (("web", "old"), ("other", "old"), ("kube-system", "both")):
        api.add("ConfigMap", "kube-root-ca.crt", namespace, data={"ca.crt": authority})

    def seconds_left(address: str, _port: int, credentials: Credentials) -> float:
        if address == "10.0.0.9":
            raise ConnectionRefusedError
        if credentials.authority == "old":
            error = ssl.SSLCertVerificationError()
            error.verify_message = "unable to get local issuer certificate"
            raise error
        return 1.0

    monkeypatch.setattr(probes, "seconds_left", seconds_left)
    found = probes.trust_failures(api.client(), str(path), ["10.0.0.1", "10.0.0.9"])
    assert [(each.kind, each.name) for each in found] == [("ConfigMap", "kube-root-ca.crt")]
    assert found[0].message == (
        "pods of the namespaces other, web do not trust the API server at 10.0.0.1:"
        " unable to get local issuer certificate"
    )


def in_turn(*failing: bool) -> Any:
    """A validation that fails or not, the last one for ever."""
    left = list(failing)

    def check() -> Validation:
        fails = left.pop(0) if len(left) > 1 else left[0]
        return Validation([Failure("Node", "n", "bad")] if fails else [])

    return check


@pytest.mark.parametrize(
    ("failing", "times", "names"),
    [
        ((False,), Timing(), []),
        ((True,), Timing(), ["n"]),
        ((True, True, False), Timing(wait=10, interval=0.01), []),
        ((True,), Timing(wait=0.05, interval=0.01), ["n"]),
        ((True, False, True, False, False), Timing(wait=10, interval=0.01, count=2), []),
        ((False,), Timing(count=2), ["count"]),
    ],
)
def test_waiting(failing: tuple[bool, ...], times: Timing, names: list[str]) -> None:
    found = check_until(in_turn(*failing), times)
    assert [failure.name for failure in found.failures] == names


def test_text(api: FakeKubernetes) -> None:
    node(api, "w2", "nodes", ready="False")
    assert text_of(validate(api.client(), GROUPS), GROUPS, "demo") == (
        "INSTANCE GROUPS\n"
        "NAME           ROLE          WANTED  NODES  READY\n"
        "control-plane  ControlPlane  1       1      1\n"
        "nodes          Node          2       2      1\n"
        "bastions       Bastion       1       0      0\n"
        "\n"
        "NODE STATUS\n"
        "NAME  ROLE           READY  VERSION\n"
        "cp1   control-plane  True   v1.34.4\n"
        "w1    node           True   v1.34.4\n"
        "w2    node           False  v1.34.4\n"
        "\n"
        "VALIDATION ERRORS\n"
        "KIND  NAME  MESSAGE\n"
        "Node  w2    is not ready\n"
        "\n"
        "Cluster demo is not ready\n"
    )
    assert text_of(Validation(), [], "demo").endswith("\nCluster demo is ready\n")


# -- failures of nodes -----------------------------------------------------------------------------------------------


def of_daemon_set(api: FakeKubernetes, name: str, on: str, ready: bool) -> None:
    pod(api, name, on, "system-node-critical", ready=ready)
    made = api.objects[f"/api/v1/namespaces/kube-system/pods/{name}"]
    made["metadata"]["ownerReferences"] = [{"kind": "DaemonSet", "uid": "net", "controller": True}]
    made["status"]["conditions"] = [{"type": "Ready", "status": str(ready)}]


def test_what_fails_of_a_node_names_it_and_is_not_expected_of_one_that_leaves(api: FakeKubernetes) -> None:
    del api.objects["/api/v1/namespaces/kube-system/pods/kube-scheduler"]
    pod(api, "etcd-cp1", "cp1", "system-cluster-critical", ready=False)
    api.objects["/api/v1/namespaces/kube-system/pods/etcd-cp1"]["metadata"]["annotations"] = {
        "kubernetes.io/config.mirror": "x"
    }
    of_daemon_set(api, "net-1", "w1", ready=True)
    of_daemon_set(api, "net-2", "w2", ready=False)
    found = validate(api.client(), GROUPS)
    assert found.failing == {
        "cp1": ["Pod kube-system/etcd-cp1: is not ready (main)", "has no pod kube-scheduler"],
        "w2": ["Pod kube-system/net-2: is not ready (main)"],
    }
    assert validate(api.client(), GROUPS, leaving=["cp1", "w2"]).failures == []
    assert set(validate(api.client(), GROUPS, leaving=["w2"]).failing) == {"cp1"}


def test_what_fails_on_all_nodes_is_the_fault_of_none(api: FakeKubernetes) -> None:
    of_daemon_set(api, "net-1", "w1", ready=False)
    of_daemon_set(api, "net-2", "w2", ready=False)
    pod(api, "coredns", "w1", "system-cluster-critical", ready=False)
    found = validate(api.client(), GROUPS)
    assert (len(found.failures), found.failing) == (3, {})


def test_the_api_server_of_a_node_that_is_changed_next_is_not_expected(
    api: FakeKubernetes, tmp_path: pathlib.Path
) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(kubeconfig(api.url, "a", "a", "a"))
    api.objects["/api/v1/nodes/cp1"]["status"]["addresses"] = [{"type": "InternalIP", "address": "127.0.0.9"}]
    quiet = {"dns_domain": "", "certificate_days": -1, "kubeconfig": str(path), "api_addresses": ["127.0.0.9"]}
    found = check_once(Expectation(GROUPS, **quiet))
    assert [each.name for each in found.failures] == ["127.0.0.9"]
    assert list(found.failing) == ["cp1"]
    assert check_once(Expectation(GROUPS, leaving=["cp1"], **quiet)).failures == []
