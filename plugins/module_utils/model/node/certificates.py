# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of nodes: what a node needs, and whether what it has will still do.

The controller issues them, as it holds the authorities; a node gets keys of its own, never an authority's. In clouds,
control planes issue them by the same rule (exchange/certificates.py) and the same description, that of the NodeConfig.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...base.errors import KopsError
from ...exchange import items, schema
from ...exchange.certificates import RENEWED_BEFORE, wanted
from ...statestore import pki
from ...statestore.certificates import read_certificate
from ...statestore.keyset import KUBERNETES_CA, Keyset
from ...statestore.pki import Subject


@dataclass(frozen=True)
class Certificate:
    """A certificate that each node of a group gets, with a key of its own.

    name: kops' name of it. directory, file_name: where it goes, as ``.crt`` and ``.key``; file_name: name if empty.
    certificate_file, key_file: the names of the files where they have other endings.
    kubeconfig: where it goes as a kubeconfig instead, for server. type: of pki.CERTIFICATE_TYPES.
    alternate_names, subject: may hold markers of facts. with_authority: the file goes on with the signer's certificate.
    key_mode: of the key, or the kubeconfig. owner: user and group of the files.
    """

    name: str
    subject: Subject
    type: str = "client"
    signer: str = KUBERNETES_CA
    alternate_names: tuple[str, ...] = ()
    directory: str = ""
    file_name: str = ""
    kubeconfig: str = ""
    server: str = ""
    with_authority: bool = False
    key_mode: str = "0600"
    certificate_mode: str = "0644"
    owner: str = "root"
    certificate_file: str = ""
    key_file: str = ""

    @property
    def path(self) -> str:
        """The file that holds the certificate."""
        return self.kubeconfig or f"{self.directory}/{self.certificate_file or f'{self.file_name or self.name}.crt'}"

    @property
    def key_path(self) -> str:
        """The file that holds the key; "" where the kubeconfig does."""
        return "" if self.kubeconfig else f"{self.directory}/{self.key_file or f'{self.file_name or self.name}.key'}"

    @property
    def files(self) -> list[tuple[str, str, str]]:
        """Path, name in the secrets document, and mode of each file."""
        if self.kubeconfig:
            return [(self.kubeconfig, f"kubeconfig/{self.name}", self.key_mode)]
        return [
            (self.path, f"certificate/{self.name}", self.certificate_mode),
            (self.key_path, f"key/{self.name}", self.key_mode),
        ]

    def described(self) -> dict[str, Any]:
        """Its item of a NodeConfig: where the node has it, and what it has to be."""
        if self.kubeconfig:
            place = {"path": self.kubeconfig, "kind": "kubeconfig", "server": self.server}
        else:
            place = {"path": self.path, "key": self.key_path, "kind": "pem"}
        more = {
            "organizations": list(self.subject.organizations),
            "alternateNames": list(self.alternate_names),
            "withAuthority": self.with_authority,
        }
        return {
            "name": self.name,
            **place,
            "commonName": self.subject.common_name,
            "type": self.type,
            "signer": self.signer,
            "validityHours": items.VALID_HOURS,
            **{key: value for key, value in more.items() if value},
        }


def request(certificate: Certificate, facts: Mapping[str, str]) -> pki.CertificateRequest:
    """What to issue for one node. facts: by name, as in the markers. Raises KopsError for one that is missing."""
    asked = wanted(schema.read(items.Certificate, certificate.described(), "certificates", []), facts)
    return pki.CertificateRequest(
        type=asked.type,
        subject=Subject(asked.common_name, asked.organizations),
        alternate_names=asked.alternate_names,
        validity=asked.validity,
    )


def still_fits(pem: str, wanted: pki.CertificateRequest, signer: Keyset, now: datetime.datetime) -> bool:
    """Whether a certificate that a node has is what it would get today, and does not end soon."""
    try:
        facts = read_certificate(pem)
    except KopsError:
        return False
    return (
        facts.subject == str(wanted.subject)
        and facts.type == wanted.type
        and set(facts.alternate_names) == set(wanted.alternate_names)
        and facts.not_after - now > RENEWED_BEFORE
        and signer.primary is not None
        and pki.is_issued_by(pem, signer.primary.certificate)
    )
