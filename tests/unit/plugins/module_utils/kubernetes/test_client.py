# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client of the API server: what it asks, how it bears failures, what it makes of answers."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.kubeconfigs import kubeconfig_text
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import read_kubeconfig
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving
from ansible_collections.kubeops.kops.tests.support.kubernetes import free_ports

CONFIG_MAP = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "settings", "namespace": "kube-system"},
    "data": {"a": "1"},
}
PATH = "/api/v1/namespaces/kube-system/configmaps/settings"


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        fake.add("Namespace", "kube-system")
        yield fake


def test_a_kubeconfig_of_ours_is_read(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(kubeconfig_text("admin", "https://api.internal.demo", "AUTHORITY\n", "CERTIFICATE\n", "KEY\n"))
    server, credentials = read_kubeconfig(str(path))
    assert server == "https://api.internal.demo"
    assert (credentials.authority, credentials.certificate, credentials.key) == (
        "AUTHORITY\n",
        "CERTIFICATE\n",
        "KEY\n",
    )
    assert "KEY" not in repr(credentials)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("kind: Config\n", "names no server"),
        ("server: https://api\n", "has no field certificate-authority-data"),
        ("server: https://api\ncertificate-authority-data: '%'\n", "not base64"),
    ],
)
def test_a_kubeconfig_that_lacks_something_is_refused(tmp_path: pathlib.Path, content: str, message: str) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(content)
    with pytest.raises(KopsError, match=message):
        read_kubeconfig(str(path))
    with pytest.raises(KopsError, match="cannot be read"):
        read_kubeconfig(str(tmp_path / "none"))


def test_objects_are_found_by_kind(api: FakeKubernetes) -> None:
    client = api.client()
    assert client.path_of(CONFIG_MAP) == PATH
    assert client.kind("apps/v1", "Deployment").path() == "/apis/apps/v1/deployments"
    assert client.kind("v1", "Node").path(name="n1") == "/api/v1/nodes/n1"
    client.path_of(CONFIG_MAP)
    assert api.requests == ["GET /api/v1", "GET /apis/apps/v1"], "what is known is not asked for again"
    with pytest.raises(KopsError, match="does not know kind Gadget in example.com/v1"):
        client.kind("example.com/v1", "Gadget")


def test_applying_says_whether_anything_changed(api: FakeKubernetes) -> None:
    first = api.client().apply(CONFIG_MAP)
    assert (first.before, first.changed, api.objects[PATH]["data"]) == (None, True, {"a": "1"})
    assert not api.client().apply(CONFIG_MAP).changed
    # What somebody else adds, and what the API server counts, is no change.
    api.objects[PATH]["status"] = {"seen": 1}
    api.objects[PATH]["data"]["b"] = "2"
    assert not api.client().apply(CONFIG_MAP).changed
    api.objects[PATH]["data"]["a"] = "other"
    applied = api.client().apply(CONFIG_MAP)
    assert (applied.changed, applied.before["data"]["a"], applied.after["data"]["a"]) == (True, "other", "1")


def test_taking_ownership_is_a_change(api: FakeKubernetes) -> None:
    api.add("ConfigMap", "settings", "kube-system", data={"a": "1"})
    assert api.client().apply(CONFIG_MAP).changed
    assert not api.client().apply(CONFIG_MAP).changed


def test_checking_stores_nothing(api: FakeKubernetes) -> None:
    client = api.client(check=True)
    assert client.apply(CONFIG_MAP).changed
    assert PATH not in api.objects
    assert api.writes() == []


def test_lists_are_read_page_by_page(api: FakeKubernetes) -> None:
    api.page = 2
    for number in range(5):
        api.add("Node", f"n{number}")
    nodes = list(api.client().list("/api/v1/nodes"))
    assert [node["metadata"]["name"] for node in nodes] == ["n0", "n1", "n2", "n3", "n4"]
    assert {(node["apiVersion"], node["kind"]) for node in nodes} == {("v1", "Node")}


def test_failures_that_pass_are_borne(api: FakeKubernetes) -> None:
    api.add("Node", "n0")
    api.faults = [503, 0, 429, 500]
    assert api.client().get("/api/v1/nodes/n0")["metadata"]["name"] == "n0"
    assert len(api.requests) == 5


def test_failures_end_at_the_deadline(api: FakeKubernetes) -> None:
    api.faults = [503] * 100
    with pytest.raises(KubernetesError, match="answers 503: a fault of the test") as caught:
        api.client(deadline=0.1).get("/api/v1/nodes/n0")
    assert caught.value.status == 503
    assert 2 <= len(api.requests) < 100


def test_what_the_server_refuses_is_not_tried_again(api: FakeKubernetes) -> None:
    api.faults = [403]
    with pytest.raises(KubernetesError, match="GET /api/v1/nodes/n0: the API server answers 403") as caught:
        api.client().get("/api/v1/nodes/n0")
    assert (caught.value.status, caught.value.reason, len(api.requests)) == (403, "Fault", 1)


def test_too_busy_may_be_an_answer(api: FakeKubernetes) -> None:
    api.faults = [429]
    with pytest.raises(KubernetesError) as caught:
        api.client().post("/api/v1/namespaces", {}, retried=False)
    assert caught.value.status == 429


def test_a_server_that_is_not_there(tmp_path: pathlib.Path) -> None:
    fake = FakeKubernetes(url=f"http://127.0.0.1:{free_ports(1)[0]}")
    with pytest.raises(KopsError, match=rf"the API server {fake.url} cannot be reached: Connection refused"):
        fake.client(deadline=0.1).get("/api/v1/nodes/n0")


def test_deleting_what_is_gone(api: FakeKubernetes) -> None:
    api.add("Node", "n0")
    assert api.client().delete("/api/v1/nodes/n0")
    assert not api.client().delete("/api/v1/nodes/n0")


@pytest.mark.parametrize("server", ["api.internal", "ftp://api", "https://"])
def test_an_address_has_to_be_one(server: str) -> None:
    with pytest.raises(KopsError, match="is not the URL of an API server"):
        FakeKubernetes(url=server).client()


def test_threads_have_connections_of_their_own(api: FakeKubernetes) -> None:
    from concurrent.futures import ThreadPoolExecutor

    for number in range(20):
        api.add("Node", f"n{number}")
    client = api.client()

    def name(number: int) -> Any:
        return client.get(f"/api/v1/nodes/n{number}")["metadata"]["name"]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(name, range(20))) == [f"n{number}" for number in range(20)]
