# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A client of etcd's v3 API: JSON over HTTPS, with the client certificate of a member on this host.

Sources: the gRPC gateway of etcd (api/etcdserverpb/rpc.proto), and the format of snapshots (the last 32 bytes are the
SHA-256 of the rest).
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
from types import MappingProxyType
from typing import Any

from ...base.errors import KopsError
from .places import PlacedHandler

TIMEOUT = 10.0
# gRPC status codes after which another member is asked: no leader, or the member is stopping.
_ASK_ANOTHER = (4, 14)
# The error of a learner: it serves only a few requests.
_LEARNER = "rpc not supported for learner"
_LONGEST_ANSWER = 16 << 20
_DIGEST_SIZE = hashlib.sha256().digest_size
_KEY = base64.b64encode(b"health").decode()
# A range of everything: from the first key to its end, which etcd writes as a zero byte.
_FIRST_KEY, _ALL_KEYS = b"\0", base64.b64encode(b"\0").decode()
_PAGE = 5000


class EtcdError(KopsError):
    """etcd refused a request, or no member answered."""


@dataclass(frozen=True)
class Member:
    """A member, as the cluster lists it. id: hexadecimal. name: "" until it has started for the first time."""

    id: str
    name: str
    peer_urls: tuple[str, ...]
    client_urls: tuple[str, ...] = ()
    learner: bool = False

    def called(self, name: str) -> Member:
        """The member with the name that it will have after its start."""
        return replace(self, name=name)

    def plain(self) -> dict[str, Any]:
        """The member in results of modules."""
        return {
            "id": self.id,
            "name": self.name,
            "peer_urls": list(self.peer_urls),
            "client_urls": list(self.client_urls),
            "learner": self.learner,
        }


@dataclass(frozen=True)
class Status:
    """Status of a member. id and leader: member ids; leader is "" if there is none. size: of its database, in bytes."""

    id: str
    leader: str
    version: str
    size: int
    revision: int
    learner: bool

    @property
    def is_leader(self) -> bool:
        """Whether the member is the leader of its cluster."""
        return self.id == self.leader


def tls(authority: str, certificate: str, key: str) -> ssl.SSLContext:
    """TLS context for requests to members. Arguments: PEM files. Raises EtcdError."""
    try:
        context = ssl.create_default_context(cafile=authority)
        context.load_cert_chain(certificate, key)
    except OSError as error:
        raise EtcdError(
            f"the certificates of etcd cannot be read ({authority}, {certificate}, {key}): {error}"
        ) from error
    return context


class EtcdClient:
    """An etcd cluster. endpoints: client URLs of some of its members ("https://10.0.0.1:4001").

    places: host name -> address, for members that are known by names which this host does not resolve.
    Each call asks the endpoints in turn until one answers. Raises EtcdError with etcd's message, or with the reason for
    each endpoint that did not answer.
    """

    def __init__(
        self,
        endpoints: Sequence[str],
        context: ssl.SSLContext | None,
        timeout: float = TIMEOUT,
        places: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.endpoints = tuple(dict.fromkeys(endpoints))
        self.places = places
        self._context, self._timeout = context, timeout
        handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
        if context is not None:
            handlers.append(PlacedHandler(context, places))
        self._opener = urllib.request.build_opener(*handlers)

    def at(self, endpoints: Sequence[str], timeout: float = TIMEOUT) -> EtcdClient:
        """A client of other members, with the same certificate."""
        return EtcdClient(endpoints, self._context, timeout, self.places)

    def members(self) -> list[Member]:
        """All members, sorted by name. Needs a majority, because the read is linearizable."""
        return _members(self._call("cluster/member/list", {"linearizable": True}))

    def add_learner(self, peer_urls: Sequence[str]) -> list[Member]:
        """Add a learner, which does not change the majority. Returns all members."""
        return _members(self._call("cluster/member/add", {"peerURLs": list(peer_urls), "isLearner": True}))

    def remove(self, member: Member) -> list[Member]:
        """Remove a member. Returns the other members."""
        return _members(self._call("cluster/member/remove", {"ID": str(int(member.id, 16))}))

    def promote(self, member: Member) -> list[Member]:
        """Promote a learner to a voter. EtcdError if its data is still behind. Returns all members."""
        return _members(self._call("cluster/member/promote", {"ID": str(int(member.id, 16))}))

    def status(self) -> Status:
        """Status of the first member that answers."""
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
        """Alarms of the cluster: NOSPACE, CORRUPT."""
        answer = self._call("maintenance/alarm", {"action": "GET"})
        return sorted({str(alarm.get("alarm", "")) for alarm in answer.get("alarms", ())} - {"", "NONE"})

    def catch_up(self) -> int:
        """The newest revision, when the answering member has caught up with it. Needs a majority."""
        answer = self._call("kv/range", {"key": _KEY, "count_only": True})
        return int(answer.get("header", {}).get("revision", 0))

    def keys(self) -> Iterator[bytes]:
        """All keys, in order, as the answering member has them: it asks no other one. They are read in pages."""
        first, revision = _FIRST_KEY, 0
        while True:
            asked: dict[str, Any] = {"key": _encoded(first), "range_end": _ALL_KEYS, "keys_only": True}
            asked |= {"limit": str(_PAGE), "serializable": True, "revision": str(revision)}
            answer = self._call("kv/range", asked)
            # All pages are of one moment.
            revision = revision or int(answer.get("header", {}).get("revision", 0))
            found = [base64.b64decode(each["key"]) for each in answer.get("kvs", ())]
            yield from found
            if not answer.get("more"):
                return
            first = found[-1] + b"\0"

    def snapshot(self) -> Iterator[bytes]:
        """The database of the first member that answers, in pieces, in etcd's snapshot format.

        Raises EtcdError if the stream ends early or the checksum is wrong; the pieces must then be discarded.
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
                raise EtcdError(f"the etcd snapshot was interrupted: {_reason(error)}") from error
        if missing != 0 or digest.digest() != tail:
            raise EtcdError("the etcd snapshot is incomplete: its checksum is wrong")

    def _call(self, method: str, request: Mapping[str, Any]) -> dict[str, Any]:
        with self._first(method, request) as response:
            try:
                answer = json.loads(response.read(_LONGEST_ANSWER))
            except (OSError, ValueError, http.client.HTTPException) as error:
                raise EtcdError(f"the answer of etcd ({response.url}) cannot be read: {_reason(error)}") from error
        return answer if isinstance(answer, dict) else {}

    def _first(self, method: str, request: Mapping[str, Any]) -> Any:
        """The response of the first member that answers."""
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
                    raise EtcdError(f"etcd ({endpoint}) refused the request: {said}") from error
                reasons.append(f"{endpoint}: {said}")
            except (OSError, http.client.HTTPException) as error:
                reasons.append(f"{endpoint}: {_reason(error)}")
        raise EtcdError("no etcd member answers:\n" + "\n".join(f"- {reason}" for reason in reasons))


def majority(voters: int) -> int:
    """The quorum: how many of the voters must be available."""
    return voters // 2 + 1


def in_order(members: Iterable[Member]) -> list[Member]:
    """Members in the order of all lists."""
    return sorted(members, key=lambda member: (member.name, member.peer_urls))


def _encoded(key: bytes) -> str:
    return base64.b64encode(key).decode()


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
    """One line of the stream: its bytes, and how many bytes follow."""
    answer = json.loads(line)
    if "result" not in answer:
        raise EtcdError(f"etcd ended the snapshot: {answer.get('error', {}).get('message', 'it gave no reason')}")
    result = answer["result"]
    return base64.b64decode(result.get("blob", "")), int(result.get("remaining_bytes", 0))


def _refusal(error: urllib.error.HTTPError) -> tuple[int, str]:
    """Status code of gRPC (14, unavailable, if it is not an answer of etcd's API) and message."""
    text = error.read(4096).decode(errors="replace").strip()
    try:
        answer = json.loads(text)
        return int(answer["code"]), str(answer.get("message") or answer.get("error"))
    except (ValueError, KeyError, TypeError):
        return 14, f"{error.code} {error.reason} {text}".strip()


def _reason(error: Exception) -> str:
    cause = getattr(error, "reason", None) or error
    return str(getattr(cause, "strerror", None) or cause) or type(cause).__name__
