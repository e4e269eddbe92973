# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cloud/digitalocean/credentials.py: what control planes are given."""

from __future__ import annotations

import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import credentials

GIVEN = {"DIGITALOCEAN_ACCESS_TOKEN": "token", "S3_ACCESS_KEY_ID": "AKEY", "S3_SECRET_ACCESS_KEY": "secret\n"}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in GIVEN.items():
        monkeypatch.setenv(name, value)


def test_they_are_those_of_the_environment() -> None:
    store = {"accessKey": "AKEY", "secretKey": "secret"}
    assert json.loads(credentials.document()) == {"token": "token", "store": store}


@pytest.mark.parametrize("name", GIVEN)
def test_what_is_missing_is_named_and_nothing_else_shown(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, " ")
    with pytest.raises(KopsError, match=f"lacks {name}: ") as caught:
        credentials.document()
    assert "AKEY" not in str(caught.value)
