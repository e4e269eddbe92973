# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The login of the environment."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import NoLogin
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.login import host_and_port, login

GIVEN = {"VSPHERE_SERVER": "vcenter.example.com", "VSPHERE_USER": "u", "VSPHERE_PASSWORD": "p"}


@pytest.mark.parametrize(
    ("server", "host", "port"),
    [
        ("vcenter.example.com", "vcenter.example.com", 443),
        ("VCenter.example.com:8443", "vcenter.example.com", 8443),
        ("https://vcenter.example.com/sdk", "vcenter.example.com", 443),
        ("https://u:p@vcenter.example.com:444/sdk", "vcenter.example.com", 444),
        ("[2001:db8::1]:8443", "2001:db8::1", 8443),
        ("[2001:db8::1]", "2001:db8::1", 443),
    ],
)
def test_where_vcenter_is(server: str, host: str, port: int) -> None:
    assert host_and_port(server) == (host, port)


def test_a_port_that_is_no_number() -> None:
    with pytest.raises(NoLogin, match="no address of vCenter"):
        host_and_port("vcenter:x")


def test_all_that_is_missing_is_named() -> None:
    with pytest.raises(NoLogin, match="set VSPHERE_SERVER, VSPHERE_USER, VSPHERE_PASSWORD"):
        login("", {})
    with pytest.raises(NoLogin, match="set VSPHERE_PASSWORD"):
        login("vcenter.example.com", {"VSPHERE_USER": "u"})


def test_another_vcenter_does_not_get_the_password() -> None:
    with pytest.raises(NoLogin, match="names vCenter evil.example.com, and the login in VSPHERE_SERVER is for"):
        login("evil.example.com", GIVEN)
    assert login("https://vcenter.example.com", GIVEN).host == "vcenter.example.com"
    assert login("other.example.com", {**GIVEN, "VSPHERE_SERVER": ""}).host == "other.example.com"


def test_whom_it_trusts() -> None:
    assert not login("", GIVEN).trust.insecure
    assert login("", {**GIVEN, "VSPHERE_ALLOW_UNVERIFIED_SSL": "true"}).trust.insecure
    assert login("", {**GIVEN, "VSPHERE_THUMBPRINT": "AA:" * 31 + "BB"}).trust.thumbprint == "aa" * 31 + "bb"
    with pytest.raises(NoLogin, match="must be a fingerprint"):
        login("", {**GIVEN, "VSPHERE_THUMBPRINT": "AA:BB"})
    assert "'p'" not in repr(login("", GIVEN))
