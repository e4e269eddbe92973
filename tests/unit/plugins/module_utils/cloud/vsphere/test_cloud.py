# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client of vCenter: its logins, reads that break off, writes in doubt, and tasks."""

from __future__ import annotations

import hashlib
import ssl
import threading
import time
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import CloudError, Exists, Missing, NoLogin
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.cloud import VSphereCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.inventory import inventory, template
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.kinds import FOLDER, MACHINE
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import AnswerLost, TryAgainLater
from ansible_collections.kubeops.kops.tests.support.vsphere import applying
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import (
    DATACENTER,
    PASSWORD,
    TEMPLATE,
    VCenter,
    find,
    running,
)
from ansible_collections.kubeops.kops.tests.support.vsphere.wire import AFTER, BEFORE, Wire
from pyVmomi import vim

pytestmark = pytest.mark.lab_programs


def make_folder(cloud: VSphereCloud, name: str = "new") -> Any:
    folder = next(each for each in cloud.once(inventory).of((FOLDER,)) if each["name"] == "vm")
    handle = cloud.object(FOLDER, str(folder["id"]))
    return cloud.call(f"make folder {name}", lambda: handle.CreateFolder(name))


def _raise(error: Exception) -> None:
    raise error


def switch_off(cloud: VSphereCloud) -> None:
    """A template, which vCenter refuses."""
    handle = cloud.object(MACHINE, str(template(cloud, TEMPLATE)["id"]))
    cloud.run("switch it off", handle.PowerOffVM_Task)


def test_a_password_that_is_wrong(vcenter: VCenter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VSPHERE_PASSWORD", "another-secret")
    cloud = applying.client()
    with pytest.raises(NoLogin, match="vCenter refuses the login: check VSPHERE_USER") as refusal:
        cloud.once(inventory)
    with pytest.raises(NoLogin, match="refuses the login") as of_rest:
        cloud.tagging.tag("any")
    assert "another-secret" not in f"{refusal.value} {of_rest.value}"


def test_the_certificate_is_checked(vcenter: VCenter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VSPHERE_ALLOW_UNVERIFIED_SSL")
    with pytest.raises(CloudError, match="certificate is not trusted: name its authority in VSPHERE_CA_FILE"):
        applying.client().once(inventory)
    with pytest.raises(CloudError, match="not trusted|not be reached|cannot be reached"):
        applying.client().tagging.tag("any")


@pytest.mark.parametrize("algorithm", ["sha256", "sha1"])
def test_a_certificate_by_its_fingerprint(vcenter: VCenter, monkeypatch: pytest.MonkeyPatch, algorithm: str) -> None:
    monkeypatch.delenv("VSPHERE_ALLOW_UNVERIFIED_SSL")
    host, _colon, port = vcenter.address.partition(":")
    certificate = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate((host, int(port))))
    digits = hashlib.new(algorithm, certificate).hexdigest()
    monkeypatch.setenv("VSPHERE_THUMBPRINT", ":".join(digits[each : each + 2] for each in range(0, len(digits), 2)))
    cloud = applying.client()
    assert cloud.once(inventory).of((FOLDER,))
    assert cloud.tagging.tag("urn:none") is None
    other = digits[:-1] + ("0" if digits[-1] != "0" else "1")
    monkeypatch.setenv("VSPHERE_THUMBPRINT", other)
    cloud = applying.client()
    with pytest.raises(KopsError):
        cloud.once(inventory)
    with pytest.raises(KopsError):
        cloud.tagging.tag("urn:none")


def test_no_vcenter(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SERVER", "127.0.0.1:1"), ("USER", "u"), ("PASSWORD", "p")):
        monkeypatch.setenv(f"VSPHERE_{name}", value)
    with pytest.raises(CloudError, match="cannot be reached"):
        applying.client().once(inventory)


def test_a_session_that_has_ended_is_opened_again(vcenter: VCenter, wire: Wire) -> None:
    cloud = applying.client()
    assert cloud.tagging.tag("urn:none") is None
    make_folder(cloud, "first")
    cloud.instance.content.sessionManager.Logout()
    wire.clear()
    make_folder(cloud, "second")
    assert wire.writes == ["CreateFolder", "CreateFolder"]
    with vcenter.client() as instance:
        assert find(instance, vim.Folder, "second") is not None
    cloud.tagging.leave()
    cloud.tagging._session.headers["vmware-api-session-id"] = "over"
    assert cloud.tagging.tag("urn:none") is None


def test_a_read_that_breaks_off_is_made_again(vcenter: VCenter, monkeypatch: pytest.MonkeyPatch) -> None:
    cloud = applying.client()
    assert cloud.content is not None
    broken = iter([ConnectionResetError("broken"), TimeoutError("no answer")])

    def ask() -> str:
        for error in broken:
            raise error
        return "answer"

    assert cloud.question("ask", ask) == "answer"
    with pytest.raises(CloudError, match="ask: vCenter cannot be reached"):
        cloud.question("ask", lambda: _raise(ConnectionResetError("broken")))


@pytest.mark.parametrize("where", [BEFORE, AFTER])
def test_a_write_in_doubt(vcenter: VCenter, wire: Wire, where: str) -> None:
    wire.faults = {0: where}
    with pytest.raises(AnswerLost, match="make folder new: the answer is lost"):
        make_folder(applying.client())
    assert wire.writes == ["CreateFolder"]
    with vcenter.client() as instance:
        assert (find(instance, vim.Folder, "new") is not None) is (where == AFTER)


def test_what_vcenter_refuses(vcenter: VCenter) -> None:
    cloud = applying.client()
    make_folder(cloud)
    with pytest.raises(Exists, match="cannot make folder new: DuplicateName"):
        make_folder(cloud)
    with pytest.raises(KopsError, match="cannot switch it off: the virtual machine is in another power state"):
        switch_off(cloud)
    handle = cloud.object(FOLDER, "group-9999")
    with pytest.raises(Missing, match="cannot rename it"):
        cloud.run("rename it", lambda: handle.Rename_Task("x"))
    # What is gone is left out of what is read.
    assert len(cloud.read(FOLDER, ["group-9999", cloud.content.rootFolder._moId], ("name",), "read")) == 1


def test_all_who_wait_share_a_reading(vcenter: VCenter, wire: Wire) -> None:
    cloud = applying.client()
    names = [f"folder-{number}" for number in range(8)]
    for name in names:
        make_folder(cloud, name)
    folders = [each for each in inventory(cloud).of((FOLDER,)) if each["name"] in names]
    wire.clear()

    def rename(identifier: str) -> None:
        handle = cloud.object(FOLDER, identifier)
        cloud.run("rename it", lambda: handle.Rename_Task(f"{identifier}-renamed"))

    threads = [threading.Thread(target=rename, args=(str(each["id"]),)) for each in folders]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wire.calls.count("Rename_Task") == len(names)
    assert wire.calls.count("RetrievePropertiesEx") < len(names)


def test_no_secret_is_shown(vcenter: VCenter) -> None:
    cloud = applying.client()
    assert PASSWORD not in repr(cloud.login())
    assert PASSWORD not in repr(vars(cloud))


def test_what_is_being_worked_on_is_asked_again(vcenter: VCenter) -> None:
    cloud = applying.client()
    fault = vim.fault.TaskInProgress(msg="busy")
    with pytest.raises(TryAgainLater, match="cannot do it yet: TaskInProgress: busy"):
        cloud.call("do it", lambda: _raise(fault))


def test_a_datacenter_that_is_not_there(vcenter: VCenter) -> None:
    cloud = VSphereCloud("", "DC7", applying.NAME, applying.STORE)
    with pytest.raises(KopsError, match=rf"datacenter: there is no datacenter DC7, only {DATACENTER}"):
        template(cloud, TEMPLATE)


def test_tasks_that_take_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """They run while they are looked at."""
    with running("-delay", "300") as vcenter:
        for name, value in vcenter.environment.items():
            monkeypatch.setenv(name, value)
        wire = Wire(monkeypatch)
        cloud = applying.client()
        folder = make_folder(cloud)
        started = time.monotonic()
        cloud.run("rename it", lambda: cloud.object(FOLDER, folder._moId).Rename_Task("renamed"))
        assert time.monotonic() - started > 0.3
        assert wire.calls.count("RetrievePropertiesEx") > 2
        with vcenter.client() as instance:
            assert find(instance, vim.Folder, "renamed") is not None
        with pytest.raises(AnswerLost, match="vCenter is still at it"):
            cloud.run("rename it", lambda: cloud.object(FOLDER, folder._moId).Rename_Task("again"), patience=0.01)
