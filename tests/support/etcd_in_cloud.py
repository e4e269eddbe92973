# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real etcd on instances of a cloud that is a directory: volumes that move, addresses that change, names in a file.

An instance is a directory with an address of loopback (127.0.1.1 and so on). Its etcd sees its file of hosts as
/etc/hosts, in a mount namespace of its own, as in a pod. Who needs root.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import fill
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import EtcdNamesSettings
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot import etcd_names
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot.etcd import Members
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot.member_disks import EtcdDisk
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.client import EtcdClient, EtcdError, tls
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.join import Joining
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.manifest import the_member
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.places import HOSTS, MEMBER
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.secrets_document import StoreSource
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import find_machine
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keysets import Keysets
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.support.etcd import CLUSTER, MANIFESTS, eventually, free_ports, programs
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.fake_host import FakeHost

STORE = f"s3://store/{CLUSTER}"
CONTROL = f"{STORE}/backups/etcd/main/control"
_PKI = "/etc/kubernetes/pki/etcd-main"
_MEMBER = "@@ETCD_MAIN_MEMBER@@"
_NAME = f"etcd-{_MEMBER}"
_HOST = f"{_NAME}.internal.{CLUSTER}"
_VOLUME = f"/mnt/disks/{CLUSTER}--main--{_MEMBER}"
# etcd's own hosts file for a process, in a mount namespace of its own.
_WITH_HOSTS = 'mount --bind "$1" /etc/hosts && shift && exec "$@"'


class Disk:
    """A volume. directory: what is on it."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.id, self.directory, self.is_formatted = directory.name, directory, False
        directory.mkdir(parents=True)


class Site:
    """The cloud. volumes: member -> its volume. holders: member -> its instance. files: the store, URL -> content."""

    def __init__(self, directory: pathlib.Path, members: Sequence[str]) -> None:
        self.programs, self.directory = programs(), directory
        self.peer_port, self.client_port = free_ports(2)
        stored = directory / "store"
        request = pki.CertificateRequest("ca", pki.Subject("etcd-ca"), private_key=pki.generate_elliptic_key())
        self.authority = Keysets(open_path(f"file://{stored}/pki")).create("etcd-clients-ca", request).signer()
        self.volumes: dict[str, Disk] = {}
        self.holders: dict[str, Instance] = {}
        self.instances: list[Instance] = []
        self.files = {f"{STORE}/{path.relative_to(stored)}": path.read_bytes() for path in stored.rglob("*.yaml")}
        for member in members:
            self.make_volume(member)

    def make_volume(self, member: str) -> Disk:
        """A fresh volume, in place of the one that the member had."""
        number = sum(1 for _each in self.directory.glob("vol-*"))
        self.volumes[member] = Disk(self.directory / f"vol-{number}")
        return self.volumes[member]

    def start(self, member: str) -> Instance:
        """A new instance, which takes the member's volume. It does not boot yet."""
        made = Instance(self, member, len(self.instances) + 1)
        self.instances.append(made)
        self.holders[member] = made
        return made

    def terminate(self, member: str) -> None:
        """End an instance; its volume is free."""
        self.holders.pop(member).power_off()

    def tell_names(self) -> None:
        """What the unit of each control plane, or etcd-manager, does every few seconds."""
        names = {"main": _HOST.replace(_MEMBER, MEMBER)}
        for each in self.holders.values():
            etcd_names.update(EtcdNamesSettings("test", CLUSTER, str(each.path(HOSTS)), names), each)

    def url(self, member: str, port: int) -> str:
        return f"https://{_HOST.replace(_MEMBER, member)}:{port}"

    def everybody(self, members: Sequence[str]) -> str:
        """The initial cluster."""
        return ",".join(f"etcd-{member}={self.url(member, self.peer_port)}" for member in members)

    def config(self) -> dict[str, Any]:
        """What a NodeConfig says of etcd."""
        options = {
            "name": _NAME,
            "data-dir": f"{_VOLUME}/data",
            "initial-cluster": "@@ETCD_MAIN_INITIAL_CLUSTER@@",
            "initial-cluster-state": "@@ETCD_MAIN_INITIAL_STATE@@",
            "initial-cluster-token": f"{CLUSTER}-main",
            "initial-advertise-peer-urls": f"https://{_HOST}:{self.peer_port}",
            "listen-peer-urls": f"https://@@INTERNAL_IP@@:{self.peer_port}",
            "advertise-client-urls": f"https://{_HOST}:{self.client_port}",
            "listen-client-urls": f"https://@@INTERNAL_IP@@:{self.client_port}",
            "heartbeat-interval": "50",
            "election-timeout": "500",
        }
        for option, kind, authority in (("", "server", "clients"), ("peer-", "peer", "peers")):
            options[f"{option}client-cert-auth"] = "true"
            options[f"{option}cert-file"] = f"{_PKI}/{kind}.crt"
            options[f"{option}key-file"] = f"{_PKI}/{kind}.key"
            options[f"{option}trusted-ca-file"] = f"{_PKI}/{authority}-ca.crt"
        arguments = "".join(f"    - --{name}={value}\n" for name, value in options.items())
        certificate = {
            "name": "etcd-main-server",
            "signer": "etcd-clients-ca",
            "type": "clientServer",
            "commonName": "etcd-main",
            "alternateNames": [_HOST, "localhost", "127.0.0.1", "@@INTERNAL_IP@@"],
            "path": f"{_PKI}/server.crt",
            "key": f"{_PKI}/server.key",
        }
        return {
            "cluster": CLUSTER,
            "instanceGroup": "control-plane",
            "facts": ["ETCD_MAIN_MEMBER"],
            "certificates": [certificate],
            "volumes": [{"name": "etcd-main", "device": "@@ETCD_MAIN_DEVICE@@", "mount": _VOLUME}],
            "staticPods": [{"name": "etcd-main", "content": f"  image: registry.example.com/etcd:3.6.11\n{arguments}"}],
        }

    def end(self) -> None:
        for each in self.instances:
            each.power_off()


class Instance:
    """An instance with the volume of a member; also what booting asks of a cloud (node/cloud/)."""

    def __init__(self, site: Site, member: str, number: int) -> None:
        self.site, self.member, self.number = site, member, number
        self.address = f"127.0.1.{number}"
        self.root = site.directory / f"i-{number}"
        self.host = FakeHost.make(self.root)
        self.device = f"/dev/xvd{member}"
        self.disk = site.volumes[member]
        self._process: subprocess.Popen[bytes] | None = None
        self._attach()
        self._issue()
        self.path(HOSTS).parent.mkdir(parents=True)
        self.path(HOSTS).touch()
        (self.root / MANIFESTS).mkdir(parents=True)

    def _attach(self) -> None:
        self.host.content(self.device).parent.mkdir()
        self.host.content(self.device).symlink_to(self.disk.directory)
        if self.disk.is_formatted:
            self.host._keep({**self.host.state, "filesystems": {self.device: "ext4"}})

    def _issue(self) -> None:
        self.path(_PKI).mkdir(parents=True)
        names = (_HOST.replace(_MEMBER, self.member), self.address, "127.0.0.1")
        for kind in ("server", "peer"):
            request = pki.CertificateRequest("clientServer", pki.Subject("etcd-main"), alternate_names=names)
            issued = pki.issue(request, self.site.authority)
            (self.path(_PKI) / f"{kind}.crt").write_text(issued.certificate)
            (self.path(_PKI) / f"{kind}.key").write_text(issued.private_key)
        for kind in ("clients", "peers"):
            (self.path(_PKI) / f"{kind}-ca.crt").write_text(self.site.authority.certificate)

    def path(self, path: str) -> pathlib.Path:
        return self.root / path.lstrip("/")

    # what booting asks of a cloud

    def facts(self) -> dict[str, str]:
        return {"NODE_NAME": f"i-{self.number}", "INTERNAL_IP": self.address}

    def read(self, url: str) -> bytes | None:
        return self.site.files.get(url)

    def write(self, url: str, content: bytes) -> None:
        self.site.files[url] = content

    def etcd_disks(self, cluster: str, group: str, etcds: Sequence[str], *, check: bool) -> dict[str, EtcdDisk]:
        assert (cluster, group, list(etcds)) == (CLUSTER, "control-plane", ["main"])
        return {"main": EtcdDisk(self.disk.id, self.device, self.member, tuple(sorted(self.site.volumes)))}

    def etcd_addresses(self, cluster: str) -> dict[tuple[str, str], str]:
        return {("main", member): each.address for member, each in self.site.holders.items()}

    def proof(self, body: bytes) -> str:
        raise KopsError("a control plane proves nothing")

    # what the node program does

    def members(self) -> Members:
        source = StoreSource(lambda path: self.read(f"{STORE}/{path}"))
        machine = find_machine(str(self.root), self.host)
        return Members(self, self, machine, self.site.config(), STORE, self.facts(), source)

    def boot(self) -> dict[str, str]:
        """Become the member that the volume names, up to the start of its etcd. Returns its facts."""
        facts = self.members().facts()
        self.disk.is_formatted = True
        place = self.path(_VOLUME.replace(_MEMBER, self.member))
        if not place.is_symlink():
            place.parent.mkdir(parents=True)
            place.symlink_to(self.disk.directory)
        (pod,) = self.site.config()["staticPods"]
        text = str(fill(pod["content"], {**self.facts(), **facts}))
        self.site.tell_names()
        if not self.is_running or text != self.manifest.read_text():
            self.power_off()
            self.manifest.write_text(text)
            self.power_on()
        return facts

    def end_boot(self, facts: Mapping[str, str], seconds: float = 60) -> None:
        """What the converger does while it waits, and what comes after it."""
        joining = Joining(str(self.root))

        def advance() -> bool:
            self.site.tell_names()
            joining.advance()
            return not joining.waiting

        eventually(advance, seconds)
        self.members().remember(facts)

    @property
    def manifest(self) -> pathlib.Path:
        return self.root / MANIFESTS / "etcd-main.manifest"

    # what a kubelet does

    def power_on(self) -> None:
        """Run what the manifest says."""
        options = the_member("main", str(self.root)).options
        self.run([f"--{name}={self._rooted(value)}" for name, value in options.items()])

    def run(self, arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        """Run etcd."""
        command = ["unshare", "--mount", "sh", "-c", _WITH_HOSTS, "etcd", str(self.path(HOSTS))]
        variables = {**os.environ, "ETCD_UNSUPPORTED_ARCH": "arm64", **(environment or {})}
        with (self.root / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, str(self.site.programs / "etcd"), *arguments], stdout=log, stderr=log, env=variables
            )

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def process(self) -> int:
        """The id of its etcd."""
        assert self._process is not None
        return self._process.pid

    def power_off(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        self._process = None

    def _rooted(self, value: str) -> str:
        return str(self.path(value)) if value.startswith("/") else value

    # what is asked of its etcd

    def client(self, **more: Any) -> EtcdClient:
        """Its own member, by its address."""
        context = tls(*(str(self.path(_PKI) / file) for file in _FILES.values()))
        return EtcdClient([f"https://{self.address}:{self.site.client_port}"], context, **more)

    def leader(self) -> str:
        """The leader, as its member reports it."""
        return self.client().status().leader

    def control(self, *arguments: str) -> str:
        """What etcdctl says. Raises EtcdError."""
        files = [f"--{name}={self.path(_PKI) / file}" for name, file in _FILES.items()]
        endpoint = f"--endpoints=https://{self.address}:{self.site.client_port}"
        command = [str(self.site.programs / "etcdctl"), endpoint, "--command-timeout=10s", *files, *arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            raise EtcdError(done.stderr)
        return done.stdout.strip()

    # what etcd-manager does

    def run_as_etcd_manager(self, token: str, members: Sequence[str], *, new: bool = False) -> None:
        """As etcd-manager lays out its disk and starts etcd (pkg/etcd/etcdprocess.go)."""
        self.disk.is_formatted = True
        pki_directory = self.disk.directory / "pki" / token
        for kind in ("peers", "clients"):
            (pki_directory / kind).mkdir(parents=True, exist_ok=True)
        nodes = {f"etcd-{member}": self.site.url(member, self.site.peer_port) for member in members}
        (self.disk.directory / "state").write_bytes(manager_state(token, nodes, "3.6.11"))
        self.site.tell_names()
        environment = {
            "ETCD_DATA_DIR": str(self.disk.directory / "data" / token),
            "ETCD_LISTEN_PEER_URLS": f"https://{self.address}:{self.site.peer_port}",
            "ETCD_LISTEN_CLIENT_URLS": f"https://{self.address}:{self.site.client_port}",
            "ETCD_ADVERTISE_CLIENT_URLS": self.site.url(self.member, self.site.client_port),
            "ETCD_INITIAL_ADVERTISE_PEER_URLS": self.site.url(self.member, self.site.peer_port),
            "ETCD_INITIAL_CLUSTER_STATE": "new" if new else "existing",
            "ETCD_NAME": f"etcd-{self.member}",
            "ETCD_INITIAL_CLUSTER_TOKEN": token,
            "ETCD_INITIAL_CLUSTER": self.site.everybody(members),
            "ETCD_STRICT_RECONFIG_CHECK": "true",
            "ETCD_HEARTBEAT_INTERVAL": "50",
            "ETCD_ELECTION_TIMEOUT": "500",
        }
        for prefix, kind, ca in (("ETCD_PEER_", "peer", "peers"), ("ETCD_", "server", "clients")):
            environment[f"{prefix}CLIENT_CERT_AUTH"] = "true"
            environment[f"{prefix}TRUSTED_CA_FILE"] = str(self.path(_PKI) / f"{ca}-ca.crt")
            environment[f"{prefix}CERT_FILE"] = str(self.path(_PKI) / f"{kind}.crt")
            environment[f"{prefix}KEY_FILE"] = str(self.path(_PKI) / f"{kind}.key")
        self.run([], environment)


_FILES = {"cacert": "clients-ca.crt", "cert": "server.crt", "key": "server.key"}


def manager_state(token: str, nodes: Mapping[str, str], version: str, *, quarantined: bool = False) -> bytes:
    """The file state: an EtcdState (pkg/apis/etcd/etcdapi.proto). nodes: name -> peer URL."""
    members = b"".join(
        _message(7, _text(1, name) + _text(2, url) + _text(3, url) + _text(4, url) + bytes([5 << 3, 1]))
        for name, url in nodes.items()
    )
    cluster = _message(2, _text(5, token) + members) if token else b""
    return cluster + _text(3, version) + (bytes([4 << 3, 1]) if quarantined else b"")


def _text(number: int, value: str) -> bytes:
    return _message(number, value.encode())


def _message(number: int, value: bytes) -> bytes:
    size, length = len(value), b""
    while size > 0x7F:
        length += bytes([size & 0x7F | 0x80])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + value


@contextlib.contextmanager
def site(directory: pathlib.Path, members: Sequence[str]) -> Iterator[Site]:
    """A site, ended afterwards. Skips where a process can have no file of hosts of its own."""
    if os.getuid() != 0 or not shutil.which("unshare"):
        pytest.skip("a file of hosts for each etcd needs root and unshare")
    made = Site(directory, members)
    try:
        yield made
    finally:
        made.end()


def formed(made: Site, members: Sequence[str]) -> list[Instance]:
    """Instances of ours that have formed an etcd cluster."""
    instances = [made.start(member) for member in members]
    booted = [each.boot() for each in instances]
    for each in instances:
        eventually(each.leader)
    for each, facts in zip(instances, booted):
        each.end_boot(facts)
    return instances


def what_is_on(disk: Disk) -> dict[str, str]:
    """Its files but etcd's, and where its links lead."""
    found = {}
    for path in sorted(disk.directory.rglob("*")):
        name = str(path.relative_to(disk.directory))
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif path.is_file() and "member/" not in name:
            found[name] = path.read_bytes().hex()
    return found


def remembered(made: Site, name: str) -> Any:
    """What a file beside the backups says."""
    return json.loads(made.files[f"{CONTROL}/{name}"])
