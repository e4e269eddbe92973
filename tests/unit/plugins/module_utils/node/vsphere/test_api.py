# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client of nodes, against a vCenter of tests."""

from __future__ import annotations

import base64
import hashlib
import json
import ssl
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere import api
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere.api import VCenter
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere.marks import CLUSTER
from ansible_collections.kubeops.kops.tests.support.vsphere import simulator
from pyVmomi import vim

FOLDER = "DC0/vm"
MACHINE = simulator.OTHERS[0]


@pytest.fixture(name="vcenter", scope="module")
def run_vcenter() -> Iterator[simulator.VCenter]:
    with simulator.running() as made:
        yield made


@pytest.fixture(autouse=True)
def told(vcenter: simulator.VCenter, monkeypatch: pytest.MonkeyPatch) -> None:
    """What user data tell of it."""
    monkeypatch.setenv("VSPHERE_SERVER", vcenter.address)
    monkeypatch.setenv("VSPHERE_ALLOW_UNVERIFIED_SSL", "true")


def client() -> VCenter:
    return VCenter(lambda: (simulator.USER, simulator.PASSWORD))


def mark(vcenter: simulator.VCenter, **values: str) -> None:
    with vcenter.client() as instance:
        options = [vim.option.OptionValue(key=key, value=value) for key, value in values.items()]
        spec = vim.vm.ConfigSpec(extraConfig=options)
        simulator.done(vcenter.machine(instance, MACHINE).ReconfigVM_Task(spec))


def test_machines_say_what_they_are(vcenter: simulator.VCenter) -> None:
    mark(vcenter, **{CLUSTER: "demo & <others>"})
    vcenter.give_address(MACHINE, "10.0.0.7")
    found = {each.name: each for each in client().machines(FOLDER)}
    assert set(simulator.OTHERS) <= found.keys()
    machine = found[MACHINE]
    assert (machine.power, machine.addresses[0], machine.marks[CLUSTER]) == ("poweredOn", "10.0.0.7", "demo & <others>")
    with vcenter.client() as instance:
        assert machine.uuid == vcenter.machine(instance, MACHINE).config.uuid
    assert client().machines("DC0/vm/none") == []
    assert client().names() == set(found)


def test_the_address_of_the_api_is_no_machines_own(vcenter: simulator.VCenter, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who holds it says that it has it."""
    vcenter.give_address(MACHINE, "10.0.0.100")
    monkeypatch.setenv("VSPHERE_API_ADDRESS", "10.0.0.100")
    found = {each.name: each for each in client().machines(FOLDER)}
    assert "10.0.0.100" not in found[MACHINE].addresses


def test_further_pages_are_read(vcenter: simulator.VCenter, monkeypatch: pytest.MonkeyPatch) -> None:
    exchange, asked = VCenter._exchange, []

    def one_by_one(own: VCenter, method: str, managed: str, kind: str, arguments: str) -> Any:
        asked.append(method)
        arguments = arguments.replace("<options></options>", "<options><maxObjects>1</maxObjects></options>")
        return exchange(own, method, managed, kind, arguments)

    monkeypatch.setattr(VCenter, "_exchange", one_by_one)
    assert len(client().machines(FOLDER)) > 1
    assert "ContinueRetrievePropertiesEx" in asked


def test_a_session_that_has_ended_is_begun_again() -> None:
    own = client()
    own.names()
    own._cookie = "vmware_soap_session=none"
    assert MACHINE in own.names()


def test_a_login_that_is_refused_is_no_answer_and_says_no_password() -> None:
    own = VCenter(lambda: (simulator.USER, "another-password"))
    with pytest.raises(ServiceError) as caught:
        own.names()
    assert caught.value.code == "InvalidLogin"
    assert "another-password" not in str(caught.value)


def test_the_certificate_is_compared(vcenter: simulator.VCenter, monkeypatch: pytest.MonkeyPatch) -> None:
    host, _colon, port = vcenter.address.partition(":")
    pem = ssl.get_server_certificate((host, int(port)))
    fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()
    monkeypatch.delenv("VSPHERE_ALLOW_UNVERIFIED_SSL")
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(OSError):
        client().names()
    monkeypatch.setenv("VSPHERE_THUMBPRINT", ":".join(fingerprint[i : i + 2] for i in range(0, 64, 2)).upper())
    assert MACHINE in client().names()
    monkeypatch.setenv("VSPHERE_THUMBPRINT", "0" * 64)
    with pytest.raises(OSError, match="another certificate"):
        client().names()
    monkeypatch.delenv("VSPHERE_THUMBPRINT")
    monkeypatch.setenv("VSPHERE_CA", base64.b64encode(b"nothing").decode())
    with pytest.raises(OSError):
        client().names()


def test_without_a_place_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VSPHERE_SERVER")
    with pytest.raises(OSError, match="VSPHERE_SERVER"):
        client().names()


def test_the_login_is_the_one_that_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    login = json.dumps({"user": simulator.USER, "password": simulator.PASSWORD})
    monkeypatch.setattr(api, "given_credentials", lambda: {"token": login})
    assert MACHINE in VCenter().names()
    monkeypatch.setattr(api, "given_credentials", lambda: {"token": "a-token"})
    with pytest.raises(OSError) as caught:
        VCenter().names()
    assert "a-token" not in str(caught.value)
