# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons of the store, applied by the control plane that leads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import KUBECONFIG
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import ControllersSettings as Settings
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons import apply as engine
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import Credentials
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers import addons
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.addons import Addons
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.controller import Work
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.lease import LostLease, Term
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

URL = "s3://store/demo/addons/objects.json"
SYSTEM = "/api/v1/namespaces/kube-system"


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        fake.add("Namespace", "kube-system")
        yield fake


class Store:
    """The state store of an instance. asked: the reads, and whether they brought something."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[bool] = []
        self.away = False

    def read_changed(self, url: str, tag: str) -> tuple[bytes, str] | None:
        if self.away or url not in self.files:
            self.asked.append(False)
            raise KopsError(f"{url}: 503")
        content = self.files[url]
        found = str(hash(content))
        self.asked.append(found != tag)
        return None if found == tag else (content, found)

    def keep(self, *wanted: dict[str, Any], retired: tuple[str, ...] = (), schema: int = 1) -> None:
        self.files[URL] = json.dumps({"schema": schema, "addons": wanted, "retired": retired}).encode()


def config_map(name: str, addon: str, **more: Any) -> dict[str, Any]:
    labels = {"app.kubernetes.io/managed-by": "kops", "addon.kops.k8s.io/name": addon}
    metadata = {"name": name, "namespace": "kube-system", "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **more}


def addon(name: str, version: str, *objects: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": name, "version": version, "id": "k8s", "objects": objects or [config_map(name, name)], **more}


def controller(api: FakeKubernetes, store: Any, term: Term | None = None) -> Addons:
    nothing: Any = None
    settings = Settings("aws", "demo", "i-1", "s3://store/demo/", KUBECONFIG)
    return Addons(Work(settings, api.client(), nothing, store, term or Term(1, lambda: 0)))


def records(api: FakeKubernetes) -> dict[str, str]:
    found = api.objects[SYSTEM]["metadata"].get("annotations") or {}
    return {name: json.loads(text)["manifestHash"] for name, text in found.items()}


def test_they_are_applied_once_and_recorded_as_in_the_index(
    api: FakeKubernetes, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store()
    store.keep(addon("dns", "1"), addon("csi", "2"))
    tried = controller(api, store)
    tried.round()
    assert records(api) == {"addons.k8s.io/dns": "1", "addons.k8s.io/csi": "2"}
    assert "kubeops: addons: 2 addons are applied, 2 of 2 objects were changed: ConfigMap kube-system/" in (
        capsys.readouterr().out
    )
    del api.requests[:], store.asked[:]
    tried.round()
    # A quiet round: one request to the API server, and one to the store that brings nothing.
    assert api.requests == [f"GET {SYSTEM}"]
    assert store.asked == [False]
    # Another control plane that begins to lead applies nothing either.
    controller(api, store).round()
    assert api.writes() == []
    assert not capsys.readouterr().out


def test_what_others_change_stays_until_the_addons_change(api: FakeKubernetes) -> None:
    store = Store()
    store.keep(addon("dns", "1", config_map("dns", "dns", data={"a": "1"})))
    tried = controller(api, store)
    tried.round()
    path = f"{SYSTEM}/configmaps/dns"
    api.objects[path]["data"] = {"a": "changed"}
    tried.round()
    assert api.objects[path]["data"] == {"a": "changed"}
    store.keep(addon("dns", "2", config_map("dns", "dns", data={"a": "2"})))
    tried.round()
    assert (api.objects[path]["data"], records(api)) == ({"a": "2"}, {"addons.k8s.io/dns": "2"})


@pytest.mark.parametrize("annotation", [None, '{"id": "k8s", "manifestHash": "0"}', "nonsense"])
def test_a_record_that_is_gone_or_older_applies_them_again(api: FakeKubernetes, annotation: str | None) -> None:
    """Somebody has removed it; an older control plane has led meanwhile; etcd is that of a backup."""
    store = Store()
    store.keep(addon("dns", "1"))
    tried = controller(api, store)
    tried.round()
    del api.objects[f"{SYSTEM}/configmaps/dns"]
    annotations = api.objects[SYSTEM]["metadata"]["annotations"]
    annotations.pop("addons.k8s.io/dns")
    if annotation is not None:
        annotations["addons.k8s.io/dns"] = annotation
    tried.round()
    assert f"{SYSTEM}/configmaps/dns" in api.objects
    assert records(api) == {"addons.k8s.io/dns": "1"}


def test_what_kops_has_applied_is_not_applied_again(api: FakeKubernetes) -> None:
    store = Store()
    store.keep(addon("dns", "1"))
    record = {"channel": "s3://a", "id": "k8s", "manifestHash": "1", "systemGeneration": 1}
    api.objects[SYSTEM]["metadata"]["annotations"] = {"addons.k8s.io/dns": json.dumps(record)}
    controller(api, store).round()
    assert api.writes() == []


def test_addons_that_the_cluster_does_not_have_any_more_go(api: FakeKubernetes) -> None:
    store = Store()
    store.keep(addon("dns", "1"), addon("csi", "2"))
    tried = controller(api, store)
    tried.round()
    api.objects[f"{SYSTEM}/configmaps/csi"]["metadata"]["managedFields"] = [{"manager": "kops", "operation": "Apply"}]
    store.keep(addon("dns", "1"), retired=("csi",))
    tried.round()
    assert f"{SYSTEM}/configmaps/csi" not in api.objects
    assert records(api) == {"addons.k8s.io/dns": "1"}
    del api.requests[:]
    tried.round()
    assert api.requests == [f"GET {SYSTEM}"]


def test_a_refused_object_is_named_and_tried_again_without_the_store(
    api: FakeKubernetes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addons, "_WAIT", 0)
    monkeypatch.setattr(engine, "_PAUSE", 0.01)
    store = Store()
    store.keep(addon("bad", "1", config_map("bad", "bad", refused=True)), addon("dns", "2"))
    tried = controller(api, store)
    with pytest.raises(KopsError, match=r"(?s)addon bad cannot be applied.*ConfigMap kube-system/bad.*bad is invalid"):
        tried.round()
    assert records(api) == {"addons.k8s.io/dns": "2"}
    store.away = True
    with pytest.raises(KopsError, match="bad is invalid"):
        tried.round()
    store.away = False
    store.keep(addon("bad", "3"), addon("dns", "2"))
    tried.round()
    assert records(api) == {"addons.k8s.io/dns": "2", "addons.k8s.io/bad": "3"}


def test_what_cannot_be_deleted_is_tried_again(api: FakeKubernetes) -> None:
    def of_channel(name: str) -> dict[str, Any]:
        metadata = {"annotations": {"kubeops.kops/addon": "shed"}, "name": name, "namespace": "kube-system"}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}

    pruned = [{"kind": "ConfigMap", "namespaces": ["kube-system"]}]
    store = Store()
    store.keep(addon("shed", "1", of_channel("one"), of_channel("two"), pruned=pruned))
    tried = controller(api, store)
    tried.round()
    answer = api.answer

    def keeping(method: str, target: str, body: Any, content_type: str) -> tuple[int, Any]:
        return (403, {}) if method == "DELETE" else answer(method, target, body, content_type)

    api.answer = keeping
    store.keep(addon("shed", "2", of_channel("one"), pruned=pruned))
    for _round in range(2):
        with pytest.raises(KopsError, match="addon shed: what has left it cannot be deleted"):
            tried.round()
    assert records(api) == {"addons.k8s.io/shed": "1"}
    api.answer = answer
    tried.round()
    assert f"{SYSTEM}/configmaps/two" not in api.objects and f"{SYSTEM}/configmaps/one" in api.objects
    assert records(api) == {"addons.k8s.io/shed": "2"}


def test_a_store_that_is_away_is_an_error_once_nothing_is_left_to_do(api: FakeKubernetes) -> None:
    store = Store()
    tried = controller(api, store)
    with pytest.raises(KopsError, match=f"{URL}: 503"):
        tried.round()
    store.keep(addon("dns", "1"))
    tried.round()
    store.away = True
    with pytest.raises(KopsError, match=f"{URL}: 503"):
        tried.round()
    assert records(api) == {"addons.k8s.io/dns": "1"}


def test_the_content_of_a_secret_is_in_no_message(api: FakeKubernetes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addons, "_WAIT", 0)
    api.kinds["v1"]["Secret"] = ("secrets", True)
    secret = {**config_map("p4ssw0rd-in-the-answer", "cloud", refused=True), "kind": "Secret"}
    secret["metadata"]["name"] = "token"
    answer = api.answer

    def quoting(method: str, target: str, body: Any, content_type: str) -> tuple[int, Any]:
        status, found = answer(method, target, body, content_type)
        return (status, {**found, "message": "p4ssw0rd is invalid"}) if status == 422 else (status, found)

    api.answer = quoting
    store = Store()
    store.keep(addon("cloud", "1", secret))
    with pytest.raises(KopsError) as caught:
        controller(api, store).round()
    assert "Secret kube-system/token: the API server answers 422 Invalid" in str(caught.value)
    assert "p4ssw0rd" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no addons"),
        (b"[]", "holds no addons"),
        (b'{"schema": 1}', "holds no addons: KeyError 'addons'"),
        (b'{"schema": 2, "addons": [], "retired": []}', "schema 2, and this program knows 1: replace this control"),
    ],
)
def test_a_file_that_it_does_not_understand(api: FakeKubernetes, content: bytes, message: str) -> None:
    store = Store()
    store.files[URL] = content
    with pytest.raises(KopsError, match=message) as caught:
        controller(api, store).round()
    assert str(caught.value).startswith(URL)


def test_a_lease_that_is_lost_ends_it_in_the_middle(api: FakeKubernetes) -> None:
    """It is no refusal of an object, which would be tried again."""
    left = iter(range(8))

    def admit() -> None:
        if next(left, None) is None:
            raise LostLease

    nothing: Any = None
    store = Store()
    store.keep(*(addon(f"addon-{number}", "1") for number in range(9)))
    settings = Settings("aws", "demo", "i-1", "s3://store/demo", KUBECONFIG)
    client = KubernetesClient(api.url, Credentials(""), admit=admit)
    with pytest.raises(LostLease):
        Addons(Work(settings, client, nothing, store, Term(1, lambda: 0))).round()
    assert len(api.requests) == 8
    # The next leader completes it.
    controller(api, store).round()
    assert len(records(api)) == 9
