# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes a backup of an etcd cluster on a host that has a member: its database, compressed, in a file.

The snapshot is streamed through the member's API, so its size does not matter. etcd's checksum at its end is kept in
the file, as etcdctl and etcd-manager do.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...base.errors import KopsError
from ..system import atomic
from .client import EtcdClient, EtcdError
from .manifest import LocalMember, in_root

_LEVEL = 4
_GZIP = 31  # zlib's window bits for the gzip format
# Unpacked, a piece can be a thousand times larger.
_CHUNK = 1 << 15
_DIGEST_SIZE = hashlib.sha256().digest_size
# A snapshot may take long, but pauses of the stream are short.
_STREAM_TIMEOUT = 60.0


@dataclass(frozen=True)
class Snapshot:
    """A backup. path: of the file, "" in check mode. size: in bytes. revision: the last one in the backup."""

    etcd: str
    member: str
    path: str
    size: int
    sha256: str
    revision: int
    etcd_version: str
    member_count: int
    database_size: int
    alarms: tuple[str, ...] = ()


def take(
    local: LocalMember, directory: str, *, root: str = "/", leader_only: bool = False, check: bool = False
) -> Snapshot | None:
    """Write a backup of the member's cluster into a directory. With leader_only: None if another member is the leader.

    The file is ``<etcd>.backup.gz``, with the directory's owner and mode 0600.
    Raises KopsError, without a file, also if there is no majority: the member's data may be outdated then.
    """
    client = local.client(root, only_local=True, timeout=_STREAM_TIMEOUT)
    status = client.status()
    if leader_only and not status.is_leader:
        return None
    revision, members = _caught_up(client, local)
    path = archive_of(directory, local.etcd)
    file = in_root(root, path)
    size, digest = 0, ""
    if not check:
        size, digest = _write(file, client)
    return Snapshot(
        etcd=local.etcd,
        member=local.name,
        path="" if check else path,
        size=size,
        sha256=digest,
        revision=revision,
        etcd_version=status.version,
        member_count=members,
        database_size=status.size,
        alarms=tuple(client.alarms()),
    )


def archive_of(directory: str, etcd: str) -> str:
    """The file of a backup in a directory."""
    return os.path.join(directory, f"{etcd}.backup.gz")


def unpack(archive: str, target: str) -> int:
    """Write the database of a backup to a file. Returns its size in bytes.

    Raises KopsError, also if etcd's checksum at its end is missing or wrong.
    """
    digest, tail, size = hashlib.sha256(), b"", 0

    def pieces() -> Iterator[bytes]:
        nonlocal tail, size
        for piece in _unpacked(archive):
            size += len(piece)
            tail += piece
            digest.update(tail[:-_DIGEST_SIZE])
            tail = tail[-_DIGEST_SIZE:]
            yield piece
        if digest.digest() != tail:
            raise KopsError(f"the backup {archive} is damaged: its checksum is wrong")

    atomic.write(target, pieces(), mode=0o600, uid=os.getuid(), gid=os.getgid())
    return size


def _caught_up(client: EtcdClient, local: LocalMember) -> tuple[int, int]:
    """A revision that the member has reached, and the number of voters."""
    try:
        return client.catch_up(), sum(not member.learner for member in client.members())
    except EtcdError as error:
        raise KopsError(
            f"member {local.name} of etcd cluster {local.etcd} cannot find out whether its data is up to date; "
            f"a backup needs a majority of the members: {error}"
        ) from error


def _write(file: str, client: EtcdClient) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0

    def pieces() -> Iterator[bytes]:
        nonlocal size
        for piece in _packed(client.snapshot()):
            digest.update(piece)
            size += len(piece)
            yield piece

    owner = os.stat(os.path.dirname(file))
    atomic.write(file, pieces(), mode=0o600, uid=owner.st_uid, gid=owner.st_gid)
    return size, digest.hexdigest()


def _packed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    for piece in pieces:
        packed = packer.compress(piece)
        if packed:
            yield packed
    yield packer.flush()


def _unpacked(archive: str) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(_GZIP)
    try:
        with open(archive, "rb") as stream:
            for piece in atomic.chunks_of(stream, _CHUNK):
                yield unpacker.decompress(piece)
        yield unpacker.flush()
    except (OSError, zlib.error) as error:
        raise KopsError(f"the backup {archive} cannot be unpacked: {error}") from error
    if not unpacker.eof:
        raise KopsError(f"the backup {archive} is damaged: it is incomplete")
