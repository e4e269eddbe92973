# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that know the keys of before: which they are, and how they are restarted."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.report import Report
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.keys import trust
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.eviction import title
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

FAST = trust.RestartOptions(timeout=0.5, pause=0.02)
LONG_AGO, SINCE, LATER = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-02T00:00:01Z"
RECORD = "/api/v1/namespaces/kube-system/configmaps/kops-cluster-keys"
API_ACCESS = [{"name": "kube-api-access", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}]
MIRROR = {"kubernetes.io/config.mirror": "hash"}


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        for namespace in ("kube-system", "web"):
            fake.add("Namespace", namespace)
            give(fake, namespace, "old")
        for name in ("n1", "n2"):
            fake.add("Node", name, status={"conditions": [{"type": "Ready", "status": "True"}]})
        yield fake


def give(api: FakeKubernetes, namespace: str, authorities: str) -> None:
    """What the controller manager does."""
    api.add("ConfigMap", "kube-root-ca.crt", namespace, data={"ca.crt": f"{authorities}\n"})


def used(api: FakeKubernetes, since: str) -> None:
    api.add("ConfigMap", "kops-cluster-keys", "kube-system", data={"keys": "hash", "since": since})


def pod(api: FakeKubernetes, name: str, node: str = "n1", created: str = LONG_AGO, **more: Any) -> None:
    """A pod of the ReplicaSet or DaemonSet that its name begins with."""
    kind = "DaemonSet" if name.startswith("agent") else "ReplicaSet"
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": name.partition("-")[0], "controller": True}
    metadata = {"creationTimestamp": created, "ownerReferences": [owner], **more.pop("metadata", {})}
    spec = {"nodeName": node, "volumes": API_ACCESS, **more.pop("spec", {})}
    api.add("Pod", name, "web", metadata=metadata, spec=spec, status={"phase": "Running"}, **more)


def outdated(api: FakeKubernetes) -> list[str]:
    return [title(each) for each in trust.outdated(api.client(), trust.recorded(api.client()))]


def restart(api: FakeKubernetes, *, check: bool = False) -> Report:
    client = api.client(check=check)
    return trust.restart_outdated(client, trust.recorded(client), FAST)


def restarted(report: Report) -> list[tuple[str, str]]:
    return [(step.item, step.before) for step in report.steps]


def test_nothing_is_outdated_before_keys_are_recorded(api: FakeKubernetes) -> None:
    pod(api, "web-1")
    assert outdated(api) == []
    step, keys = trust.record(api.client(), "first", "old")
    assert (step.changed, keys, outdated(api)) == (True, trust.Keys("first"), [])
    step, again = trust.record(api.client(), "first", "old")
    assert (step.changed, again) == (False, keys)


def test_without_a_record_pods_may_be_older_than_one_of_several_authorities(api: FakeKubernetes) -> None:
    """An older version recorded nothing, or a user has deleted the ConfigMap in the middle of a rotation."""
    pod(api, "web-1")
    both = "-----BEGIN CERTIFICATE-----\nold\n-----BEGIN CERTIFICATE-----\nnew"
    for namespace in ("kube-system", "web"):
        give(api, namespace, both)
    _step, keys = trust.record(api.client(), "first", both)
    assert keys.since
    assert outdated(api) == ["web/web-1"]


def test_new_keys_make_pods_outdated_that_were_created_before(api: FakeKubernetes) -> None:
    trust.record(api.client(), "first", "old")
    pod(api, "web-1")
    for namespace in ("kube-system", "web"):
        give(api, namespace, "old and new")
    step, keys = trust.record(api.client(), "second", "old and new")
    assert keys == trust.recorded(api.client())
    assert (step.changed, step.before, step.after) == (True, {"keys": "first"}, {"keys": "second"})
    pod(api, "web-2", created="2999-01-01T00:00:00Z")
    assert outdated(api) == ["web/web-1"]


def test_keys_are_recorded_once_all_namespaces_have_got_them(api: FakeKubernetes) -> None:
    trust.record(api.client(), "first", "old")
    give(api, "web", "new")
    with pytest.raises(KopsError, match=r"kube-root-ca\.crt\) after 0\.05 seconds: kube-system"):
        trust.record(api.client(), "second", "new", wait=0.05, pause=0.01)
    assert trust.recorded(api.client()).keys == "first"
    later = threading.Timer(0.2, lambda: give(api, "kube-system", "new"))
    later.start()
    begun = time.monotonic()
    assert trust.record(api.client(), "second", "new", wait=5, pause=0.01)[0].changed
    assert time.monotonic() - begun >= 0.1
    later.join()


def test_checking_records_nothing(api: FakeKubernetes) -> None:
    assert trust.record(api.client(check=True), "first", "elsewhere")[0].changed
    assert api.writes() == []


def test_only_pods_that_know_keys_are_outdated(api: FakeKubernetes) -> None:
    used(api, SINCE)
    authorities = [{"name": "ca", "projected": {"sources": [{"configMap": {"name": "kube-root-ca.crt"}}]}}]
    pod(api, "web-token")
    pod(api, "web-ca", spec={"volumes": authorities})
    pod(api, "web-same-second", created=SINCE)
    pod(api, "web-later", created=LATER)
    pod(api, "web-none", spec={"volumes": []})
    pod(api, "web-static", metadata={"annotations": MIRROR})
    pod(api, "web-going", metadata={"deletionTimestamp": SINCE})
    pod(api, "web-unscheduled", node="")
    assert outdated(api) == ["web/web-ca", "web/web-same-second", "web/web-token"]


def test_outdated_pods_are_restarted_node_by_node(api: FakeKubernetes) -> None:
    used(api, SINCE)
    pod(api, "web-1", "n2")
    pod(api, "agent-1", "n1")
    pod(api, "agent-2", "n2")
    pod(api, "web-new", "n1", created=LATER)
    pod(api, "bare", metadata={"ownerReferences": []})
    checked = restart(api, check=True)
    assert api.writes() == []
    report = restart(api)
    assert restarted(checked) == restarted(report)
    assert restarted(report) == [("Pod web/agent-1", "n1"), ("Pod web/agent-2", "n2"), ("Pod web/web-1", "n2")]
    evicted = [each.split("/pods/")[1].partition("/")[0] for each in api.writes()]
    assert (evicted[0], sorted(evicted)) == ("agent-1", ["agent-1", "agent-2", "web-1"])
    # Nothing would create it again.
    assert outdated(api) == ["web/bare"]
    assert restarted(restart(api)) == []


def test_a_node_waits_until_the_pods_of_the_last_one_are_replaced(api: FakeKubernetes) -> None:
    used(api, SINCE)
    pod(api, "agent-1", "n1")
    pod(api, "agent-2", "n2")
    status = {"desiredNumberScheduled": 2, "numberReady": 2}
    controller = api.add("DaemonSet", "agent", "web", "apps/v1", spec={}, status=status)

    def count() -> None:
        while any("agent-1" in path for path in api.objects):
            time.sleep(0.001)
        status["numberReady"] = 1

    counting = threading.Thread(target=count)
    counting.start()
    with pytest.raises(KopsError) as caught:
        restart(api)
    counting.join()
    assert "pods of node n1 are not restarted after 0.5 seconds" in str(caught.value)
    assert "- pod web/agent-1: it has ended, but no pod in its place is ready" in str(caught.value)
    assert outdated(api) == ["web/agent-2"]
    controller["status"]["numberReady"] = 2
    restart(api)
    assert outdated(api) == []


def test_what_holds_pods_is_told(api: FakeKubernetes) -> None:
    used(api, SINCE)
    pod(api, "web-1")
    pod(api, "web-2")
    api.blocked, api.stubborn = {"web-1"}, {"web-2"}
    with pytest.raises(KopsError) as caught:
        restart(api)
    assert "- pod web/web-1: would violate the pod's disruption budget" in str(caught.value)
    assert "- pod web/web-2: it was evicted but has not ended yet" in str(caught.value)


def test_pods_of_a_node_that_does_not_answer_stay(api: FakeKubernetes) -> None:
    used(api, SINCE)
    pod(api, "web-1")
    api.objects["/api/v1/nodes/n1"]["status"]["conditions"][0]["status"] = "Unknown"
    assert restarted(restart(api)) == []
    assert outdated(api) == ["web/web-1"]


def test_pods_of_a_node_that_is_gone_are_waited_for(api: FakeKubernetes) -> None:
    used(api, SINCE)
    pod(api, "agent-1", "n3")
    client, said = api.client(), []
    collector = threading.Timer(0.2, lambda: api.objects.pop("/api/v1/namespaces/web/pods/agent-1"))
    collector.start()
    report = trust.restart_outdated(client, trust.recorded(client), FAST, said.append)
    collector.join()
    assert (restarted(report), api.writes()) == ([], [])
    assert said == ["waiting until pods of nodes that are gone are deleted: web/agent-1"]
    assert outdated(api) == []


def test_pods_that_nobody_deletes_are_told(api: FakeKubernetes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "_COLLECTED", 0.1)
    used(api, SINCE)
    pod(api, "agent-1", "n3")
    assert restarted(restart(api)) == []
    assert outdated(api) == ["web/agent-1"]


def test_all_nodes_are_named_whether_they_answer_or_not(api: FakeKubernetes) -> None:
    api.objects["/api/v1/nodes/n1"]["status"]["conditions"][0]["status"] = "Unknown"
    assert trust.node_names(api.client()) == ["n1", "n2"]


def test_keys_of_tokens_in_secrets(api: FakeKubernetes) -> None:
    header = base64.urlsafe_b64encode(json.dumps({"alg": "RS256", "kid": "key"}).encode()).decode().rstrip("=")
    token = base64.b64encode(f"{header}.payload.signature".encode()).decode()
    kind = "kubernetes.io/service-account-token"
    api.add("Secret", "robot", "web", type=kind, data={"token": token})
    api.add("Secret", "waiting", "web", type=kind, data={})
    api.add("Secret", "other", "web", type="Opaque", data={"token": token})
    assert trust.token_keys(api.client()) == {"web/robot": "key"}
