# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real etcd on loopback: machines in directories, each with a member in a manifest and something that runs manifests.

Addresses are 127.0.0.2 and so on; all of them have the same ports, as hosts do.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api.manifest import dump_plain
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.client import EtcdClient, EtcdError
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.manifest import LocalMember, the_member
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import CommandOutcome, Host
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.tests.lab import cache

CLUSTER = "demo.example.com"
MANIFESTS = "etc/kubernetes/manifests"
IMAGE = "registry.example.com/etcd:v3"
_LISTEN = "import socket,sys,time; s=socket.create_server(('127.0.0.1', int(sys.argv[1]))); time.sleep(3600)"


def programs() -> pathlib.Path:
    """The directory with etcd, etcdctl and etcdutl: $KOPS_ETCD, the lab's cache, or where the PATH has etcd."""
    given = os.environ.get("KOPS_ETCD")
    found = [pathlib.Path(given)] if given else sorted((cache.directory() / "bin" / "etcd").glob("*"))
    on_path = shutil.which("etcd")
    for directory in [*found, *([pathlib.Path(on_path).parent] if on_path and not given else [])]:
        if (directory / "etcd").exists() and (directory / "etcdutl").exists():
            return directory
    pytest.skip("no etcd here: set KOPS_ETCD to the directory of etcd and etcdutl, or build the lab's (script/lab)")


def free_ports(count: int) -> list[int]:
    """Ports without a listener on any address."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("0.0.0.0", 0))) for _number in range(count)]
        return [each.getsockname()[1] for each in sockets]


def eventually(what: Callable[[], Any], seconds: float = 30) -> Any:
    """The first true answer; errors of etcd count as none."""
    deadline, last = time.monotonic() + seconds, None
    while time.monotonic() < deadline:
        try:
            if found := what():
                return found
        except (EtcdError, OSError) as error:
            last = error
        time.sleep(0.1)
    raise AssertionError(f"it did not come about: {last}")


class Machine:
    """A host in a directory. Its kubelet, a thread, runs what has a manifest."""

    def __init__(self, laboratory: Laboratory, number: int) -> None:
        self.laboratory = laboratory
        self.member = "abcdefg"[number]
        self.address = f"127.0.0.{number + 2}"
        self.root = laboratory.directory / self.member
        self.peer_url = f"https://{self.address}:{laboratory.peer_port}"
        self.endpoint = f"https://{self.address}:{laboratory.client_port}"
        self.volume = f"/mnt/disks/{CLUSTER}--main--{self.member}"
        (self.root / MANIFESTS).mkdir(parents=True)
        self._issue()
        self._processes: dict[str, tuple[bytes, subprocess.Popen[bytes]]] = {}
        self.containers: dict[str, subprocess.Popen[bytes]] = {}
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.power_on()

    def _issue(self) -> None:
        directory = self.path("/etc/kubernetes/pki/etcd-main")
        directory.mkdir(parents=True)
        for kind in ("server", "peer"):
            names = (self.address, "127.0.0.1", "localhost")
            request = pki.CertificateRequest("clientServer", pki.Subject("etcd-main"), alternate_names=names)
            issued = pki.issue(request, self.laboratory.authority)
            (directory / f"{kind}.crt").write_text(issued.certificate)
            (directory / f"{kind}.key").write_text(issued.private_key)
        for kind in ("clients", "peers"):
            (directory / f"{kind}-ca.crt").write_text(self.laboratory.authority.certificate)

    def path(self, path: str) -> pathlib.Path:
        return self.root / path.lstrip("/")

    @property
    def manifest(self) -> pathlib.Path:
        return self.root / MANIFESTS / "etcd-main.manifest"

    @property
    def data(self) -> pathlib.Path:
        return self.path(f"{self.volume}/data")

    def write_manifest(self, initial_cluster: str, state: str = "new") -> None:
        """What the converger does: the member's directory and its manifest."""
        self.path(self.volume).mkdir(parents=True, exist_ok=True, mode=0o700)
        pki_directory = "/etc/kubernetes/pki/etcd-main"
        options = {
            "name": self.member,
            "data-dir": f"{self.volume}/data",
            "initial-cluster": initial_cluster,
            "initial-cluster-state": state,
            "initial-cluster-token": f"{CLUSTER}-main",
            "initial-advertise-peer-urls": self.peer_url,
            "listen-peer-urls": self.peer_url,
            "advertise-client-urls": self.endpoint,
            "listen-client-urls": self.endpoint,
            "client-cert-auth": "true",
            "cert-file": f"{pki_directory}/server.crt",
            "key-file": f"{pki_directory}/server.key",
            "trusted-ca-file": f"{pki_directory}/clients-ca.crt",
            "peer-client-cert-auth": "true",
            "peer-cert-file": f"{pki_directory}/peer.crt",
            "peer-key-file": f"{pki_directory}/peer.key",
            "peer-trusted-ca-file": f"{pki_directory}/peers-ca.crt",
            "heartbeat-interval": "50",
            "election-timeout": "500",
        }
        container = {"name": "etcd", "image": IMAGE, "command": ["etcd"]}
        container["args"] = sorted(f"--{name}={value}" for name, value in options.items())
        self._place("etcd-main", container)

    def write_api_server(self, port: int) -> None:
        self._place("kube-apiserver", {"image": "x", "command": ["api"], "args": [f"--secure-port={port}"]})

    def _place(self, name: str, container: Mapping[str, Any]) -> None:
        path = self.root / MANIFESTS / f"{name}.manifest"
        temporary = path.with_name(f".{path.name}")
        temporary.write_text(dump_plain({"metadata": {"name": name}, "spec": {"containers": [dict(container)]}}))
        temporary.replace(path)

    def local(self) -> LocalMember:
        return the_member("main", str(self.root))

    def client(self, **more: Any) -> EtcdClient:
        return self.local().client(str(self.root), **more)

    def leader(self) -> str:
        """The leader, as its member reports it."""
        return self.client(only_local=True).status().leader

    def lose_everything(self) -> None:
        """A fresh host replaces it, with new certificates."""
        self.power_off()
        shutil.rmtree(self.root / "mnt", ignore_errors=True)
        self.manifest.unlink(missing_ok=True)
        self.power_on()

    # what a kubelet does

    def power_on(self) -> None:
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def power_off(self) -> None:
        """Everything ends at once."""
        self._stop.set()
        if self._thread:
            self._thread.join()
        for name in [*self.containers]:
            self.end_container(name)
        for _content, process in self._processes.values():
            process.send_signal(signal.SIGKILL)
            process.wait()
        self._processes.clear()

    def _run(self) -> None:
        while not self._stop.wait(0.05):
            wanted = {}
            for path in (self.root / MANIFESTS).glob("[!.]*.manifest"):
                with contextlib.suppress(FileNotFoundError):
                    wanted[path.name] = path.read_bytes()
            for name, (content, process) in list(self._processes.items()):
                if wanted.get(name) != content or process.poll() is not None:
                    process.terminate()
                    process.wait()
                    del self._processes[name]
            for name, content in wanted.items():
                if name not in self._processes:
                    self._processes[name] = (content, self._start(content))

    def _start(self, content: bytes) -> subprocess.Popen[bytes]:
        (container,) = yaml.safe_load(content)["spec"]["containers"]
        arguments = container["args"]
        if container["command"] == ["etcd"]:
            command = [str(self.laboratory.programs / "etcd"), *map(self._rooted, arguments)]
        else:
            command = [sys.executable, "-c", _LISTEN, arguments[0].partition("=")[2]]
        log = (self.root / "log").open("ab")
        environment = {**os.environ, "ETCD_UNSUPPORTED_ARCH": "arm64"}
        return subprocess.Popen(command, stdout=log, stderr=log, env=environment)

    def start_container(self, name: str, command: list[str]) -> None:
        """What ctr starts, and leaves alone."""
        log = (self.root / "log").open("ab")
        self.containers[name] = subprocess.Popen(command, stdout=log, stderr=log)

    def end_container(self, name: str) -> None:
        """It ends at once, if it is there."""
        process = self.containers.pop(name, None)
        if process is not None:
            process.kill()
            process.wait()

    def _rooted(self, argument: str) -> str:
        name, _equals, value = argument.partition("=")
        return f"{name}={self.path(value)}" if value.startswith("/") else argument

    @property
    def host(self) -> ContainerHost:
        return ContainerHost(self)


class ContainerHost(Host):
    """A host whose ctr runs the laboratory's programs instead of containers."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self.machine = machine
        self.commands: list[tuple[str, ...]] = []

    def run(self, *command: str, timeout: float = 900, environment: Mapping[str, str] | None = None) -> CommandOutcome:
        self.commands.append(command)
        if command[0] != "ctr":
            return super().run(*command, timeout=timeout, environment=environment)
        if command[3:5] == ("tasks", "delete"):
            self.machine.end_container(command[-1])
        if command[3] != "run":
            return CommandOutcome(0)
        image = command.index(IMAGE)
        container, program, *words = command[image + 1 :]
        rooted = [self._rooted(word) for word in words]
        started = [str(self.machine.laboratory.programs / program), *rooted]
        if "--detach" in command:
            self.machine.start_container(container, started)
            return CommandOutcome(0)
        return super().run(*started, timeout=timeout)

    def _rooted(self, word: str) -> str:
        return str(self.machine.path(word)) if word.startswith("/") else self.machine._rooted(word)


class Laboratory:
    """Machines with a common CA."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.programs = programs()
        self.directory = directory
        self.client_port, self.peer_port = free_ports(2)
        self.authority = pki.issue(pki.CertificateRequest("ca", pki.Subject("etcd-ca")))
        self.machines: list[Machine] = []

    def machine(self) -> Machine:
        """One more."""
        made = Machine(self, len(self.machines))
        self.machines.append(made)
        return made

    def form(self, count: int, prefix: str = "") -> list[Machine]:
        """Machines with a new cluster that has elected its leader. prefix: of the names of members."""
        made = [self.machine() for _number in range(count)]
        for each in made:
            each.member = prefix + each.member
        members = ",".join(f"{each.member}={each.peer_url}" for each in made)
        for each in made:
            each.write_manifest(members)
        for each in made:
            eventually(each.leader)
        return made

    def control(self, machine: Machine, *arguments: str, given: str | None = None) -> str:
        """What etcdctl says. given: its standard input, as a value."""
        directory = machine.path("/etc/kubernetes/pki/etcd-main")
        command = [str(self.programs / "etcdctl"), f"--endpoints={machine.endpoint}", "--command-timeout=10s"]
        command += [f"--cacert={directory / 'clients-ca.crt'}"]
        command += [f"--cert={directory / 'server.crt'}", f"--key={directory / 'server.key'}"]
        done = subprocess.run([*command, *arguments], check=True, capture_output=True, text=True, input=given)
        return done.stdout.strip()

    def end(self) -> None:
        for machine in self.machines:
            machine.power_off()


@contextlib.contextmanager
def laboratory(directory: pathlib.Path) -> Iterator[Laboratory]:
    """A laboratory, removed afterwards."""
    made = Laboratory(directory)
    try:
        yield made
    finally:
        made.end()
