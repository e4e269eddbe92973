# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Google's application default credentials."""

from __future__ import annotations

import pathlib
from typing import Any

import google.auth
import pytest
import requests
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.google import (
    CREDENTIALS_VARIABLE,
    CredentialsMissing,
    CredentialsUnusable,
    authorized_session,
    message_of,
)
from google.auth.credentials import AnonymousCredentials


def test_they_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def default(**options: Any) -> tuple[AnonymousCredentials, str]:
        asked.append(options["scopes"])
        return AnonymousCredentials(), "project"

    monkeypatch.setattr(google.auth, "default", default)
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "first")
    assert authorized_session() is not authorized_session()
    assert asked == [["https://www.googleapis.com/auth/cloud-platform"]]
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "second")
    authorized_session()
    assert len(asked) == 2


def test_there_are_none_or_they_cannot_be_used(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.delenv(CREDENTIALS_VARIABLE, raising=False)
    with pytest.raises(CredentialsMissing, match="run gcloud auth application-default login, or set"):
        authorized_session()
    (tmp_path / "credentials.json").write_text("{}")
    monkeypatch.setenv(CREDENTIALS_VARIABLE, str(tmp_path / "credentials.json"))
    with pytest.raises(CredentialsUnusable, match=f"{CREDENTIALS_VARIABLE} names cannot be used"):
        authorized_session()


@pytest.mark.parametrize(
    ("kind", "content", "expected"),
    [
        ("application/json", b'{"error": {"message": "Not here."}}', "Not here."),
        ("application/json", b'["what"]', "HTTP 404 Not Found"),
        ("text/plain; charset=utf-8", b"No such object: a/b\n", "No such object: a/b"),
        ("text/html", b"<html>", "HTTP 404 Not Found"),
    ],
)
def test_words_of_an_error(kind: str, content: bytes, expected: str) -> None:
    answer = requests.Response()
    answer.status_code, answer.reason, answer._content = 404, "Not Found", content
    answer.headers["Content-Type"] = kind
    assert message_of(answer) == expected
