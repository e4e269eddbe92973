# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import pathlib
import stat

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.server_credentials import (
    NONCE_VARIABLE,
    credentials_document,
    proof_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud import given
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.given_credentials import GivenAccess
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.signing import Credentials

NONCE, HOST_KEY = b"n" * 32, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI root@server\n"
DOCUMENT = credentials_document("the-token", "the-key", "the-secret")


@pytest.fixture(autouse=True)
def place(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A server with a host key, and with a nonce, that has no credentials."""
    for name, file in (("CREDENTIALS_FILE", "credentials"), ("PROOF_FILE", "proof"), ("HOST_KEY_FILE", "host.pub")):
        monkeypatch.setattr(given, name, str(tmp_path / file))
    monkeypatch.setenv(NONCE_VARIABLE, NONCE.hex())
    (tmp_path / "host.pub").write_text(HOST_KEY)
    return tmp_path


def test_it_says_its_proof_and_what_it_waits_for(place):
    with pytest.raises(OSError, match="credentials of this control plane are not there yet: update_cluster gives them"):
        given.given_credentials()
    assert (place / "proof").read_text() == proof_of(NONCE, HOST_KEY)
    assert stat.S_IMODE((place / "proof").stat().st_mode) == 0o644
    assert sorted(file.name for file in place.iterdir()) == ["host.pub", "proof"]


def test_a_proof_is_written_again_only_for_another_host_key(place):
    for _attempt in range(2):
        with pytest.raises(OSError, match="not there yet"):
            given.given_credentials()
    written = (place / "proof").stat().st_ino
    with pytest.raises(OSError, match="not there yet"):
        given.given_credentials()
    assert (place / "proof").stat().st_ino == written
    (place / "host.pub").write_text("ssh-ed25519 OTHER")
    with pytest.raises(OSError, match="not there yet"):
        given.given_credentials()
    assert (place / "proof").read_text() == proof_of(NONCE, "ssh-ed25519 OTHER")


def test_they_are_read_each_time(place):
    (place / "credentials").write_bytes(DOCUMENT)
    assert given.given_credentials() == json.loads(DOCUMENT)
    (place / "credentials").write_bytes(credentials_document("another", "the-key", "the-secret"))
    assert given.given_credentials()["token"] == "another"
    assert (place / "proof").exists()


def test_the_key_of_the_store_is_one_that_stores_ask_for(place):
    (place / "credentials").write_bytes(DOCUMENT)
    assert GivenAccess(given.given_store_key).credentials() == Credentials("the-key", "the-secret")


@pytest.mark.parametrize("nonce", ["", "none"])
def test_a_server_without_a_nonce_says_so(monkeypatch, place, nonce):
    monkeypatch.setenv(NONCE_VARIABLE, nonce)
    with pytest.raises(OSError, match="user data has told this server no nonce: KUBEOPS_SERVER_NONCE"):
        given.given_credentials()
    assert not (place / "proof").exists()


def test_a_server_without_a_host_key_says_so(place):
    (place / "host.pub").unlink()
    with pytest.raises(OSError, match=r"host\.pub"):
        given.given_credentials()


def test_credentials_count_without_a_proof(monkeypatch, place):
    monkeypatch.delenv(NONCE_VARIABLE)
    (place / "credentials").write_bytes(DOCUMENT)
    assert given.given_credentials() == json.loads(DOCUMENT)


def test_a_file_that_is_not_valid_is_named_and_not_shown(place):
    (place / "credentials").write_text("the-secret")
    with pytest.raises(OSError, match="credentials is not valid: no JSON with the texts") as refused:
        given.given_credentials()
    assert "the-secret" not in str(refused.value)
