# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A client of etcd: its v3 API as JSON, over TLS with a certificate that a member of the host has.

Sources: the gateway of etcd's server (api/etcdserverpb/rpc.proto) and the format of its snapshots (their last 32 bytes
are the SHA-256 of all before).
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...base.errors import KopsError

TIMEOUT = 10.0
# Of the status codes of gRPC, those by which a member says that others may do better: no leader, on its way out.
_ASK_ANOTHER = (4, 14)
# One that does not vote yet answers little.
_LEARNER = "rpc not supported for learner"
_LONGEST_ANSWER = 16 << 20
_DIGEST_SIZE = hashlib.sha256().digest_size
_KEY = base64.b64encode(b"health").decode()


class EtcdError(KopsError):
    """What etcd refused, or why none of its members answered."""


@dataclass(frozen=True)
class Member:
    """One of a cluster's members, as the cluster lists it. id: hexadecimal. name: "" until it has started once."""

    id: str
    name: str
    peer_urls: tuple[str, ...]
    client_urls: tuple[str, ...] = ()
    learner: bool = False

    def called(self, name: str) -> Member:
        """The member under the name that it will have once it has started."""
        return replace(self, name=name)

    def plain(self) -> dict[str, Any]:
        """As results of modules show it."""
        return {
            "id": self.id,
            "name": self.name,
            "peer_urls": list(self.peer_urls),
            "client_urls": list(self.client_urls),
            "learner": self.learner,
        }


@dataclass(frozen=True)
class Status:
    """What a member says of itself. id and leader: of members; leader "" without one. size: bytes of its database."""

    id: str
    leader: str
    version: str
    size: int
    revision: int
    learner: bool

    @property
    def is_leader(self) -> bool:
        """Whether it is the leader of its cluster."""
        return self.id == self.leader


def tls(authority: str, certificate: str, key: str) -> ssl.SSLContext:
    """How to talk to members: files in PEM. Raises EtcdError."""
    try:
        context = ssl.create_default_context(cafile=authority)
        context.load_cert_chain(certificate, key)
    except OSError as error:
        raise EtcdError(
            f"the certificates of etcd cannot be read ({authority}, {certificate}, {key}): {error}"
        ) from error
    return context


class EtcdClient:
    """A cluster, by the addresses of clients of some of its members ("https://10.0.0.1:4001").

    Every call asks one after the other until one answers. Raises EtcdError: with what etcd said, or with each address
    and why it did not answer.
    """

    def __init__(self, endpoints: Sequence[str], context: ssl.SSLContext | None, timeout: float = TIMEOUT) -> None:
        self.endpoints = tuple(dict.fromkeys(endpoints))
        self._timeout = timeout
        handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
        if context is not None:
            handlers.append(urllib.request.HTTPSHandler(context=context))
        self._opener = urllib.request.build_opener(*handlers)

    def members(self) -> list[Member]:
        """All members, by name. A majority has to be there, as the answer is that of the whole cluster."""
        return _members(self._call("cluster/member/list", {"linearizable": True}))

    def add_learner(self, peer_urls: Sequence[str]) -> list[Member]:
        """Add a member that does not vote yet: the majority stays what it is. Returns all members."""
        return _members(self._call("cluster/member/add", {"peerURLs": list(peer_urls), "isLearner": True}))

    def remove(self, member: Member) -> list[Member]:
        """Remove a member. Returns the others."""
        return _members(self._call("cluster/member/remove", {"ID": str(int(member.id, 16))}))

    def promote(self, member: Member) -> list[Member]:
        """Let a learner vote. EtcdError as long as it is behind the others. Returns all members."""
        return _members(self._call("cluster/member/promote", {"ID": str(int(member.id, 16))}))

    def status(self) -> Status:
        """Of the first member that answers."""
        answer = self._call("maintenance/status", {})
        leader = int(answer.get("leader", 0))
        return Status(
            id=_hexadecimal(answer.get("header", {}).get("member_id", 0)),
            leader=_hexadecimal(leader) if leader else "",
            version=str(answer.get("version", "")),
            size=int(answer.get("dbSize", 0)),
            revision=int(answer.get("header", {}).get("revision", 0)),
            learner=bool(answer.get("isLearner", False)),
        )

    def alarms(self) -> list[str]:
        """What members complain of: NOSPACE, CORRUPT."""
        answer = self._call("maintenance/alarm", {"action": "GET"})
        return sorted({str(alarm.get("alarm", "")) for alarm in answer.get("alarms", ())} - {"", "NONE"})

    def catch_up(self) -> int:
        """The newest revision, once the member that answers has all of it, which takes a majority."""
        answer = self._call("kv/range", {"key": _KEY, "count_only": True})
        return int(answer.get("header", {}).get("revision", 0))

    def snapshot(self) -> Iterator[bytes]:
        """The database of the first member that answers, piece by piece, as etcd's own tools save it.

        Raises EtcdError when it ends early, or is not what its checksum says: what has come is worth nothing then.
        """
        response = self._first("maintenance/snapshot", {})
        digest, tail, missing = hashlib.sha256(), b"", None
        with response:
            try:
                for line in response:
                    piece, missing = _piece(line)
                    yield piece
                    tail += piece
                    digest.update(tail[:-_DIGEST_SIZE])
                    tail = tail[-_DIGEST_SIZE:]
            except (OSError, ValueError, http.client.HTTPException) as error:
                raise EtcdError(f"the snapshot of etcd broke off: {_reason(error)}") from error
        if missing != 0 or digest.digest() != tail:
            raise EtcdError("the snapshot of etcd is not whole: its checksum does not fit")

    def _call(self, method: str, request: Mapping[str, Any]) -> dict[str, Any]:
        with self._first(method, request) as response:
            try:
                answer = json.loads(response.read(_LONGEST_ANSWER))
            except (OSError, ValueError, http.client.HTTPException) as error:
                raise EtcdError(f"the answer of etcd ({response.url}) cannot be read: {_reason(error)}") from error
        return answer if isinstance(answer, dict) else {}

    def _first(self, method: str, request: Mapping[str, Any]) -> Any:
        """The answer of the first member that has one."""
        reasons = []
        for endpoint in self.endpoints:
            asked = urllib.request.Request(  # noqa: S310 - addresses of members
                f"{endpoint}/v3/{method}",
                data=json.dumps(request).encode(),
                headers={"Content-Type": "application/json"},
            )
            try:
                return self._opener.open(asked, timeout=self._timeout)
            except urllib.error.HTTPError as error:
                with error:
                    code, said = _refusal(error)
                if code not in _ASK_ANOTHER and _LEARNER not in said:
                    raise EtcdError(f"etcd ({endpoint}) refuses: {said}") from error
                reasons.append(f"{endpoint}: {said}")
            except (OSError, http.client.HTTPException) as error:
                reasons.append(f"{endpoint}: {_reason(error)}")
        raise EtcdError("no member of etcd answers:\n" + "\n".join(f"- {reason}" for reason in reasons))


def majority(voters: int) -> int:
    """How many of so many voting members have to be there for anything to be done."""
    return voters // 2 + 1


def in_order(members: Iterable[Member]) -> list[Member]:
    """Members as lists show them."""
    return sorted(members, key=lambda member: (member.name, member.peer_urls))


def _members(answer: Mapping[str, Any]) -> list[Member]:
    found = [
        Member(
            id=_hexadecimal(each["ID"]),
            name=str(each.get("name", "")),
            peer_urls=tuple(each.get("peerURLs", ())),
            client_urls=tuple(each.get("clientURLs", ())),
            learner=bool(each.get("isLearner", False)),
        )
        for each in answer.get("members", ())
    ]
    return in_order(found)


def _hexadecimal(number: Any) -> str:
    return f"{int(number):016x}"


def _piece(line: bytes) -> tuple[bytes, int]:
    """One line of a stream: the bytes in it, and how many are still to come."""
    answer = json.loads(line)
    if "result" not in answer:
        raise EtcdError(f"etcd broke the snapshot off: {answer.get('error', {}).get('message', 'no reason is given')}")
    result = answer["result"]
    return base64.b64decode(result.get("blob", "")), int(result.get("remaining_bytes", 0))


def _refusal(error: urllib.error.HTTPError) -> tuple[int, str]:
    """Code of gRPC (14 when it is no answer of etcd's API) and words."""
    text = error.read(4096).decode(errors="replace").strip()
    try:
        answer = json.loads(text)
        return int(answer["code"]), str(answer.get("message") or answer.get("error"))
    except (ValueError, KeyError, TypeError):
        return 14, f"{error.code} {error.reason} {text}".strip()


def _reason(error: Exception) -> str:
    cause = getattr(error, "reason", None) or error
    return str(getattr(cause, "strerror", None) or cause) or type(cause).__name__
