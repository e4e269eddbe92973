# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A member with an empty disk joins an etcd cluster that has been formed: one that came later, or has lost its disk.

It asks the other members, by their addresses, with a certificate of its own that is in memory only. It is added as a
learner; its old self is removed first. Several that do so at once are told apart by etcd, which has one learner at a
time. The learner is promoted when it has all data, by its own node (etcd/join.py).
"""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ...base.errors import ConfigError, KopsError
from ...exchange.certificates import wanted
from ..etcd.client import EtcdClient, tls
from ..etcd.disk import EXISTING, Birth, Owner
from ..etcd.membership import MemberList, NewMember
from ..etcd.takeover import Start
from ..keys import issue
from ..keys.secrets_document import StoreSource, certificates_of
from ..system.machine import Machine

# Seconds: for other learners before it, and for an answer.
_TURN, _TIMEOUT = 150.0, 5.0
_PLACE = "/run/kubeops"


@dataclass(frozen=True)
class Other:
    """Another member of the etcd cluster that an instance has now. address: of the instance."""

    start: Start
    address: str

    @property
    def host(self) -> str:
        """Its host name."""
        return urlsplit(self.start.peer_url).hostname or ""


class Newcomer:
    """A member whose disk is empty. others: those that instances have now. client_port: of all members.

    control: where it is written that the etcd cluster has been formed.
    """

    def __init__(
        self,
        owner: Owner,
        start: Start,
        others: Iterable[Other],
        client_port: int,
        context: ssl.SSLContext,
        control: str,
    ) -> None:
        self._owner, self._start, self._others, self._control = owner, start, list(others), control
        endpoints = [f"https://{other.host}:{client_port}" for other in self._others]
        self._client = EtcdClient(endpoints, context, _TIMEOUT, {other.host: other.address for other in self._others})

    def has_begun(self) -> bool:
        """Whether etcd says that this member has run before, or has been taken out. No if no member answers."""
        try:
            members = self._client.members() if self._others else []
        except KopsError:
            return False
        mine = [member for member in members if self._start.peer_url in member.peer_urls]
        # A founder is a voter from the beginning; a learner has been added by an attempt of this boot.
        return bool(members) and not any(not member.client_urls and not member.learner for member in mine)

    def join(self, *, check: bool = False) -> Birth:
        """Become a learner, after the removal of the member that it replaces. Raises KopsError in one line.

        If it ends at any point, another call goes on. check: only look.
        """
        if not self._others:
            raise self._refusal("no instance has another member now")
        urls = [self._start.peer_url, *(other.start.peer_url for other in self._others)]
        newcomer = NewMember(self._start.name, (self._start.peer_url,), fresh=True)
        try:
            joined = MemberList(self._client).ensure(newcomer, wait=_TURN, awaited=urls, check=check)
        except KopsError as error:
            raise self._refusal(" ".join(str(error).split())) from error
        return Birth(joined.initial_cluster(), EXISTING)

    def _refusal(self, reason: str) -> KopsError:
        return KopsError(
            f"{self._owner} is empty, and cannot get its data from the other members: {reason}. If a majority of them "
            "comes back, it joins. Else restore a snapshot of the volume, or a backup of the etcd cluster; if the data "
            f"of no member is needed, remove {self._control}/"
        )


def client_context(
    machine: Machine, config: Mapping[str, Any], source: StoreSource, etcd: str, facts: Mapping[str, str]
) -> ssl.SSLContext:
    """TLS as the member's server will have it, before its certificate is on the node. Raises KopsError."""
    name = f"etcd-{etcd}-server"
    certificate = next((each for each in certificates_of(config) if each.name == name), None)
    if certificate is None:
        raise ConfigError([f"the NodeConfig has no certificate {name}"])
    private, public = issue.generate_key()
    issued = issue.issue(wanted(certificate, facts), public, source.signer(certificate.signer))
    os.makedirs(machine.path(_PLACE), mode=0o700, exist_ok=True)
    # Python reads certificates and keys from files only.
    with tempfile.TemporaryDirectory(dir=machine.path(_PLACE)) as directory:
        paths = [os.path.join(directory, file) for file in ("ca", "certificate", "key")]
        for path, content in zip(paths, (source.authority(certificate.signer).decode(), issued, private)):
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as stream:
                stream.write(content)
        return tls(*paths)
