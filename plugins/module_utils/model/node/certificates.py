# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of nodes: what a node needs, and whether what it has will still do.

The controller issues them, as it holds the authorities; a node gets keys of its own, never an authority's. Source of
subjects, names and validity: nodeup/pkg/model and nodetasks/issue_cert.go of kops.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...base.errors import KopsError
from ...node.document import fill, markers
from ...statestore import pki
from ...statestore.certificates import read_certificate
from ...statestore.keyset import KUBERNETES_CA, Keyset
from ...statestore.pki import Subject

# Nodes of one age do not all expire at once: the same for all certificates of a node, another for another node.
_VALID_DAYS, _SPREAD_DAYS = 455, 30
# Any run within this time before the end issues anew.
RENEWED_BEFORE = datetime.timedelta(days=60)
_HOURS = 24


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
        """What a node is asked to report about it."""
        if self.kubeconfig:
            return {"name": self.name, "path": self.kubeconfig, "kind": "kubeconfig"}
        return {"name": self.name, "path": self.path, "key": self.key_path, "kind": "pem"}


def request(certificate: Certificate, facts: Mapping[str, str]) -> pki.CertificateRequest:
    """What to issue for one node. facts: by name, as in the markers. Raises KopsError for one that is missing."""
    subject = certificate.subject
    return pki.CertificateRequest(
        type=certificate.type,
        subject=Subject(filled(subject.common_name, facts), subject.organizations),
        alternate_names=tuple(dict.fromkeys(filled(name, facts) for name in certificate.alternate_names)),
        validity=validity(facts.get("NODE_NAME", "")),
    )


def filled(text: str, facts: Mapping[str, str]) -> str:
    """Text with its markers replaced. Raises KopsError for a fact that is not given."""
    for missing in sorted(markers(text) - facts.keys()):
        raise KopsError(f"fact {missing} of a node is needed for its certificates, but was not given")
    return str(fill(text, facts))


def validity(node_name: str) -> datetime.timedelta:
    """How long certificates of a node are valid: 455 days, and up to 30 days more that its name decides (FNV-1)."""
    number = 0x811C9DC5
    for byte in node_name.encode():
        number = (number * 0x01000193 % 2**32) ^ byte
    return datetime.timedelta(hours=_VALID_DAYS * _HOURS + number % (_SPREAD_DAYS * _HOURS))


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
