# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a virtual machine knows of itself."""

from __future__ import annotations

import pathlib
import socket

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere import metadata


@pytest.mark.parametrize(
    ("serial", "uuid"),
    [
        ("VMware-42 1c 0f 5a aa bb cc dd-ee ff 00 11 22 33 44 55", "421c0f5a-aabb-ccdd-eeff-001122334455"),
        ("VMware-42 1C 0F 5A AA BB CC DD-EE FF 00 11 22 33 44 55\n", "421c0f5a-aabb-ccdd-eeff-001122334455"),
    ],
)
def test_the_uuid_is_in_the_serial_number(tmp_path: pathlib.Path, serial: str, uuid: str) -> None:
    (tmp_path / "serial").write_text(serial)
    assert metadata.uuid(str(tmp_path / "serial")) == uuid


@pytest.mark.parametrize("serial", ["", "QEMU-1", "VMware-42 1c", "42 1c 0f 5a aa bb cc dd-ee ff 00 11 22 33 44 55"])
def test_other_machines_are_none_of_vsphere(tmp_path: pathlib.Path, serial: str) -> None:
    (tmp_path / "serial").write_text(serial)
    with pytest.raises(KopsError, match="no virtual machine of vSphere"):
        metadata.uuid(str(tmp_path / "serial"))


def test_the_name_is_that_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "nodes-a-3fa09c.example.com")
    assert metadata.host_name() == "nodes-a-3fa09c"
    monkeypatch.setattr(socket, "gethostname", lambda: "ubuntu")
    with pytest.raises(KopsError, match="cloud-init with the data source VMware"):
        metadata.host_name()


def test_its_address_is_one_of_this_machine() -> None:
    address = metadata.own_address()
    assert address == "" or address.count(".") == 3
