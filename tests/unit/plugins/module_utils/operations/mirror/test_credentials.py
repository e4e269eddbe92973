# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logins from the files of docker and podman."""

from __future__ import annotations

import base64
import json
import os
import pathlib

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.mirror.credentials import Credentials


def entry(user: str) -> dict[str, str]:
    return {"auth": base64.b64encode(f"{user}:pass:word".encode()).decode()}


def credentials(tmp_path: pathlib.Path, **content: object) -> Credentials:
    file = tmp_path / "auth.json"
    file.write_text(json.dumps(content))
    return Credentials(str(file))


@pytest.mark.parametrize(
    ("registry", "repository", "expected"),
    [
        ("registry.example.com", "a", "host"),
        ("registry.example.com", "team/a", "team"),
        ("registry.example.com", "teamwork/a", "host"),
        ("registry.example.com:5000", "a", None),
        ("docker.io", "library/nginx", "hub"),
        ("other.example.com", "a", "old"),
    ],
)
def test_the_longest_name_counts(tmp_path: pathlib.Path, registry: str, repository: str, expected: str | None) -> None:
    found = credentials(
        tmp_path,
        auths={
            "registry.example.com": entry("host"),
            "registry.example.com/team": entry("team"),
            "https://index.docker.io/v1/": entry("hub"),
            "https://other.example.com/v2/": entry("old"),
        },
    ).login(registry, repository)
    assert (found.user if found else None) == expected
    if found:
        assert found.password == "pass:word"
        assert "pass" not in repr(found)


def test_a_credential_helper(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    helper = tmp_path / "docker-credential-lab"
    helper.write_text('#!/bin/sh\nread host; [ "$host" = known ] && echo \'{"Username": "me", "Secret": "mine"}\'\n')
    helper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    found = credentials(tmp_path, credsStore="lab", auths={"other": entry("file")})
    login = found.login("known", "a")
    assert login is not None and (login.user, login.password) == ("me", "mine")
    other = found.login("other", "a")
    assert other is not None and other.user == "file"
    with pytest.raises(KopsError, match="docker-credential-absent cannot be run"):
        credentials(tmp_path, credHelpers={"known": "absent"}).login("known", "a")


def test_files_that_are_none(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "auth.json"
    file.write_text("{hunter2")
    with pytest.raises(KopsError, match=r"auth.json: cannot be read") as caught:
        Credentials(str(file)).login("a", "b")
    assert "hunter2" not in str(caught.value)
    with pytest.raises(KopsError, match="the login for known .* is not valid"):
        credentials(tmp_path, auths={"known": {"auth": "%%%"}}).login("known", "a")


def test_where_docker_looks(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "docker"))
    assert Credentials().login("known", "a") is None
    (tmp_path / "docker").mkdir()
    (tmp_path / "docker/config.json").write_text(json.dumps({"auths": {"known": entry("me")}}))
    login = Credentials().login("known", "a")
    assert login is not None and login.user == "me"
