# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The credentials that control planes are given."""

from __future__ import annotations

import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.credentials import document
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.server_credentials import read_credentials

GIVEN = {
    "VSPHERE_NODE_USER": "nodes",
    "VSPHERE_NODE_PASSWORD": "of-nodes",
    "S3_ACCESS_KEY_ID": "AKEY",
    "S3_SECRET_ACCESS_KEY": "a-secret",
}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in GIVEN.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("VSPHERE_PASSWORD", "of-the-controller")


def test_nodes_have_a_login_of_their_own() -> None:
    found = read_credentials(document())
    assert json.loads(found["token"]) == {"user": "nodes", "password": "of-nodes"}
    assert found["store"] == {"accessKey": "AKEY", "secretKey": "a-secret"}
    assert document() == document()
    assert b"of-the-controller" not in document()


@pytest.mark.parametrize("name", GIVEN)
def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The controller's own login does not stand in for it."""
    monkeypatch.delenv(name)
    with pytest.raises(KopsError, match=name) as caught:
        document()
    assert not any(value in str(caught.value) for value in GIVEN.values() if value != "nodes")


def test_the_key_may_have_the_names_of_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("S3_ACCESS_KEY_ID")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "ANOTHER")
    assert read_credentials(document())["store"]["accessKey"] == "ANOTHER"
