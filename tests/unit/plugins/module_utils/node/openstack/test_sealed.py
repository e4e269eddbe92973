# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The credential of a control plane: what its server says, and what it can open; with what makes servers."""

from __future__ import annotations

import json
import pathlib
import stat
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.sealing import encrypted
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.openstack_sealing import (
    key_in,
    line_of,
    pieces_of,
    sealed_in,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack import sealed
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

SECRET = {"id": "0" * 32, "secret": "s" * 86}


class Server:
    """A server, its console and its metadata."""

    def __init__(self, directory: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory, self.metadata = directory, dict[str, str]()
        monkeypatch.setattr(sealed, "DIRECTORY", str(directory))
        monkeypatch.setattr(sealed, "described", lambda: {"meta": self.metadata})

    def give(self, console: str) -> None:
        """What whoever makes servers does."""
        key = key_in(console)
        assert key is not None
        self.metadata.update(pieces_of(encrypted(key, f"{SECRET['id']}\0{SECRET['secret']}".encode())))


@pytest.fixture
def server(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    return Server(tmp_path / "openstack", monkeypatch)


def test_it_says_a_key_and_opens_what_is_sealed_for_it(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(OSError, match="not there yet: update_cluster gives it to new servers"):
        sealed.credential()
    console = capsys.readouterr().out
    server.give(f"[    9.1] python3[1]: {console}")
    assert all(len(piece) <= 255 for piece in server.metadata.values())
    assert SECRET["secret"] not in json.dumps(server.metadata)
    assert sealed.credential() == SECRET
    files = {each.name: stat.S_IMODE(each.stat().st_mode) for each in server.directory.iterdir()}
    assert files == {"key.pem": 0o600, "credential.json": 0o600}
    # Nothing is asked or said any more.
    server.metadata.clear()
    capsys.readouterr()
    assert sealed.credential() == SECRET
    assert capsys.readouterr().out == ""


def test_another_server_cannot_open_it(
    server: Server, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(OSError):
        sealed.credential()
    server.give(capsys.readouterr().out)
    stranger = Server(tmp_path / "stranger", monkeypatch)
    stranger.metadata = server.metadata
    with pytest.raises(OSError, match="not there yet"):
        sealed.credential()
    assert not (tmp_path / "stranger" / "credential.json").exists()


def test_the_key_stays_until_it_is_used(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    for _boot in range(2):
        with pytest.raises(OSError):
            sealed.credential()
    first, second = capsys.readouterr().out.splitlines()
    assert first == second


def elliptic() -> Any:
    return ec.generate_private_key(ec.SECP256R1())


def public(key: Any) -> bytes:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return bytes(key.public_key().public_bytes(serialization.Encoding.DER, form))


@pytest.mark.parametrize(
    "make",
    [lambda: b"no key", lambda: public(rsa.generate_private_key(65537, 2048)), lambda: public(elliptic())],
    ids=["none", "small", "elliptic"],
)
def test_nothing_is_sealed_for_a_key_that_is_none_or_weak(make: Callable[[], bytes]) -> None:
    with pytest.raises(KopsError, match="key on its console that"):
        encrypted(make(), b"secret")


def test_the_last_key_on_a_console_counts() -> None:
    first, last = (public(rsa.generate_private_key(65537, 3072)) for _each in range(2))
    console = f"boot\n{line_of(first)}\nnoise kubeops-key: short\n[1.0] {line_of(last)}\r\n{line_of(last)[:90]}"
    assert key_in(console) == last
    assert key_in("kubeops-key: ") is None


@pytest.mark.parametrize("metadata", [{}, {"kubeops-sealed-2": "AAAA"}, {"kubeops-sealed-1": "no base64"}])
def test_what_is_not_sealed(metadata: dict[str, str]) -> None:
    assert sealed_in(metadata) is None
