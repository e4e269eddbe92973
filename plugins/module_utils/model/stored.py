# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the state store has of a cluster, as far as its model is built from it, and what others publish for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from ..addons.upstream import NONE, Parse, UpstreamFile, parse
from ..api.additional import AdditionalObject
from ..base.errors import KopsError
from .node.files.assets import FileAsset, with_known_checksums


class Stored(Protocol):
    """Keysets and secrets are read when they are asked for: the same run may make them.

    secret_names: of the cluster's secrets. had_channels: whether there is an index of the addons of channels.
    """

    secret_names: frozenset[str]
    had_channels: bool

    def signing_certificates(self) -> list[bytes]:
        """The trusted certificates of keyset service-account, PEM."""

    def trusted_authorities(self) -> str:
        """The trusted certificates of keyset kubernetes-ca, PEM; "" while there are none."""

    def key_pairs(self, keyset: str) -> list[str]:
        """The ids of the key pairs of a keyset that are not distrusted, the primary first."""

    def secret_hash(self, name: str) -> str:
        """The SHA-256 of a secret; "" while there is none."""

    def additional_objects(self) -> list[AdditionalObject]:
        """The user's own objects, which are applied beside kops'."""

    def cilium_keys(self) -> Mapping[str, str]:
        """The data of secret ciliumpassword."""

    def with_checksums(self, files: Sequence[FileAsset]) -> Sequence[FileAsset]:
        """Files that nodes download, each with its checksum."""

    def read_upstream(
        self, urls: Sequence[str], parse: Parse = parse, hashes: Mapping[str, str] = NONE
    ) -> Mapping[str, UpstreamFile]:
        """Files of addons that others publish, by URL."""

    def read(self, location: str) -> bytes | None:
        """A file of the cluster's directory, by its location there; None if there is none."""


class NothingStored:
    """The store before the first update."""

    secret_names: frozenset[str] = frozenset()
    had_channels = False

    def signing_certificates(self) -> list[bytes]:
        return []

    def trusted_authorities(self) -> str:
        return ""

    def key_pairs(self, keyset: str) -> list[str]:
        return []

    def secret_hash(self, name: str) -> str:
        return ""

    def additional_objects(self) -> list[AdditionalObject]:
        return []

    def cilium_keys(self) -> Mapping[str, str]:
        return {}

    def with_checksums(self, files: Sequence[FileAsset]) -> Sequence[FileAsset]:
        return with_known_checksums(files)

    def read_upstream(
        self, urls: Sequence[str], parse: Parse = parse, hashes: Mapping[str, str] = NONE
    ) -> Mapping[str, UpstreamFile]:
        if urls:
            raise KopsError(f"nothing is known of the files that others publish: {', '.join(urls)}")
        return {}

    def read(self, location: str) -> bytes | None:
        return None
