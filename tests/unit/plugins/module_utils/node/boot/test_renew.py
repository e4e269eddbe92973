# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates that are renewed while a node runs. They were issued long ago: openssl is the real one."""

from __future__ import annotations

import base64
import datetime
import functools
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.report import Report
from ansible_collections.kubeops.kops.plugins.module_utils.exchange import certificates
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import KUBECONFIG as KUBECTL
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import RetryPolicy
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot import from_store, renew, run
from ansible_collections.kubeops.kops.plugins.module_utils.node.converge import Options
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys import issue
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.secrets_document import secrets_document
from ansible_collections.kubeops.kops.plugins.module_utils.node.system import lock
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.boot.conftest import (
    KUBECONFIG,
    SERVING,
    Served,
    Setting,
)

PAIR = {f"file:{KUBECONFIG}", f"file:{SERVING}.crt", f"file:{SERVING}.key"}


def ago(days_left: float) -> datetime.datetime:
    """When certificates of this node were issued that have so many days left."""
    now = datetime.datetime.now(datetime.timezone.utc)
    return now + datetime.timedelta(days=days_left) - certificates.validity("i-1")


def booted(setting: Setting, source: Any, days_left: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Boot, with certificates that have so many days left now; later ones are issued now."""
    if source is not None:
        source.now = ago(days_left)
        setting.start()
        source.now = None
        return
    with monkeypatch.context() as patch:
        then = ago(days_left)
        patch.setattr(from_store, "secrets_document", functools.partial(secrets_document, now=then))
        setting.start()


@pytest.fixture(params=["worker", "reader"])
def renewing(request: pytest.FixtureRequest) -> tuple[Setting, Any]:
    """A node, and the server that issues its certificates; None if it issues them itself."""
    found = request.getfixturevalue(request.param)
    if request.param == "reader":
        request.getfixturevalue("api")
    return found if isinstance(found, tuple) else (found, None)


def at_api_server(setting: Setting, url: str) -> None:
    """The kubeconfig of a control plane's administrator."""
    path = setting.node.file(KUBECTL)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = base64.b64encode(b"x").decode()
    names = ("certificate-authority", "client-certificate", "client-key")
    path.write_text("".join(f"{name}-data: {text}\n" for name in names) + f"server: {url}\n")


@pytest.fixture()
def api(reader: Setting) -> Iterator[FakeKubernetes]:
    """The API server, as control planes have one."""
    with serving() as fake:
        at_api_server(reader, fake.url)
        yield fake


def ends(setting: Setting) -> datetime.datetime:
    return issue.Parts.of(setting.text(f"{SERVING}.crt")).not_after


@pytest.mark.parametrize(("days_left", "renewed"), [(61, False), (59, True), (1, True), (-3, True)])
def test_certificates_are_renewed_60_days_before_they_end(
    renewing: tuple[Setting, Any], monkeypatch: pytest.MonkeyPatch, days_left: float, renewed: bool
) -> None:
    setting, source = renewing
    booted(setting, source, days_left, monkeypatch)
    before = setting.node.tree()
    assert set(setting.renew()) == (PAIR if renewed else set())
    if not renewed:
        assert setting.node.tree() == before
        return
    assert ends(setting) - datetime.datetime.now(datetime.timezone.utc) > datetime.timedelta(days=454)
    assert issue.belongs(setting.text(f"{SERVING}.crt"), setting.text(f"{SERVING}.key"))
    assert setting.renew() == []
    assert setting.start() == []


def test_what_does_not_end_soon_asks_nobody(worker: tuple[Setting, Served], monkeypatch: pytest.MonkeyPatch) -> None:
    setting, served = worker
    setting.start()
    monkeypatch.setattr(run.Boot, "become_node", None)
    assert setting.renew() == []
    assert len(served.asked) == 1


def test_looking_renews_nothing(renewing: tuple[Setting, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    setting, source = renewing
    booted(setting, source, 10, monkeypatch)
    end = ends(setting)
    assert set(setting.renew(check=True)) == PAIR
    assert ends(setting) == end


def test_a_worker_shows_the_certificate_that_it_has(worker: tuple[Setting, Served], monkeypatch: Any) -> None:
    setting, served = worker
    booted(setting, served, 10, monkeypatch)
    subject = issue.Parts.of(setting.text(f"{SERVING}.crt")).subject
    setting.renew()
    assert issue.Parts.of(setting.text(f"{SERVING}.crt")).subject == subject
    assert served.handler.shown[-1] == "system:node:i-1"


def test_the_server_is_waited_for(
    worker: tuple[Setting, Served], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    setting, served = worker
    booted(setting, served, 10, monkeypatch)
    served.handler.statuses += [403, 409]
    assert set(setting.renew(attempts=3)) == PAIR
    said = capsys.readouterr().out
    assert said.count("kubeops: waiting for other certificates for this node: ") == 2
    assert "kubeops: certificates are renewed: the first one ends in 4" in said


def test_a_boot_that_is_under_way_is_not_disturbed(worker: tuple[Setting, Served]) -> None:
    setting, served = worker
    setting.path.write_text("{}")
    setting.start(check=True)
    begun, end = threading.Event(), threading.Event()

    def hold() -> None:
        with lock.held(str(setting.node.file(run.LOCK)), wait=0):
            begun.set()
            end.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    begun.wait(10)
    try:
        with pytest.raises(KopsError, match="another run"):
            setting.renew()
    finally:
        end.set()
        thread.join()
    assert len(served.asked) == 1


@pytest.mark.parametrize("lost", [f"{SERVING}.key", f"{SERVING}.crt", KUBECONFIG])
def test_what_is_missing_is_made_good(renewing: tuple[Setting, Any], lost: str) -> None:
    setting, _source = renewing
    setting.start()
    setting.node.file(lost).unlink()
    assert f"file:{lost}" in setting.renew()
    assert setting.renew() == []


def lease(api: FakeKubernetes, holder: str) -> None:
    """Somebody's turn."""
    spec = {"holderIdentity": holder, "leaseDurationSeconds": 3600}
    api.add("Lease", renew.LEASE, "kube-system", "coordination.k8s.io/v1", spec=spec)


def holder(api: FakeKubernetes) -> str:
    (found,) = [each for each in api.objects.values() if each["kind"] == "Lease"]
    return str(found["spec"]["holderIdentity"])


def test_control_planes_renew_one_after_the_other(
    reader: Setting, api: FakeKubernetes, monkeypatch: pytest.MonkeyPatch
) -> None:
    booted(reader, None, 45, monkeypatch)
    lease(api, "i-2")
    before = reader.text(KUBECONFIG)
    with pytest.raises(KopsError, match="i-2 renews its own first"):
        reader.renew(attempts=2)
    assert reader.text(KUBECONFIG) == before
    lease(api, "")
    turns: list[str] = []
    become = run.Boot.become_node

    def noted(boot: run.Boot, options: Options) -> Report:
        turns.append(holder(api))
        return become(boot, options)

    monkeypatch.setattr(run.Boot, "become_node", noted)
    assert set(reader.renew()) == PAIR
    assert turns == ["i-1"]
    assert holder(api) == ""


def test_a_turn_that_was_not_given_back_is_ones_own(
    reader: Setting, api: FakeKubernetes, monkeypatch: pytest.MonkeyPatch
) -> None:
    booted(reader, None, 45, monkeypatch)
    lease(api, "i-1")
    assert set(reader.renew()) == PAIR
    assert holder(api) == ""


@pytest.mark.parametrize(("days_left", "renewed"), [(45, False), (29, True), (-1, True)])
def test_without_an_api_server_there_is_no_turn_to_wait_for_in_the_end(
    reader: Setting, monkeypatch: pytest.MonkeyPatch, days_left: float, renewed: bool
) -> None:
    booted(reader, None, days_left, monkeypatch)
    at_api_server(reader, "http://127.0.0.1:9")
    monkeypatch.setattr(renew, "_API", RetryPolicy(deadline=0.1, timeout=0.1))
    if renewed:
        assert set(reader.renew()) == PAIR
    else:
        with pytest.raises(KopsError, match="127.0.0.1:9"):
            reader.renew()


def test_workers_do_not_wait_for_each_other(worker: tuple[Setting, Served], monkeypatch: pytest.MonkeyPatch) -> None:
    setting, served = worker
    booted(setting, served, 45, monkeypatch)
    monkeypatch.setattr(renew, "Election", None)
    assert set(setting.renew()) == PAIR
