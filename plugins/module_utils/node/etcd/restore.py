# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restores a backup of etcd on one host that had a member, or should have one.

There are four phases. The caller must complete each of them on all hosts before the next one:

- prepare: unpack the backup into a new data directory of the member. Nothing is interrupted.
- stop: move the manifests of the control plane and of the members away, and wait until their pods have ended.
- swap: rename the old data (it stays, as ``data.before-<restore>``), move the new data into its place, start the
  members.
- start: wait until the members have a leader, then start the control plane. Of the old data of several restores, the
  last two are kept: if the first restore was interrupted, the second one's old data is the first one's incomplete data.

A run that is killed at any point is completed by a new run. All members of a restore share a new cluster token, so a
member that was left behind with old data cannot join them.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...base.errors import KopsError
from ...base.report import Step
from ..context import copy_as_it_is
from ..system import atomic
from ..system.host import CommandOutcome, Host, failed
from ..system.machine import MANIFESTS
from .client import EtcdError
from .manifest import ASIDE, LocalMember, has_data, in_root, local_members
from .snapshot import archive_of, unpack

PREPARED = "restoring"
TIMEOUT = 300.0
KEPT = 2
_READY = "ready.json"
_PAUSE = 0.2
_API_SERVER = "kube-apiserver"
# In the order of their start. The controller manager and the scheduler would only fail without an API server, and the
# kubelet delays restarts of failing pods.
_PODS = (_API_SERVER, "kube-controller-manager", "kube-scheduler")
_SECURE_PORT = re.compile(r"--secure-port=(\d+)")
# Clients have seen revisions that are not in the backup. These must never be used again for other content, and watches
# that start at one of them must fail. So the restored database continues at a much higher revision.
_BEYOND = ("--bump-revision=1000000000", "--mark-compacted")


class Restore:
    """A restore on this host. identity: its name, the same on all hosts ("20260508T120000Z"). check: only report."""

    def __init__(
        self,
        identity: str,
        etcds: Sequence[str],
        *,
        root: str = "/",
        host: Host | None = None,
        timeout: float = TIMEOUT,
        check: bool = False,
    ) -> None:
        if not re.fullmatch(r"[A-Za-z0-9-]+", identity):
            raise KopsError(f"{identity!r} is not a valid name of a restore; an example is 20260508T120000Z")
        self._identity = identity
        self._root = root
        self._host = host or Host()
        self._timeout = timeout
        self._check = check
        known = {**local_members(root, ASIDE), **local_members(root)}
        missing = [name for name in etcds if name not in known]
        if missing:
            raise KopsError(
                f"this host has no member of etcd cluster {', '.join(missing)}: there is no manifest in "
                f"{MANIFESTS}; make it a node first"
            )
        self._members = {name: known[name] for name in etcds}

    def prepare(self, directory: str, members: Sequence[Mapping[str, Any]]) -> list[Step]:
        """Create new data from the backups.

        directory: contains the backups, ``<etcd>.backup.gz``. members: of all hosts, as node_info returns them.
        """
        steps = []
        for etcd, member in self._members.items():
            initial_cluster = _initial_cluster(member, members)
            prepared = f"{member.volume}/{PREPARED}"
            steps.append(
                Step(f"etcd:{etcd}", True, None, f"data of member {member.name} of {initial_cluster} in {prepared}")
            )
            if not self._check:
                self._prepare(member, in_root(self._root, archive_of(directory, etcd)), initial_cluster)
        return steps

    def stop(self) -> list[Step]:
        """Stop the control plane and the members. Stops nothing unless all new data is prepared."""
        self._demand_prepared()
        names = [*_PODS, *(f"etcd-{etcd}" for etcd in self._members)]
        present = [name for name in names if os.path.exists(self._manifest(name))]
        if not self._check:
            for name in present:
                self._move(self._manifest(name), self._aside(name))
            self._wait_until(self._still_running, "pods still run, although their manifests were removed")
        return [Step(f"pod:{name}", True, "runs", "stopped") for name in present]

    def swap(self) -> list[Step]:
        """Move the prepared data into place, and start the members."""
        self._demand_prepared()
        running = "" if self._check else self._still_running()
        if running:
            raise KopsError(f"these members still run: {running}; stop them first")
        steps = []
        for etcd, member in self._members.items():
            kept = self._kept(member)
            old = kept if has_data(self._root, member.data) else ""
            steps.append(Step(f"etcd:{etcd}", True, f"kept in {old}" if old else None, "the backup's data"))
            if not self._check:
                self._swap(member, kept)
                self._back(f"etcd-{etcd}")
        return steps

    def start(self) -> list[Step]:
        """Wait for the members and start the control plane; then remove old data that is no longer kept."""
        present = [name for name in _PODS if any(map(os.path.exists, (self._aside(name), self._manifest(name))))]
        if not self._check:
            self._wait_until(self._not_serving, "etcd is not healthy")
            present = [name for name in present if self._back(name)]
            shutil.rmtree(in_root(self._root, ASIDE), ignore_errors=True)
        steps = [Step(f"pod:{name}", True, "stopped", "runs") for name in present]
        for etcd, member in self._members.items():
            if not self._check:
                shutil.rmtree(in_root(self._root, f"{member.volume}/{PREPARED}"), ignore_errors=True)
            for path in self._too_old(member):
                steps.append(Step(f"data:{etcd}", True, path, "removed"))
                if not self._check:
                    shutil.rmtree(in_root(self._root, path), ignore_errors=True)
        return steps

    def _kept(self, member: LocalMember) -> str:
        return f"{member.data}.before-{self._identity}"

    def _too_old(self, member: LocalMember) -> list[str]:
        """Old data of earlier restores, except the last two, oldest first. Names contain the time."""
        last, directory = self._kept(member), os.path.dirname(member.data)
        names = os.listdir(in_root(self._root, directory))
        found = {f"{directory}/{name}" for name in names if name.startswith(f"{os.path.basename(member.data)}.before-")}
        if self._check and has_data(self._root, member.data):
            found.add(last)
        return sorted(found, key=lambda path: (path == last, path))[:-KEPT]

    def _prepare(self, member: LocalMember, archive: str, initial_cluster: str) -> None:
        work = f"{member.volume}/{PREPARED}"
        directory = in_root(self._root, work)
        container = f"kops-etcd-restore-{member.etcd}"
        # A killed run may have left a container that still writes.
        self._host.run("ctr", "-n", "k8s.io", "tasks", "delete", "--force", container, timeout=60)
        self._host.run("ctr", "-n", "k8s.io", "containers", "delete", container, timeout=60)
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory, mode=0o700)
        unpack(archive, f"{directory}/snapshot.db")
        options = {
            "data-dir": f"{work}/data",
            "name": member.name,
            "initial-cluster": initial_cluster,
            "initial-cluster-token": self._token(member),
            "initial-advertise-peer-urls": ",".join(member.peer_urls),
        }
        command = ["etcdutl", "snapshot", "restore", f"{work}/snapshot.db"]
        for name, value in options.items():
            command += [f"--{name}", value]
        outcome = self._contained(member, container, *command, *_BEYOND)
        if outcome.code != 0 and "unknown flag" in outcome.output + outcome.errors:
            outcome = self._contained(member, container, *command)
        if outcome.code != 0:
            raise failed(("etcdutl", "snapshot", "restore"), outcome)
        atomic.remove(f"{directory}/snapshot.db")
        ready = json.dumps({"restore": self._identity})
        atomic.write(f"{directory}/{_READY}", [ready.encode()], mode=0o600, uid=os.getuid(), gid=os.getgid())

    def _token(self, member: LocalMember) -> str:
        return f"{member.options.get('initial-cluster-token', member.etcd)}-restored-{self._identity}"

    def _contained(self, member: LocalMember, name: str, *command: str) -> CommandOutcome:
        """Run a program of the member's image, with the member's directory mounted."""
        mount = f"type=bind,src={member.volume},dst={member.volume},options=rbind:rw"
        return self._host.run(
            *("ctr", "-n", "k8s.io", "run", "--rm", "--net-host", "--mount", mount, member.image, name, *command),
            timeout=3600,
        )

    def _demand_prepared(self) -> None:
        if self._check:
            return
        for etcd, member in self._members.items():
            try:
                with open(in_root(self._root, f"{member.volume}/{PREPARED}/{_READY}"), encoding="utf-8") as stream:
                    prepared = json.load(stream)["restore"] == self._identity
            except (OSError, ValueError, KeyError):
                prepared = False
            if not prepared:
                raise KopsError(f"the data of etcd cluster {etcd} is not prepared for this restore; restart it")

    def _swap(self, member: LocalMember, kept: str) -> None:
        data, kept, work = (in_root(self._root, each) for each in (member.data, kept, f"{member.volume}/{PREPARED}"))
        # Where a run was broken off, this goes on.
        with atomic.explained(data):
            if os.path.lexists(f"{work}/data"):
                if os.path.lexists(kept):
                    # What etcd has begun in between.
                    shutil.rmtree(data, ignore_errors=True)
                elif os.path.lexists(data):
                    os.rename(data, kept)
                os.rename(f"{work}/data", data)
            atomic.sync_directory(os.path.dirname(data))

    def _back(self, name: str) -> bool:
        """Move a manifest back to the kubelet's directory; False if it was not moved away. Waits for an API server."""
        if not os.path.exists(self._aside(name)):
            return False
        self._move(self._aside(name), self._manifest(name))
        if name == _API_SERVER:
            self._wait_until(self._api_server_away, "the API server does not start")
        return True

    def _move(self, source: str, target: str) -> None:
        # The directories may be on different filesystems. The file always exists in at least one of them.
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        copy_as_it_is(source, target)
        atomic.remove(source)

    def _manifest(self, name: str) -> str:
        return in_root(self._root, f"{MANIFESTS}/{name}.manifest")

    def _aside(self, name: str) -> str:
        return in_root(self._root, f"{ASIDE}/{name}.manifest")

    def _wait_until(self, reason: Callable[[], str], what: str) -> None:
        """Wait until reason() returns "". Raises KopsError at the deadline."""
        deadline = time.monotonic() + self._timeout
        while why := reason():
            if time.monotonic() >= deadline:
                raise KopsError(f"{what}: {why}, after {self._timeout:g} s; repair this and run again")
            time.sleep(_PAUSE)

    def _still_running(self) -> str:
        """What must stop and still runs."""
        running = [f"etcd-{etcd}" for etcd, member in self._members.items() if self._is_open(member.data)]
        port = self._api_server_port()
        return ", ".join([*running, *([_API_SERVER] if port and _listens(port) else [])])

    def _is_open(self, data: str) -> bool:
        """Whether etcd runs with this data: it holds a lock on its database."""
        try:
            descriptor = os.open(in_root(self._root, f"{data}/member/snap/db"), os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)

    def _not_serving(self) -> str:
        """Why the members of this host do not serve requests yet."""
        for member in self._members.values():
            client = member.client(self._root, only_local=True)
            try:
                client.catch_up()
            except EtcdError as error:
                return f"member {member.name} of etcd cluster {member.etcd} does not serve requests yet: {error}"
        return ""

    def _api_server_port(self) -> int:
        for path in (self._aside(_API_SERVER), self._manifest(_API_SERVER)):
            try:
                with open(path, encoding="utf-8") as stream:
                    found = _SECURE_PORT.search(stream.read())
            except OSError:
                continue
            if found:
                return int(found.group(1))
        return 0

    def _api_server_away(self) -> str:
        port = self._api_server_port()
        return "" if not port or _listens(port) else f"no process listens on port {port}"


def _initial_cluster(mine: LocalMember, members: Sequence[Mapping[str, Any]]) -> str:
    """The restored members. Raises KopsError for duplicate names, or if this host's member is missing."""
    found: dict[str, str] = {}
    for each in members:
        if (each["etcd"], each["cluster"]) != (mine.etcd, mine.cluster):
            continue
        urls = ",".join(f"{each['member']}={url}" for url in each["peer_urls"])
        if found.setdefault(each["member"], urls) != urls:
            raise KopsError(f"two hosts have member {each['member']} of etcd cluster {mine.etcd}")
    if mine.name not in found:
        raise KopsError(
            f"member {mine.name} of etcd cluster {mine.etcd} is not among the restored members "
            f"({', '.join(found) or 'none'}); give the members of all hosts"
        )
    return ",".join(found[name] for name in sorted(found))


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5):
            return True
    except OSError:
        return False
