# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections: all with one login log in once, and Keystone is not asked what its address says."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs import openstack_sdk
from keystoneauth1.identity import generic, v3

LOGIN = {
    "OS_AUTH_URL": "https://keystone.example.com/v3",
    "OS_USERNAME": "sdk-test",
    "OS_PASSWORD": "secret",
    "OS_PROJECT_NAME": "demo",
    "OS_USER_DOMAIN_NAME": "Default",
    "OS_PROJECT_DOMAIN_NAME": "Default",
}


@pytest.fixture(autouse=True)
def login(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LOGIN.items():
        monkeypatch.setenv(name, value)


def plugin(region: str = "") -> Any:
    return openstack_sdk.connect(region).session.auth


def test_store_and_cloud_log_in_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = plugin()
    assert plugin() is first
    assert plugin("RegionOne") is first
    monkeypatch.setenv("OS_PASSWORD", "another")
    assert plugin() is not first


def test_an_address_that_says_the_version_is_not_asked_for_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    found = plugin()
    assert isinstance(found, v3.Password)
    assert found.auth_url == LOGIN["OS_AUTH_URL"]
    monkeypatch.setenv("OS_AUTH_URL", "https://keystone.example.com")
    assert isinstance(plugin(), generic.Password)
    monkeypatch.setenv("OS_AUTH_URL", LOGIN["OS_AUTH_URL"] + "/")
    assert isinstance(plugin(), v3.Password)


def test_other_ways_to_log_in_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OS_USERNAME", "OS_PASSWORD", "OS_PROJECT_NAME", "OS_USER_DOMAIN_NAME", "OS_PROJECT_DOMAIN_NAME"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("OS_AUTH_TYPE", "v3applicationcredential")
    monkeypatch.setenv("OS_APPLICATION_CREDENTIAL_ID", "credential")
    monkeypatch.setenv("OS_APPLICATION_CREDENTIAL_SECRET", "secret")
    first = plugin()
    assert isinstance(first, v3.ApplicationCredential)
    assert plugin() is first
