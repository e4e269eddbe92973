# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a cluster's store the references of files in a NodeConfig mean; certificates are issued, and none of these.

The controller and control planes make secrets documents by this rule. References:
authority/KEYSET: the trusted certificates. public/KEYSET: their public keys. signer/KEYSET, key/KEYSET: the certificate
and the private key that sign. secret/NAME: a secret of the cluster. webhook/NAME: how the API server reaches it.
"""

from __future__ import annotations

from typing import Callable, Protocol

from ..base.errors import KopsError
from .items import KUBERNETES_CA
from .kubeconfigs import webhook_text

# The only secret of a cluster that workers get: the logins to registries.
DOCKER_CONFIG = "secret/dockerconfig"
# Webhooks that the control plane runs itself -> where the API server next to it finds them.
_WEBHOOKS = {"aws-iam-authenticator": "https://127.0.0.1:21362/authenticate"}


class Source(Protocol):
    """A cluster's keysets and secrets, by name. Each method raises KopsError for what is missing."""

    def authority(self, name: str) -> bytes:
        """The trusted certificates of a keyset, as PEM."""

    def public_keys(self, name: str) -> bytes:
        """The public keys of a keyset's trusted certificates, as PEM."""

    def signer_certificate(self, name: str) -> bytes:
        """The certificate of the key pair with which a keyset signs, as PEM."""

    def signing_key(self, name: str) -> bytes:
        """The private key with which a keyset signs, as PEM."""

    def secret(self, name: str) -> bytes:
        """A secret of the cluster."""


def content(reference: str, source: Source) -> bytes:
    """What a reference means. Raises KopsError for one that is not known, and what the source raises."""
    kind, _slash, name = reference.partition("/")
    if kind == "webhook" and name in _WEBHOOKS:
        return webhook_text(_WEBHOOKS[name], name, source.authority(KUBERNETES_CA).decode()).encode()
    found: dict[str, Callable[[str], bytes]] = {
        "authority": source.authority,
        "public": source.public_keys,
        "signer": source.signer_certificate,
        "key": source.signing_key,
        "secret": source.secret,
    }
    if kind not in found:
        raise KopsError(f"a file of the NodeConfig refers to {reference!r}, which is not known")
    return found[kind](name)


def is_for_workers(reference: str) -> bool:
    """Whether nodes that hold no authority may have it: what is trusted, and logins to registries."""
    return reference.startswith(("authority/", "public/")) or reference == DOCKER_CONFIG
