# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file ``state`` on a disk of kops' etcd-manager: how it starts the member.

A message of protocol buffers (pkg/apis/etcd/etcdapi.proto, pkg/etcd/etcdserver.go of etcd-manager).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Union

from ...base.errors import KopsError

STATE = "state"
_TOKEN = re.compile(r"[A-Za-z0-9_-]+")
_VARINT, _FIXED_64, _TEXT, _FIXED_32 = 0, 1, 2, 5


class StateError(KopsError):
    """The file is damaged."""


@dataclass(frozen=True)
class ManagerState:
    """What etcd-manager knows. token: of the etcd cluster, "" if the member was stopped. nodes: name -> peer URLs.

    version: of etcd. is_quarantined: etcd-manager is forming the etcd cluster, restoring a backup or changing versions.
    """

    token: str
    nodes: dict[str, tuple[str, ...]]
    version: str
    is_quarantined: bool

    def initial_cluster(self) -> str:
        """Names and peer URLs as etcd's option of this name has them."""
        return ",".join(f"{name}={url}" for name, urls in sorted(self.nodes.items()) for url in urls)


def read_state(directory: str) -> ManagerState | None:
    """The state on a disk that is mounted there; None without the file. Raises StateError, OSError."""
    try:
        with open(os.path.join(directory, STATE), "rb") as stream:
            content = stream.read()
    except FileNotFoundError:
        return None
    try:
        return _state(content)
    except (IndexError, UnicodeDecodeError) as error:
        raise StateError("it ends early, or is no state of etcd-manager") from error


def _state(content: bytes) -> ManagerState:
    """EtcdState: 2 is its EtcdCluster (5 token, 7 nodes: 1 name, 2 peer URLs), 3 the version, 4 the quarantine."""
    state = list(_fields(content))
    cluster = [field for value in _texts(state, 2) for field in _fields(value)]
    nodes = {}
    for value in _texts(cluster, 7):
        node = list(_fields(value))
        nodes[_last(node, 1)] = tuple(url.decode() for url in _texts(node, 2))
    token = _last(cluster, 5)
    if token and not _TOKEN.fullmatch(token):
        raise StateError("its token is no name of a directory")
    return ManagerState(token, nodes, _last(state, 3), any(number == 4 and value == 1 for number, value in state))


def _texts(fields: list[tuple[int, Union[int, bytes]]], wanted: int) -> list[bytes]:
    return [value for number, value in fields if number == wanted and isinstance(value, bytes)]


def _last(fields: list[tuple[int, Union[int, bytes]]], wanted: int) -> str:
    return next((value.decode() for value in reversed(_texts(fields, wanted))), "")


def _fields(content: bytes) -> Iterator[tuple[int, Union[int, bytes]]]:
    """Number and value of each field. Raises IndexError at an early end, StateError for unknown types."""
    at = 0
    while at < len(content):
        key, at = _varint(content, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _varint(content, at)
            yield key >> 3, value
            continue
        if kind == _TEXT:
            size, at = _varint(content, at)
        elif kind in (_FIXED_64, _FIXED_32):
            size = 8 if kind == _FIXED_64 else 4
        else:
            raise StateError(f"it has a field of the unknown type {kind}")
        if at + size > len(content):
            raise IndexError(size)
        yield key >> 3, content[at : at + size]
        at += size


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at
        if shift > 63:
            raise StateError("it has a number that is too long")
