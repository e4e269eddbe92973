# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A drill: a backup is restored beside the cluster, served by an etcd of its own, and its objects are counted.

Nothing of the cluster changes. The etcd of the drill listens on the loopback address alone, asks for the certificates
of the cluster's own etcd, and its data are on the root disk, since etcd's disk must not become full.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...base.errors import KopsError
from ..system import atomic
from ..system.host import CommandOutcome, Host, failed
from ..system.lock import held
from .client import EtcdClient, EtcdError
from .manifest import LocalMember, in_root
from .snapshot import archive_of, unpack

DIRECTORY = "/var/lib/kops/etcd-drill"
# Two at once would end each other's etcd.
LOCK = "/run/kops/etcd-drill.lock"
TIMEOUT = 120.0
_NAME = "drill"
_PAUSE = 0.2
# A snapshot, what is made of it, and its first log.
_ROOM = 3
# What the cluster's member says of certificates, the one of the drill says, too.
_CERTIFICATES = ("cert-file", "key-file", "trusted-ca-file", "client-cert-auth")
# Where an API server keeps objects, unless it is told otherwise.
_REGISTRY = "registry"
# Directories that have not the name of their resource, or are of two of them.
_CALLED = {"minions": "nodes", "controllers": "replicationcontrollers", "ingress": "ingresses"}
_DEEPER = {"services": {"specs": "services", "endpoints": "endpoints"}}
OTHER = "(other keys)"


@dataclass(frozen=True)
class Drilled:
    """What became of a backup. objects: resources -> how many are in it; now: in the cluster.

    size: bytes of the database. revision: the last one in the backup. seconds: from the file to a served request.
    """

    etcd: str
    etcd_version: str
    size: int
    revision: int
    seconds: float
    objects: Mapping[str, int]
    now: Mapping[str, int]


def drill(
    member: LocalMember, directory: str, *, root: str = "/", host: Host | None = None, timeout: float = TIMEOUT
) -> Drilled:
    """Restore the backup of a member's cluster that is in a directory, and count what is in it.

    What a drill that was killed has left is removed first. Raises KopsError if the backup is damaged, if there is no
    room, if no etcd serves it, and while another drill runs on this host.
    """
    place = _Place(member, root, host or Host())
    live = member.client(root, only_local=True)
    room, needed = atomic.free_space(in_root(root, DIRECTORY)), _ROOM * live.status().size
    if room < needed:
        raise KopsError(
            f"{DIRECTORY} has {room} bytes of room, and a drill of etcd cluster {member.etcd} needs {needed}"
        )
    started = time.monotonic()
    with held(in_root(root, LOCK), wait=0, what=f"drilling with etcd cluster {member.etcd}"), place:
        size = unpack(in_root(root, archive_of(directory, member.etcd)), place.file("snapshot.db"))
        served = place.serve(timeout)
        seconds = time.monotonic() - started
        status = served.status()
        return Drilled(
            etcd=member.etcd,
            etcd_version=status.version,
            size=size,
            revision=status.revision,
            seconds=round(seconds, 1),
            objects=_counted(served),
            now=_counted(live),
        )


class _Place:
    """Where a drill is. It is empty before and after it."""

    def __init__(self, member: LocalMember, root: str, host: Host) -> None:
        self._member, self._root, self._host = member, root, host
        self._path = f"{DIRECTORY}/{member.etcd}"
        self._container = f"kops-etcd-drill-{member.etcd}"

    def __enter__(self) -> None:
        self._clear()
        os.makedirs(in_root(self._root, self._path), mode=0o700)

    def __exit__(self, *_error: object) -> None:
        self._clear()

    def file(self, name: str) -> str:
        """A file of it, as this process sees it."""
        return in_root(self._root, f"{self._path}/{name}")

    def serve(self, timeout: float) -> EtcdClient:
        """Make data of the snapshot, and let an etcd serve them."""
        port, peer_port = _free_ports(2)
        peer, data = f"https://127.0.0.1:{peer_port}", f"{self._path}/data"
        ours = [f"--data-dir={data}", f"--name={_NAME}"]
        first = [f"--initial-cluster={_NAME}={peer}", f"--initial-advertise-peer-urls={peer}"]
        restored = self._run("etcdutl", "snapshot", "restore", f"{self._path}/snapshot.db", *ours, *first)
        if restored.code != 0:
            raise failed(("etcdutl", "snapshot", "restore"), restored)
        atomic.remove(self.file("snapshot.db"))
        names = [*_CERTIFICATES, *(f"peer-{each}" for each in _CERTIFICATES)]
        options = self._member.options
        certificates = [f"--{name}={options[name]}" for name in names if name in options]
        url = f"{urlsplit(self._member.local_endpoint()).scheme}://127.0.0.1:{port}"
        urls = [f"--listen-client-urls={url}", f"--advertise-client-urls={url}", f"--listen-peer-urls={peer}"]
        # What is written here is thrown away.
        begun = self._run("etcd", *ours, *first, *urls, *certificates, "--unsafe-no-fsync", detached=True)
        if begun.code != 0:
            raise failed(("etcd",), begun)
        return self._answering(EtcdClient([url], self._member.tls(self._root)), timeout)

    def _answering(self, client: EtcdClient, timeout: float) -> EtcdClient:
        deadline = time.monotonic() + timeout
        while True:
            try:
                client.catch_up()
            except EtcdError as error:
                if time.monotonic() >= deadline:
                    raise KopsError(
                        f"the backup of etcd cluster {self._member.etcd} was restored, and no etcd serves it after"
                        f" {timeout:g} s: {error}"
                    ) from error
                time.sleep(_PAUSE)
            else:
                return client

    def _run(self, *command: str, detached: bool = False) -> CommandOutcome:
        """Run a program of the member's image. detached: it goes on."""
        certificates = os.path.dirname(self._member.options.get("cert-file", ""))
        mounts = [f"type=bind,src={self._path},dst={self._path},options=rbind:rw"]
        mounts += [f"type=bind,src={certificates},dst={certificates},options=rbind:ro"] if certificates else []
        options = [word for mount in mounts for word in ("--mount", mount)]
        way = "--detach" if detached else "--rm"
        return self._host.run(
            *("ctr", "-n", "k8s.io", "run", way, "--net-host", *options, self._member.image, self._container, *command),
            timeout=3600,
        )

    def _clear(self) -> None:
        self._host.run("ctr", "-n", "k8s.io", "tasks", "delete", "--force", self._container, timeout=60)
        self._host.run("ctr", "-n", "k8s.io", "containers", "delete", self._container, timeout=60)
        shutil.rmtree(in_root(self._root, self._path), ignore_errors=True)
        with contextlib.suppress(OSError):  # It is not there, or has what is of another etcd cluster.
            os.rmdir(in_root(self._root, DIRECTORY))


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        made = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _number in range(count)]
        return [each.getsockname()[1] for each in made]


def _counted(client: EtcdClient) -> dict[str, int]:
    return dict(sorted(Counter(map(_resource, client.keys())).items()))


def _resource(key: bytes) -> str:
    """The resource of an object, by its key as API servers write it: "pods", "example.com/widgets"."""
    parts = key.decode("utf-8", "replace").split("/")
    if len(parts) < 4 or parts[:2] != ["", _REGISTRY]:
        return OTHER
    first, second = parts[2:4]
    if first in _DEEPER:
        return _DEEPER[first].get(second, first)
    # A group of custom resources has a name with periods; then comes their own.
    return f"{first}/{second}" if "." in first and len(parts) > 4 else _CALLED.get(first, first)


def lines_of(drilled: Drilled) -> Iterator[str]:
    """The report on a backup, for people. What the cluster has now stands beside it where it differs."""
    total, now = sum(drilled.objects.values()), sum(drilled.now.values())
    yield (
        f"{drilled.etcd}: restored and served in {drilled.seconds} s by etcd {drilled.etcd_version}:"
        f" {total} objects up to revision {drilled.revision} in {drilled.size} bytes; the cluster has {now} now"
    )
    for name in sorted({*drilled.objects, *drilled.now}):
        there, here = drilled.objects.get(name, 0), drilled.now.get(name, 0)
        yield f"  {name}: {there}" + (f", now {here}" if here != there else "")
