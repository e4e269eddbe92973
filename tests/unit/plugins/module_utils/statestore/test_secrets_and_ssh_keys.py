# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets and SSH public keys in the store."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.secrets import SecretError, Secrets
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.ssh_keys import (
    SSHKeyError,
    SSHPublicKeys,
    fingerprint,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.path import VFSPath

ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDItmSdsVALsMghb4Zxl2sOkqoRTxKT/R84TqSkCdO9p ann@example.com"
# As ssh-keygen -l -E md5 says.
ED25519_FINGERPRINT = "2a:b8:c5:33:bd:7d:e3:d4:65:83:f3:d1:fa:3d:cf:c4"


def test_secrets_are_kept_as_kops_does(root: VFSPath) -> None:
    secrets = Secrets(root.join("secrets"))
    assert secrets.list() == []
    assert secrets.find("dockerconfig") is None
    secrets.store("dockerconfig", b'{"auths":{}}')
    assert root.join("secrets", "dockerconfig").read() == b'{"Data":"eyJhdXRocyI6e319"}'
    assert secrets.find("dockerconfig") == b'{"auths":{}}'
    assert secrets.list() == ["dockerconfig"]
    secrets.remove("dockerconfig")
    secrets.remove("dockerconfig")
    assert secrets.list() == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dockerconfig", b"auths: {}"),
        ("dockerconfig", b"[]"),
        ("encryptionconfig", b"hunter2"),
        ("encryptionconfig", b"- hunter2"),
        ("ciliumpassword", b"{hunter2"),
        ("ciliumpassword", b"\xff\xfehunter2"),
    ],
)
def test_a_secret_that_is_none_is_refused_and_not_shown(root: VFSPath, name: str, value: bytes) -> None:
    secrets = Secrets(root.join("secrets"))
    with pytest.raises(SecretError, match=f"{name} must be a") as caught:
        secrets.store(name, value)
    assert "hunter2" not in str(caught.value)
    assert root.list_tree() == []


@pytest.mark.parametrize(("name", "value"), [("x", b"any text"), ("ciliumpassword", b'{"keys": "1"}')])
def test_other_secrets(root: VFSPath, name: str, value: bytes) -> None:
    Secrets(root).store(name, value)
    assert Secrets(root).find(name) == value


def test_keys_of_cilium(root: VFSPath) -> None:
    secrets = Secrets(root)
    assert secrets.cilium_keys() == {}
    secrets.store("ciliumpassword", b"keys: 3 rfc4106(gcm(aes)) 0011 128\n")
    assert secrets.cilium_keys() == {"keys": "3 rfc4106(gcm(aes)) 0011 128"}


@pytest.mark.parametrize("value", [b"keys: [hunter2]", b"keys: {a: hunter2}"])
def test_keys_of_cilium_are_texts(root: VFSPath, value: bytes) -> None:
    secrets = Secrets(root)
    secrets.store("ciliumpassword", value)
    with pytest.raises(SecretError, match="values are texts") as caught:
        secrets.cilium_keys()
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b'{"Data": "%%"}', b'{"Data": 5}'])
def test_a_corrupt_secret_is_named(root: VFSPath, text: bytes) -> None:
    root.join("dockerconfig").write(text)
    with pytest.raises(SecretError, match="dockerconfig is not a readable secret"):
        Secrets(root).find("dockerconfig")


def test_ssh_keys_are_kept_as_kops_does(root: VFSPath, golden) -> None:
    keys = SSHPublicKeys(root.join("pki"))
    rsa = (golden / "update_cluster" / "minimal-aws" / "id_rsa.pub").read_text()
    assert keys.add(rsa) == "c4:a6:ed:9a:a8:89:b9:e2:c3:9c:d6:63:eb:9c:71:57"
    assert keys.add(ED25519 + "\n") == ED25519_FINGERPRINT
    name = ED25519_FINGERPRINT.replace(":", "")
    assert root.join("pki", "ssh", "public", "admin", name).read().decode() == ED25519 + "\n"
    assert sorted(keys.list()) == sorted([rsa.strip(), ED25519])
    keys.remove(ED25519_FINGERPRINT)
    assert keys.list() == [rsa.strip()]


def test_options_before_an_ssh_key() -> None:
    assert fingerprint(f'no-pty,command="echo hello" {ED25519}') == ED25519_FINGERPRINT


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not an SSH public key"),
        ("ssh-ed25519", "not an SSH public key"),
        ("ssh-ed25519 %%% x", "not an SSH public key"),
        (ED25519.replace("ssh-ed25519", "ssh-rsa"), "not an SSH public key"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nabc", "private SSH key; give the public key"),
    ],
)
def test_what_is_no_ssh_key(text: str, message: str) -> None:
    with pytest.raises(SSHKeyError, match=message):
        fingerprint(text)
