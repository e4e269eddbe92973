# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Task: a keyset in the state store: a CA, or a certificate that one has signed, with its private key."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...engine.task import Change, Task, internal, unordered
from ...statestore.certificates import read_certificate
from ...statestore.keyset import KUBERNETES_CA, Keyset
from ...statestore.keysets import BUNDLE, LEGACY_NAMES, Keysets
from ...statestore.pki import CertificateRequest, Subject, require_library
from ...statestore.vfs.open import open_path
from ..reads import Reads
from ._store import listed, want_listing

if TYPE_CHECKING:
    from ...engine.targets.terraform import TerraformTarget

CA = "ca"


@dataclass(eq=False, repr=False)
class Keypair(Task[Reads]):
    """The keyset of the task's name. It is made when it is missing, and from then on only its rotation changes it.

    base: URL of the store's pki directory. subject: ``o=...,cn=...``. type: a key of pki.CERTIFICATE_TYPES or a list
    of usages. signer: the CA that signs, kubernetes-ca if None; a CA signs itself. stored_as: what kops called the
    keyset when it was stored. known_absent: the listing has shown that there is nothing to read.
    A CA that exists stays, whatever its subject: a new one would lock out every node. Anything else is issued anew,
    for the same private key, when its subject, type or names change.
    """

    base: str | None = internal()
    subject: str | None = None
    type: str | None = None
    alternate_names: list[str] | None = unordered()
    signer: Keypair | None = internal()
    stored_as: str | None = None
    known_absent: bool = internal(default=False)

    def __post_init__(self) -> None:
        self.stored_as = self.stored_as or self.name

    def _base(self) -> str:
        return self.needed(self.base, "has no place in a store")

    @property
    def store_only(self) -> bool:
        """Always: keys must never be in a Terraform state."""
        return True

    @property
    def keysets(self) -> Keysets:
        """The keysets among which it is."""
        return Keysets(open_path(self._base()))

    def prepare(self, cloud: Reads) -> None:
        want_listing(cloud, self._base())

    def find(self, cloud: Reads) -> Keypair | None:
        names = [name for name in (self.name, LEGACY_NAMES.get(self.name)) if name]
        found = next((name for name in names if listed(cloud, self._base(), f"private/{name}/{BUNDLE}")), None)
        self.known_absent = found is None
        if found is None:
            return None
        if self.type == CA:
            return dataclasses.replace(self, stored_as=found)
        keyset = self.keysets.get(self.name)
        if keyset.primary is None:
            return None
        facts = read_certificate(keyset.primary.certificate)
        return dataclasses.replace(
            self,
            subject=facts.subject,
            type=facts.type,
            alternate_names=facts.alternate_names,
            stored_as=found,
        )

    def check(self, cloud: Reads, actual: Keypair | None, changes: dict[str, Change]) -> None:
        super().check(cloud, actual, changes)
        require_library()

    def create(self, cloud: Reads) -> None:
        request = CertificateRequest(
            type=str(self.type),
            subject=Subject.parse(self.subject or ""),
            alternate_names=tuple(self.alternate_names or ()),
        )
        present = Keyset() if self.known_absent else None
        self.keysets.create(self.name, request, self.signer.name if self.signer else KUBERNETES_CA, present=present)

    def update(self, cloud: Reads, actual: Keypair, changes: dict[str, Change]) -> None:
        if changes.keys() == {"stored_as"}:
            self.keysets.store(self.name, self.keysets.get(self.name))
        else:
            self.create(cloud)

    def terraform(self, target: TerraformTarget) -> None:
        """Nothing: private keys do not belong into Terraform's state."""
