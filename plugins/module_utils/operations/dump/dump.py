# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The dump of a cluster: state and logs of every node and of the cluster in one archive without secrets.

As toolbox dump of kops. Whatever cannot be asked is named in the index with the reason, and keeps nothing else away.
Only if the state store cannot be read there is no dump, since it would not be known which secrets it must not hold.
"""

from __future__ import annotations

import datetime
import os
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, Any

from ...api import manifest
from ...api.clouds import cloud_of
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...base.errors import KopsError
from ...cloud.instances import CloudInstance
from ...dump.archive import Archive, file_name
from ...dump.cluster import ClusterDump, ClusterLimits
from ...dump.host import directory_of
from ...dump.known import Known
from ...dump.redaction import Redaction
from ...dump.search import leaks
from ...kubernetes.client import KubernetesClient
from ...kubernetes.connection import RetryPolicy
from ...statestore.store import ClusterStore
from ..clouds import open_cloud
from ..progress import Progress, silent
from ..status.instances import BOTH, InstancesOptions, api_client
from .hosts import HostArchive
from .secrets import secrets_of
from .summary import summary

_REQUESTS = RetryPolicy(deadline=5, timeout=15)
_CONSOLES_AT_ONCE = 4
_MEBIBYTE = 1 << 20
# What a run writes until it is finished; the playbook names a directory like this, too.
_UNFINISHED = ".kops-dump-"
_ABANDONED_SECONDS = 86400


@dataclass(frozen=True)
class DumpOptions:
    """Options of a dump. directory: where the archive is written. hosts: what node_dump has fetched.

    nodes: names of nodes whose logs are taken; all if empty, but no more than max_nodes. log_bytes: of the end of each.
    node_seconds: for each node. objects: whether the API's are taken; namespaces: only of these. cloud: whether
    the cloud is asked.
    """

    state_store: str
    name: str
    directory: str
    hosts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    nodes: Sequence[str] = ()
    max_nodes: int = 500
    log_bytes: int = 5 * _MEBIBYTE
    node_seconds: float = 120
    objects: bool = True
    namespaces: Sequence[str] = ()
    cloud: bool = True
    api_server: str = ""


@dataclass(frozen=True)
class DumpResult:
    """path: of the archive; in check mode the one that would be written, and index says what would be collected."""

    path: str
    size: int
    index: Mapping[str, Any]
    text: str


def dump(options: DumpOptions, progress: Progress = silent, *, check: bool = False) -> DumpResult:
    """Collect everything. Raises KopsError, and leaves no archive then."""
    if not os.path.isdir(options.directory):
        raise KopsError(f"{options.directory} is no directory; make it first")
    store = ClusterStore.open(options.state_store, options.name)
    cluster, groups = store.read()
    known = Known(secrets_of(store, cluster))
    now = datetime.datetime.now(datetime.timezone.utc)
    name = f"{options.name}-{now.strftime('%Y%m%dT%H%M%SZ')}"
    path = os.path.join(options.directory, f"{name}.tar.gz")
    work = _Work(options, store, cluster, groups, known, progress)
    if check:
        return work.planned(path)
    _remove_leftovers(options.directory)
    with _written(path) as stream:
        archive = Archive(stream, Redaction(known), top=name)
        work.collect(archive)
        index = work.index(archive, now)
        text = summary(index)
        archive.close(index, text)
        progress(f"the archive is searched for {known.count} secrets")
        stream.seek(0)
        found = sorted(set(leaks(stream, known)))
        if found:
            # The index says what; never the value.
            lines = [f"- {where}: {what}" for where, what in found]
            raise KopsError("\n".join(["the archive was deleted, because secrets were still in it:", *lines]))
        size = stream.seek(0, os.SEEK_END)
    return DumpResult(path, size, index, text)


def _remove_leftovers(directory: str) -> None:
    """Remove what runs have left that were killed. A run takes less than a day."""
    for entry in os.scandir(directory):
        if entry.name.startswith(_UNFINISHED) and time.time() - entry.stat().st_mtime > _ABANDONED_SECONDS:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                os.unlink(entry.path)


@contextmanager
def _written(path: str) -> Iterator[IO[bytes]]:
    """A file that only its owner can read, and that is there only if the block has ended well."""
    try:
        descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=_UNFINISHED)
        with os.fdopen(descriptor, "w+b") as stream:
            try:
                yield stream
                stream.flush()
                os.replace(temporary, path)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary)
                raise
    except OSError as error:
        raise KopsError(f"{path} cannot be written: {error.strerror or error}") from error


@dataclass
class _Work:
    """One dump. nodes: what became of each, by name and way (ssh, api, console)."""

    options: DumpOptions
    store: ClusterStore
    cluster: Cluster
    groups: Sequence[InstanceGroup]
    known: Known
    progress: Progress
    nodes: list[dict[str, Any]] = field(default_factory=list)
    api: str = ""

    # -- what would be collected ----------------------------------------------------------------------------------

    def planned(self, path: str) -> DumpResult:
        """Plan of a dump: what it would read of hosts, the cloud and the API. Nothing is written."""
        lines = [f"{path} would have:", "- the specification, and names of files in the state store"]
        for name, host in sorted(self.options.hosts.items()):
            why = str(host.get("why") or "")
            lines.append(f"- host {name}: " + (why or "journals, logs, network and limits, over its connection"))
        machines = self._machines(None)
        if self.options.cloud and machines is not None:
            lines.append(f"- the cloud's objects, activities and health; consoles of {len(machines)} instances")
        if not self._hosts_asked_api():
            try:
                self._client().close()
                what = "objects and events, " if self.options.objects else ""
                lines.append(f"- from the Kubernetes API: {what}logs of pods and nodes")
            except KopsError as error:
                lines.append(f"- nothing from the Kubernetes API: {' '.join(str(error).split())}")
        lines.append(f"{self.known.count} secrets of the state store would be searched for and removed")
        return DumpResult(path, 0, {"would": lines}, "\n".join(lines) + "\n")

    # -- everything -----------------------------------------------------------------------------------------------

    def collect(self, archive: Archive) -> None:
        """Store, hosts, API and cloud; what fails is noted."""
        self.progress("state store")
        self._store(archive)
        for name, host in sorted(self.options.hosts.items()):
            self.progress(f"host {name}")
            self._host(archive, name, host)
        client = None if self._hosts_asked_api() else self._reached(archive)
        if client is not None:
            self.progress("Kubernetes API")
            self._api(archive, client)
        if self.options.cloud and cloud_of(self.cluster).has_instances:
            self.progress("cloud")
            self._cloud(archive)

    def _store(self, archive: Archive) -> None:
        """The specification, and which files there are. Nothing below pki/ and secrets/ is copied."""
        archive.text("store/cluster.yaml", manifest.dump(self.cluster))
        completed = self.store.completed()
        if completed is not None:
            archive.text("store/cluster-completed.yaml", manifest.dump(completed))
        for group in self.groups:
            archive.text(f"store/instancegroups/{file_name(str(group.metadata.name))}.yaml", manifest.dump(group))
        archive.json("store/files.json", sorted(file.name for file in self.store.files()))

    def _host(self, archive: Archive, name: str, host: Mapping[str, Any]) -> None:
        why, path = str(host.get("why") or ""), str(host.get("archive") or "")
        entry = {"name": name, "instance_group": host.get("instance_group") or "", "way": "ssh", "files": 0, "why": why}
        if path:
            try:
                found = HostArchive(path, name).copy(archive)
                entry["files"] = found.files
                self.nodes += found.asked
            except (OSError, EOFError, tarfile.TarError, KopsError) as error:
                entry["why"] = f"what the host has sent cannot be read: {error}"
        if entry["why"]:
            archive.miss(directory_of(name), entry["why"])
        self.nodes.append(entry)

    def _hosts_asked_api(self) -> bool:
        return any(host.get("asked_api") for host in self.options.hosts.values())

    def _client(self) -> KubernetesClient:
        asked = InstancesOptions(
            self.options.state_store, self.options.name, source=BOTH, api_server=self.options.api_server
        )
        return api_client(self.store, self.cluster, asked, _REQUESTS)

    def _reached(self, archive: Archive) -> KubernetesClient | None:
        try:
            return self._client()
        except KopsError as error:
            self.api = " ".join(str(error).split())
            archive.miss("cluster", self.api)
            return None

    def _api(self, archive: Archive, client: KubernetesClient) -> None:
        limits = ClusterLimits(
            self.options.log_bytes,
            self.options.node_seconds,
            self.options.namespaces,
            self.options.nodes,
            self.options.max_nodes,
            self.options.objects,
        )
        asked = ClusterDump(archive, client, limits)
        try:
            asked.collect()
        except KopsError as error:
            self.api = str(error)
            archive.miss("cluster", error)
        self.nodes += [node.plain() for node in asked.nodes]

    # -- the cloud ------------------------------------------------------------------------------------------------

    def _machines(self, archive: Archive | None) -> list[tuple[str, CloudInstance]] | None:
        """Instance group and instance; None if there is no cloud, or it does not answer."""
        if not cloud_of(self.cluster).has_instances:
            return None
        try:
            provider, cloud = open_cloud(self.cluster)
            return [(group, each) for group, members in provider.looking.machines(cloud).items() for each in members]
        except Exception as error:
            if archive is not None:
                archive.miss("cloud", _explained(self.cluster, error))
            return None

    def _cloud(self, archive: Archive) -> None:
        machines = self._machines(archive)
        try:
            provider, cloud = open_cloud(self.cluster)
            parts = provider.looking.described(cloud)
        except Exception as error:
            archive.miss("cloud", _explained(self.cluster, error))
            return
        for name, read in parts.items():
            try:
                archive.json(f"cloud/{name}.json", read())
            except Exception as error:
                archive.miss(f"cloud/{name}.json", _explained(self.cluster, error))

        def console(found: tuple[str, CloudInstance]) -> None:
            group, machine = found
            entry = {"name": machine.name, "instance_group": group, "way": "console", "files": 0, "why": ""}
            try:
                said = provider.looking.console(cloud, machine.name)
                if said:
                    archive.text(f"{directory_of(machine.name)}/console.log", said)
                    entry["files"] = 1
                else:
                    entry["why"] = "the cloud has no console output of it"
            except Exception as error:
                entry["why"] = f"its console: {_explained(self.cluster, error)}"
            if machine.power not in ("running", ""):
                entry["why"] = "; ".join(filter(None, (f"it is {machine.power}", str(entry["why"]))))
            self.nodes.append(entry)

        with ThreadPoolExecutor(_CONSOLES_AT_ONCE) as pool:
            list(pool.map(console, self._with_consoles(machines or [])))
        self._not_nodes(archive, machines or [])

    def _with_consoles(self, machines: Sequence[tuple[str, CloudInstance]]) -> list[tuple[str, CloudInstance]]:
        """The instances whose consoles are read: control planes, and instances that gave nothing else."""
        roles = {str(group.metadata.name): group.spec.role for group in self.groups}
        told = {node["name"] for node in self.nodes if node["files"] and not node["why"]}
        wanted = [
            (group, machine)
            for group, machine in machines
            if (not self.options.nodes or {machine.name, machine.by_address} & {*self.options.nodes})
            and (roles.get(group) == "ControlPlane" or not {machine.name, machine.by_address} & told)
        ]
        wanted.sort(key=lambda found: (roles.get(found[0]) != "ControlPlane", found[1].name))
        return wanted[: self.options.max_nodes]

    def _not_nodes(self, archive: Archive, machines: Sequence[tuple[str, CloudInstance]]) -> None:
        """Instances that the API does not know as nodes."""
        nodes = {node["name"] for node in self.nodes if node["way"] == "api"}
        if not nodes:
            return
        roles = {str(group.metadata.name): group.spec.role for group in self.groups}
        for group, machine in machines:
            if roles.get(group) != "Bastion" and not {machine.name, machine.by_address} & nodes:
                archive.miss(directory_of(machine.name), "the instance is no node")

    # -- the index ------------------------------------------------------------------------------------------------

    def index(self, archive: Archive, now: datetime.datetime) -> dict[str, Any]:
        """Index of the archive: its files, what is missing and why, and counts of removed secrets, but no values."""
        return {
            "cluster": self.options.name,
            "time": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "kubernetes_version": str(self.cluster.spec.kubernetes_version or ""),
            "cloud": cloud_of(self.cluster).name,
            "nodes": sorted(self.nodes, key=lambda node: (node["name"], node["way"])),
            "missing": sorted(archive.missing, key=lambda each: each["what"]),
            "removed": dict(sorted(archive.removed.items())),
            "searched": {"secrets": self.known.count, "too_short": self.known.too_short},
            "files": dict(sorted(archive.files.items())),
        }


def _explained(cluster: Cluster, error: Exception) -> str:
    if isinstance(error, KopsError):
        return str(error)
    from ..clouds import provider_of

    return str(provider_of(cluster).explain(error))
