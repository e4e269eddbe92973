# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that pages show for bare metal, as they stand there, typed by a user who has the files of the pages.

The tests of this file go through the life of one cluster, in their order: tests/documented/on_hosts.py.
"""

from __future__ import annotations

import functools
import os
import pathlib
import re
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.documented import reader as documented
from ansible_collections.kubeops.kops.tests.documented.on_hosts import LIFE, typed
from ansible_collections.kubeops.kops.tests.documented.pages import blocks
from ansible_collections.kubeops.kops.tests.documented.shell import Command
from ansible_collections.kubeops.kops.tests.lab import (
    binaries,
    capabilities,
    cluster,
    etcd,
    hosts,
    network,
    pod_networks,
    running,
)
from ansible_collections.kubeops.kops.tests.lab.reading import ansible_settings, changes

pytestmark = pytest.mark.turn(4)

PAGE = "docs/bare-metal.md"
NAME = "metal.example.com"
# What pages call hosts -> the lab's hosts. Those that are workers for a while become control planes.
FIRST = "test1"
MACHINES = {"cp1": FIRST, "w1": "test2", "w2": "test3", "worker-3": "test4", "worker-4": "test5"}
CONTROL_PLANES = {"cp2": "test4", "cp3": "test5"}
USER = "admin"
kubectl = functools.partial(running.kubectl, host=FIRST)
# The words of pages for what has another name or address here.
WORDS = {
    "10.0.0.11": network.address(FIRST),
    "control-plane-1": "cp1",
    "demo.example.com": NAME,
    "1.34.4": binaries.KUBERNETES[binaries.NEWEST],
}
ARCHIVE = re.compile(r"\S+-\d{8}T\d{6}Z\.tar\.gz")


class Reader(documented.Reader):
    """One with hosts, an inventory and a manifest.

    parts: those that were read. said: what commands of the last one have printed.
    """

    def __init__(self, directory: pathlib.Path) -> None:
        super().__init__(directory, {**os.environ, **running.environment(), **_settings(directory)})
        self.parts: list[str] = []
        self.said: list[tuple[Command, str]] = []
        self.inventory: dict[str, Any] = yaml.safe_load(_shown("# hosts.yml"))
        assert self.inventory["all"]["vars"] == {"ansible_user": USER}
        for group in self.inventory["all"]["children"].values():
            for name, variables in group["hosts"].items():
                variables["ansible_host"] = network.address(MACHINES[name])
        self.manifests: list[dict[str, Any]] = list(yaml.safe_load_all(_shown("# cluster.yml")))
        # What Cilium needs on this machine, flannel does not mind.
        self.specify({"containerd": capabilities.containerd()})

    def specify(self, fields: dict[str, Any]) -> None:
        """Write fields of the cluster's specification into the manifest; a None takes one away."""
        self.manifests[0] = cluster.merged(self.manifests[0], {"spec": fields})
        self.write()

    def write(self) -> None:
        """Write both files as they are meant now."""
        inventory = yaml.safe_dump(self.inventory)
        (self.directory / "hosts.yml").write_text(inventory)
        (self.directory / "etc" / "kops" / "hosts.yml").write_text(inventory)
        documents = [cluster.fit(self.manifests[0], binaries.NEWEST), *self.manifests[1:]]
        (self.directory / "cluster.yml").write_text(yaml.safe_dump_all(documents, sort_keys=False))

    def add(self, group: str, name: str, machine: str) -> None:
        """Start a host and put it into the inventory."""
        hosts.start(machine)
        _admit(machine)
        children = self.inventory["all"]["children"]
        children.setdefault(group, {"hosts": {}})["hosts"][name] = {"ansible_host": network.address(machine)}
        self.write()

    def take_out(self, *names: str) -> None:
        """Take hosts out of the inventory."""
        for group in self.inventory["all"]["children"].values():
            for name in names:
                group["hosts"].pop(name, None)
        self.write()

    def here(self, text: str) -> str:
        for page, own in WORDS.items():
            text = text.replace(page, own)
        return ARCHIVE.sub(lambda _found: str(self.archives()[-1]), super().here(text))

    def archives(self) -> list[pathlib.Path]:
        """What dumps have written, the oldest first."""
        return sorted(self.directory.glob("*.tar.gz"))

    def read(self, part: str) -> None:
        """Type the commands of a part of the life."""
        self.parts.append(part)
        self.said = []
        for command in (command for chapter in LIFE[part] for command in typed(chapter)):
            self.type(command)

    def type(self, command: Command) -> None:
        started = time.monotonic()
        given = self.said[-1][1] if self.said and "--filename=-" in command.words else ""
        self.said.append((command, self.typed(command, given)))
        print(f"\n{command.where}: {time.monotonic() - started:.0f} s: {command}")

    def output_of(self, words: str) -> str:
        """What the last command with these words has printed."""
        return next(output for command, output in reversed(self.said) if words in str(command))

    def changed(self) -> dict[str, int]:
        """The commands of the last part that have changed something, or would, with how much."""
        counts = {str(command): changes(output) for command, output in self.said}
        return {words: count for words, count in counts.items() if count}


def _shown(beginning: str) -> str:
    (text,) = (block.text for block in blocks() if block.page == PAGE and block.text.startswith(beginning))
    return text


def _settings(directory: pathlib.Path) -> dict[str, str]:
    """The user's own: how hosts are reached, and where kubectl is."""
    programs = binaries.build(binaries.RECIPES[f"kubernetes-{binaries.NEWEST}"])
    settings = ansible_settings(directory)
    return {
        **settings,
        "ANSIBLE_HOST_KEY_CHECKING": "false",
        "ANSIBLE_PRIVATE_KEY_FILE": str(hosts.key_pair()),
        "ANSIBLE_SSH_COMMON_ARGS": "-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR",
        "PATH": os.pathsep.join([str(programs), settings["PATH"]]),
    }


def _admit(machine: str) -> None:
    """A host as pages expect it: with a user who may become root. Those that the tests have admitted know that user."""
    if not hosts.within(machine, "getent", "passwd", USER, check=False):
        hosts.add_user(machine, USER, "NOPASSWD: ALL")
        capabilities.do_without([machine])


@pytest.fixture(scope="module")
def reader(lab: Callable[[int], list[str]], prepared: None, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """One with three hosts."""
    for machine in lab(3):
        _admit(machine)
    return Reader(tmp_path_factory.mktemp("reader"))


def ready(*names: str) -> bool:
    return running.ready_nodes(FIRST) == sorted(names)


def test_a_cluster_is_created(reader: Reader) -> None:
    reader.read("create")
    assert ready("cp1", "w1", "w2")
    # Check mode has made nothing, so that all was left to be made; and there is no newer version to upgrade to.
    assert ["create_cluster" in words for words in reader.changed()] == [True, True]


def test_users_reach_its_api(reader: Reader) -> None:
    reader.read("reach")
    assert reader.changed() == {}
    assert re.findall(r"^(\S+) +Ready ", reader.output_of("kubectl"), re.MULTILINE) == ["cp1", "w1", "w2"]


def test_all_that_looks_at_it_finds_it_well(reader: Reader) -> None:
    reader.read("look")
    assert not {words for words in reader.changed() if "etcd_backup" not in words}
    assert f"{NAME}: no drift\n" in reader.output_of("drift")
    drilled = reader.output_of("etcd_drill")
    assert re.search(r"main: restored and served in .* objects up to revision", drilled)
    assert re.search(r"^ +nodes: 3$", drilled, re.MULTILINE)
    report = (reader.directory / f"{NAME}.html").read_text()
    assert [each for each in ("does not say how", "is not applied yet") if each in report] == []
    assert "w2" in reader.output_of("tar ")
    assert [*reader.directory.glob(".kops-dump*")] == []
    written = reader.directory.glob(f"srv/kops/{NAME}/backups/etcd/*/*/_etcd_backup.meta")
    assert len([*written]) == 2 * len([each for each in typed_words(reader) if "etcd_backup" in each])


def typed_words(reader: Reader) -> list[str]:
    return [str(command) for command, _output in reader.said]


@pytest.mark.long
def test_what_keeps_it_as_it_should_be_changes_nothing(reader: Reader) -> None:
    reader.read("keep")
    assert reader.changed() == {}


@pytest.mark.long
def test_a_backup_is_restored(reader: Reader) -> None:
    kubectl("create", "configmap", "too-late", "--from-literal=after=backup")
    reader.read("restore")
    assert kubectl("get", "configmap", "too-late", "--ignore-not-found") == ""
    reader.play("-i", "hosts.yml", "kubeops.kops.validate_cluster", "-e", "kops_validate_wait=300")


@pytest.mark.long
def test_secrets_are_written_again(reader: Reader) -> None:
    reader.use("KUBECONFIG=~/.kube/metal")
    kubectl("create", "secret", "generic", "mine")
    reader.read("write Secrets again")
    assert "secret/mine replaced" in reader.output_of("kubectl replace")


@pytest.mark.long
def test_hosts_come_and_go(reader: Reader) -> None:
    for name in ("worker-3", "worker-4"):
        reader.add("nodes", name, MACHINES[name])
    reader.read("add hosts")
    assert ready(*MACHINES)
    before = identity("worker-3")
    reader.read("clean a host")
    assert ready(*MACHINES)
    assert identity("worker-3") != before
    reader.read("remove hosts")
    reader.take_out("worker-3", "worker-4")
    assert ready("cp1", "w1", "w2")


def identity(node: str) -> str:
    return kubectl("get", "node", node, "--output=jsonpath={.metadata.uid}")


@pytest.mark.long
def test_all_keys_are_rotated(reader: Reader) -> None:
    before = authority()
    reader.read("rotate")
    assert authority() != before
    # The keys are new, so that none of those commands which name an age had to do anything.
    assert [words for words in reader.changed() if "kops.rotate " in words] == []
    assert ready("cp1", "w1", "w2")


def authority() -> str:
    return hosts.within(FIRST, "cat", "/srv/kubernetes/ca.crt")


@pytest.mark.long
def test_a_host_is_removed(reader: Reader) -> None:
    reader.read("remove a host")
    reader.take_out("w2")
    assert ready("cp1", "w1")


@pytest.mark.long
def test_the_network_is_changed(reader: Reader, with_addons: Callable[..., None]) -> None:
    with_addons("cilium")
    reader.specify(pod_networks.cilium())
    with hosts.switched_on(FIRST, "test2"):
        reader.read("change the network")
    assert ready("cp1", "w1")
    assert kubectl("get", "daemonset", "cilium", "--namespace=kube-system", "--output=name")


@pytest.mark.long
def test_three_control_planes(reader: Reader) -> None:
    for (name, machine), member in zip(CONTROL_PLANES.items(), "bc"):
        group = f"control-plane-{member}"
        reader.add(group.replace("-", "_"), name, machine)
        first, etcds = reader.manifests[1], reader.manifests[0]["spec"]["etcdClusters"]
        reader.manifests.append(cluster.merged(first, {"metadata": {"name": group}}))
        for each in etcds:
            each["etcdMembers"].append({"name": member, "instanceGroup": group})
    # A single worker could not be drained: its pods with a budget would have no other node.
    reader.add("nodes", "w2", MACHINES["w2"])
    # Every user, after a rotation.
    server = f"kops_api_server={network.address(FIRST)}"
    reader.play("kubeops.kops.kubeconfig", "-e", "kops_kubeconfig=.kube/metal", "-e", server)
    reader.use("KUBECONFIG=~/.kube/metal")
    reader.read("three control planes")
    assert ready("cp1", "cp2", "cp3", "w1", "w2")
    found = re.findall(r"^(\S+) +Ready ", reader.output_of("kubectl"), re.MULTILINE)
    assert found == ["cp1", "cp2", "cp3"]
    for name in ("main", "events"):
        assert sorted(etcd.members(name, "cp1", kubectl)) == ["a", "b", "c"]


@pytest.mark.long
def test_a_member_of_etcd_is_removed(reader: Reader) -> None:
    hosts.remove(CONTROL_PLANES["cp3"])
    reader.take_out("cp3")
    # The process that runs Ansible has been started elsewhere.
    reader.environment["ANSIBLE_INVENTORY"] = str(reader.directory / "hosts.yml")
    reader.read("remove a member")
    assert [output for _command, output in reader.said if "CHANGED" not in output] == []
    assert len(reader.said) == 2
    for name in ("main", "events"):
        assert sorted(etcd.members(name, "cp1", kubectl)) == ["a", "b"]
    # Otherwise the deletion of the cluster would ask where its host is.
    kubectl("delete", "node", "cp3")


def test_it_is_deleted(reader: Reader, request: pytest.FixtureRequest) -> None:
    reader.read("delete")
    assert not (reader.directory / "srv" / "kops" / NAME).exists()
    assert is_clean(machines(reader))
    whole = not any("::" in given for given in request.config.args)
    if whole and request.config.getoption("--all"):
        assert reader.parts == [*LIFE]


def machines(reader: Reader) -> list[str]:
    """The lab's names of the hosts in the inventory."""
    known = {**MACHINES, **CONTROL_PLANES}
    return [known[name] for group in reader.inventory["all"]["children"].values() for name in group["hosts"]]


def is_clean(names: Iterable[str]) -> bool:
    """Whether nothing of a node is left on these hosts."""
    left = [hosts.within(name, "sh", "-c", "ls -d /etc/kubernetes/manifests /var/lib/kops || true") for name in names]
    return not "".join(left)
