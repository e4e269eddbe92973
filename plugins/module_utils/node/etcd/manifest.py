# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The etcd members of this host, as the manifests of their static pods describe them."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...base.errors import KopsError
from ..system.machine import MANIFESTS
from .client import EtcdClient, tls
from .places import places

DISKS = "/mnt/disks"
# The manifests are moved here while a backup is restored (restore.py).
ASIDE = "/var/lib/kops/etcd-restore"
_ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 - possible values in a manifest
_NAME = re.compile(r"etcd-([a-z0-9-]+)\.manifest$")
_OPTION = re.compile(r"^\s*-\s+([\"']?)--([a-z0-9-]+)=(.*?)\1\s*$", re.MULTILINE)
_IMAGE = re.compile(r"^\s*(?:-\s+)?image:\s*[\"']?([^\s\"']+)", re.MULTILINE)


@dataclass(frozen=True)
class LocalMember:
    """A member of an etcd cluster ("main") on this host. options: etcd's arguments. manifest: path of its manifest."""

    etcd: str
    image: str
    options: dict[str, str]
    manifest: str

    @property
    def name(self) -> str:
        """Name of the member."""
        return self.options["name"]

    @property
    def cluster(self) -> str:
        """Name of the Kubernetes cluster; "" if the directory's name does not contain it."""
        return cluster_of(self.volume, self.etcd)

    @property
    def data(self) -> str:
        """The data directory."""
        return self.options["data-dir"]

    @property
    def volume(self) -> str:
        """The directory that is mounted into the container."""
        return os.path.dirname(self.data)

    @property
    def peer_urls(self) -> list[str]:
        """URLs for the other members."""
        return self.options["initial-advertise-peer-urls"].split(",")

    @property
    def client_port(self) -> int:
        """Port for clients."""
        return urlsplit(self.options["advertise-client-urls"].split(",")[0]).port or 2379

    def local_endpoint(self) -> str:
        """URL for clients on this host."""
        url = urlsplit(self.options.get("listen-client-urls", "").split(",")[0])
        host = url.hostname or ""
        return self._endpoint("127.0.0.1" if host in ("", *_ANYWHERE) else host)

    def endpoints(self) -> list[str]:
        """Its own client URL, and those of the initial members."""
        hosts = [urlsplit(url).hostname or "" for url in parse_initial_cluster(self.initial_cluster).values()]
        return [self.local_endpoint(), *(self._endpoint(host) for host in hosts)]

    def _endpoint(self, host: str) -> str:
        scheme = urlsplit(self.options["advertise-client-urls"]).scheme
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.client_port}"

    @property
    def initial_cluster(self) -> str:
        """Initial cluster: names and URLs of the members at its first start."""
        return self.options.get("initial-cluster", "")

    @property
    def initial_state(self) -> str:
        """Initial cluster state: "new" if it formed the cluster, "existing" if it joined one."""
        return self.options.get("initial-cluster-state", "")

    def client(self, root: str = "/", *, only_local: bool = False, timeout: float = 10) -> EtcdClient:
        """A client with the member's certificate. only_local: never ask another member. Raises EtcdError."""
        endpoints = [self.local_endpoint()] if only_local else self.endpoints()
        return EtcdClient(endpoints, self.tls(root), timeout, places(root))

    def tls(self, root: str = "/") -> ssl.SSLContext | None:
        """TLS context with the member's certificate; None without TLS. Raises EtcdError."""
        files = [in_root(root, self.options.get(name, "")) for name in ("trusted-ca-file", "cert-file", "key-file")]
        return tls(*files) if self.local_endpoint().startswith("https:") else None


def in_root(root: str, path: str) -> str:
    """The path in this process' view (tests have another root)."""
    return os.path.join(root, path.lstrip("/"))


def local_members(root: str = "/", directory: str = MANIFESTS) -> dict[str, LocalMember]:
    """The members whose manifests are in a directory, by etcd cluster."""
    found = {}
    for path in sorted(glob.glob(f"{glob.escape(in_root(root, directory))}/etcd-*.manifest")):
        name = _NAME.search(path)
        with contextlib.suppress(FileNotFoundError):
            if name:
                member = _read(path, name.group(1), f"{directory}/{os.path.basename(path)}")
                if member is not None:
                    found[member.etcd] = member
    return found


def the_member(etcd: str, root: str = "/") -> LocalMember:
    """The member of an etcd cluster on this host. Raises KopsError if there is none."""
    found = local_members(root)
    if etcd not in found:
        raise KopsError(
            f"this host has no member of etcd cluster {etcd} ({MANIFESTS}/etcd-{etcd}.manifest); "
            f"it has members of: {', '.join(found) or 'none'}"
        )
    return found[etcd]


def has_data(root: str, data: str) -> bool:
    """Whether the directory has data of a member. A member that never joined leaves a directory, but no log (WAL)."""
    return os.path.isdir(in_root(root, f"{data}/member/wal"))


def cluster_of(volume: str, etcd: str) -> str:
    """The Kubernetes cluster of a member's directory; "" if the name does not have our format."""
    return os.path.basename(volume).rpartition(f"--{etcd}--")[0]


def options_of(manifest: str) -> dict[str, str]:
    """The arguments of etcd in a manifest, by name."""
    return {match.group(2): match.group(3) for match in _OPTION.finditer(manifest)}


def image_of(manifest: str) -> str:
    """The image of a manifest; "" if it names none."""
    found = _IMAGE.search(manifest)
    return found.group(1) if found else ""


def parse_initial_cluster(text: str) -> dict[str, str]:
    """Name -> peer URL, from ``a=https://10.0.0.1:2380,b=https://10.0.0.2:2380``."""
    pairs = (each.partition("=") for each in text.split(",") if "=" in each)
    return {name.strip(): url.strip() for name, _equals, url in pairs}


def _read(path: str, etcd: str, place: str) -> LocalMember | None:
    """The member of a manifest; None if the manifest is not ours."""
    with open(path, encoding="utf-8", errors="replace") as stream:
        text = stream.read()
    return _member(etcd, image_of(text), options_of(text), place)


def _member(etcd: str, image: str, options: dict[str, str], place: str) -> LocalMember | None:
    needed = ("name", "data-dir", "initial-advertise-peer-urls", "advertise-client-urls")
    return LocalMember(etcd, image, options, place) if all(options.get(name) for name in needed) else None
