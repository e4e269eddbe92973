# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the secrets documents of nodes are made of: a NodeConfig only refers to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ....base.errors import KopsError
from ....statestore.keyset import Keyset


@dataclass(frozen=True)
class StoredSecrets:
    """The keysets of a cluster and its own secrets (dockerconfig, encryptionconfig), by name, as its store has them.

    Of the private keys of keysets, only those that nodes themselves use get into a secrets document.
    """

    keysets: Mapping[str, Keyset] = field(default_factory=dict)
    secrets: Mapping[str, bytes] = field(default_factory=dict)

    def keyset(self, name: str) -> Keyset:
        """The keyset of that name. Raises KopsError when there is none."""
        found = self.keysets.get(name)
        if found is None:
            raise KopsError(f"the cluster has no keyset {name}")
        return found

    def secret(self, name: str) -> bytes:
        """The secret of that name. Raises KopsError when there is none."""
        found = self.secrets.get(name)
        if found is None:
            raise KopsError(f"the cluster has no secret {name}")
        return found

    def authority(self, name: str) -> bytes:
        """The trusted certificates of a keyset, as PEM."""
        return self.keyset(name).certificate_bundle().encode()

    def public_keys(self, name: str) -> bytes:
        """The public keys of a keyset's trusted certificates, as PEM."""
        return self.keyset(name).public_keys().encode()

    def signer_certificate(self, name: str) -> bytes:
        """The certificate of the key pair with which a keyset signs, as PEM."""
        return self.keyset(name).signer().certificate.encode()

    def signing_key(self, name: str) -> bytes:
        """The private key with which a keyset signs, as PEM."""
        return self.keyset(name).signer().private_key.encode()
