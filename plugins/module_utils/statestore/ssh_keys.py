# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The SSH public keys of a cluster in its store: ``pki/ssh/public/admin/<MD5 fingerprint without colons>``."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from ..base.errors import KopsError

if TYPE_CHECKING:
    from ..api.cloud import Cloud
    from .vfs.path import Tree, VFSPath

_TYPES = (
    "ssh-rsa",
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ssh-ed25519@openssh.com",
    "sk-ecdsa-sha2-nistp256@openssh.com",
)


class SSHKeyError(KopsError):
    """The text is not an SSH public key."""


def key_blob(public_key: str) -> tuple[str, bytes]:
    """Type and binary form of a public key in the format of authorized_keys. SSHKeyError for other text."""
    words = public_key.split()
    for kind, encoded in zip(words, words[1:]):
        if kind in _TYPES:
            try:
                blob = base64.b64decode(encoded, validate=True)
            except ValueError:
                break
            # The binary form starts with the length and text of the type.
            if blob[:4] == len(kind).to_bytes(4, "big") and blob[4 : 4 + len(kind)] == kind.encode():
                return kind, blob
    if "PRIVATE KEY" in public_key:
        raise SSHKeyError("this is a private SSH key; give the public key (the .pub file)")
    raise SSHKeyError(f"not an SSH public key: {public_key[:40]!r}; an example is 'ssh-ed25519 AAAA... comment'")


def fingerprint(public_key: str) -> str:
    """MD5 fingerprint of the binary form, with colons, as stores and OpenSSH show it."""
    digest = hashlib.md5(key_blob(public_key)[1], usedforsecurity=False).hexdigest()
    return ":".join(digest[at : at + 2] for at in range(0, len(digest), 2))


def problem_for(cloud: Cloud, public_key: str) -> str:
    """Why a cloud does not take a public key; "" if it does. Raises SSHKeyError for other text."""
    kind = key_blob(public_key)[0]
    if not cloud.ssh_key_types or kind in cloud.ssh_key_types:
        return ""
    types = " and ".join(cloud.ssh_key_types)
    return f"{cloud.title} takes SSH keys of the types {types}, not {kind}; make one by ssh-keygen -t ed25519"


class SSHPublicKeys:
    """The keys that can log in to nodes. root: the cluster's ``pki`` directory."""

    def __init__(self, root: VFSPath) -> None:
        self.root = root.join("ssh", "public", "admin")

    def add(self, public_key: str) -> str:
        """Store a key. Returns its fingerprint. SSHKeyError if the text is not a key."""
        identity = fingerprint(public_key)
        self.root.join(identity.replace(":", "")).write(public_key.encode())
        return identity

    def remove(self, identity: str) -> None:
        """Remove the key with this fingerprint if it exists."""
        self.root.join(identity.replace(":", "")).remove()

    def list(self, tree: Tree | None = None) -> list[str]:
        """All public keys, each one line. tree: a listing that contains them, if the caller has one."""
        listed = tree.below(self.root) if tree else self.root.list_tree()
        return [file.path.read().decode("utf-8", "replace").strip() for file in listed]
