# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import time
import urllib.error

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce import metadata as metadata_module
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.metadata import Metadata
from ansible_collections.kubeops.kops.tests.support.google_metadata import INSTANCE, TOKEN, MetadataServer


def test_what_it_says(server: type[MetadataServer]) -> None:
    metadata = Metadata()
    assert metadata.get("instance/name") == INSTANCE
    assert metadata.find("instance/attributes/none") == ""
    with pytest.raises(urllib.error.HTTPError):
        metadata.get("instance/attributes/none")
    server.statuses.append(503)
    with pytest.raises(urllib.error.HTTPError):
        metadata.find("instance/name")


def test_a_token_is_kept_until_it_ends_soon(server: type[MetadataServer], monkeypatch: pytest.MonkeyPatch) -> None:
    metadata, now = Metadata(), time.time()
    token, end = metadata.token()
    assert now + 3590 < end < now + 3610
    assert metadata.token() == (token, end)
    assert server.asked == [TOKEN]
    monkeypatch.setattr(time, "time", lambda: end - 239)
    assert metadata.token()[0] != token
    assert server.asked == [TOKEN, TOKEN]


def test_a_token_that_was_refused_is_not_taken_again(server: type[MetadataServer]) -> None:
    metadata = Metadata()
    first = metadata.token()
    metadata.forget_token()
    assert metadata.token() != first


def test_another_server_is_not_believed(server: type[MetadataServer]) -> None:
    server.flavor = "Other"
    with pytest.raises(OSError, match="answers, but it is no metadata server of Google"):
        Metadata().get("instance/name")


def test_no_proxy_is_asked(server: type[MetadataServer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert Metadata().get("instance/name") == INSTANCE


def test_an_instance_has_its_own_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GCE_METADATA_HOST", raising=False)
    assert Metadata().host == metadata_module._ADDRESS == "169.254.169.254"
