# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The keysets of a cluster in its store: ``pki/private/<name>/keyset.yaml``, with private keys."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from ..api import keyset as api
from ..api import manifest
from ..base.errors import KopsError, ManifestError
from . import pki
from .keyset import Keyset, KeysetError
from .vfs.path import WriteConflict

if TYPE_CHECKING:
    from .vfs.path import VFSPath

BUNDLE = "keyset.yaml"
# Former names of keysets (until kops 1.19, 1.22).
LEGACY_NAMES = {"service-account": "master", "kubernetes-ca": "ca"}
_READERS = 8


def is_rotatable(name: str) -> bool:
    """Whether key pairs of this keyset can be added, promoted and distrusted by name or by ``all`` (as in kops)."""
    return name == "service-account" or "-ca" in name


class Keysets:
    """Keysets by name. root: the cluster's ``pki`` directory. Nothing is cached between calls."""

    def __init__(self, root: VFSPath) -> None:
        self.root = root

    def _path(self, name: str) -> VFSPath:
        return self.root.join("private", name, BUNDLE)

    def find(self, name: str) -> Keyset | None:
        """The keyset, None if there is none. Raises KeysetError if it cannot be read."""
        found = self._load(name)
        if found is None and name in LEGACY_NAMES:
            found = self._load(LEGACY_NAMES[name])
            if found is not None:
                found.legacy_format, found.etag = True, None
        return found

    def get(self, name: str) -> Keyset:
        """The keyset. KeysetError if there is none."""
        found = self.find(name)
        if found is None:
            raise KeysetError(f"there is no keyset {name} in {self.root}")
        return found

    def find_many(self, names: list[str]) -> dict[str, Keyset | None]:
        """Several keysets, read in parallel."""
        with ThreadPoolExecutor(_READERS) as pool:
            return dict(zip(names, pool.map(self.find, names)))

    def store(self, name: str, keyset: Keyset) -> None:
        """Write a keyset. Raises KeysetError if its primary cannot sign, or if another process has changed it."""
        if keyset.primary is None or keyset.items.get(keyset.primary.id) is not keyset.primary:
            raise KeysetError(f"keyset {name}: it has no primary key pair")
        if not keyset.primary.can_sign:
            raise KeysetError(f"keyset {name}: its primary {keyset.primary.id} cannot sign or is distrusted")
        data = manifest.dump(keyset.to_api(name)).encode()
        try:
            keyset.etag = self._path(name).write(data, if_match=keyset.etag, if_none_match=keyset.etag is None)
        except WriteConflict as error:
            raise KeysetError(f"keyset {name} was changed by another process meanwhile; run again") from error
        keyset.legacy_format = False

    def issue(self, signer: str, request: pki.CertificateRequest) -> pki.KeyPair:
        """Issue a certificate with the primary key pair of a keyset."""
        return pki.issue(request, self.get(signer).signer())

    def create(
        self, name: str, request: pki.CertificateRequest, signer: str = "", *, present: Keyset | None = None
    ) -> Keyset:
        """Issue a certificate and make it the primary of a keyset, which is created if it does not exist.

        The key of the present primary is used again, as in kops: service account tokens outlive a certificate.
        signer: the keyset that signs; ignored for a CA, which is self-signed.
        present: the stored keyset, if the caller has read it; an empty one if there is none.
        """
        keyset = present or self.find(name) or Keyset()
        wanted: dict[str, Any] = vars(request).copy()
        wanted["serial"] = request.serial or pki.build_serial()
        wanted["private_key"] = request.private_key or (keyset.primary.private_key if keyset.primary else "")
        issuer = None if request.type == "ca" else self.get(signer).signer()
        keyset.reissued(pki.issue(pki.CertificateRequest(**wanted), issuer))
        self.store(name, keyset)
        return keyset

    def signing_certificates(self) -> list[bytes]:
        """The trusted certificates of keyset service-account, PEM: all of them are needed to verify tokens."""
        keyset = self.find("service-account")
        return [item.certificate.encode() for item in keyset.trusted] if keyset else []

    def _load(self, name: str) -> Keyset | None:
        path = self._path(name)
        try:
            data, etag = path.read_tagged()
        except FileNotFoundError:
            return None
        try:
            objects = manifest.load(data.decode("utf-8"), source=str(path), ignored=[])
        except (UnicodeDecodeError, ManifestError):
            # The parser's message could contain a part of a private key.
            raise KeysetError(f"{path} is not a readable keyset") from None
        if len(objects) != 1 or not isinstance(objects[0], api.Keyset):
            raise KeysetError(f"{path} must contain one Keyset and nothing else")
        try:
            keyset = Keyset.from_api(objects[0])
        except KopsError as error:
            raise KeysetError(f"{path}: {error}") from error
        keyset.etag = etag
        return keyset

    def list(self) -> dict[str, Keyset]:
        """All keysets, by name."""
        listed = [file.name.split("/") for file in self.root.join("private").list_tree()]
        names = [parts[0] for parts in listed if len(parts) == 2 and parts[1] == BUNDLE]
        return {name: keyset for name, keyset in self.find_many(names).items() if keyset is not None}
