# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which test types which command of the documentation, and why no test types the others.

Each command has one fate: the reader types it (tests/integration/test_documented_commands.py), another test that has
what it needs does, or none, for a reason. Words that a test types anywhere need not be typed again.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from ansible_collections.kubeops.kops.tests.documented import on_hosts
from ansible_collections.kubeops.kops.tests.documented.proofs import FOREIGN, extra_variables, parsed, playbook_of
from ansible_collections.kubeops.kops.tests.documented.shell import Command, commands


@dataclass(frozen=True)
class Fate:
    """What becomes of a command. test: the file that types it, "" if none does. why: it is that test, or none."""

    test: str
    why: str

    @property
    def is_typed(self) -> bool:
        return bool(self.test)


READER = Fate("tests/integration/test_documented_commands.py", "an account and an API server on loopback answer it")
# Tests that take their commands by taken_by().
AWX = Fate("tests/integration/test_awx.py", "it loads AWX")
CLOUDFORMATION = Fate("tests/integration/test_cloudformation.py", "its cluster is to be made by a stack")
CLUSTER_API = Fate("tests/integration/test_cluster_api.py", "it reads the files that are written")
ETCD = Fate("tests/integration/test_etcd_on_schedule.py", "it restores a real etcd")
DIGITALOCEAN = Fate("tests/integration/test_digitalocean.py", "an account of DigitalOcean on loopback answers it")
GALAXY = Fate("tests/gates/test_tarball.py", "it asks a Galaxy, which is on loopback there")
GOOGLE = Fate("tests/integration/test_gce_documented.py", "a project of Google Cloud on loopback answers it")
HETZNER = Fate("tests/integration/test_hetzner.py", "a project of Hetzner Cloud on loopback answers it")
MIRROR = Fate("tests/integration/test_mirror.py", "it copies images and files, which are small there")
OPENSTACK = Fate("tests/integration/test_openstack_cluster.py", "OpenStack's own services answer it")
ROTATION = Fate("tests/integration/test_rotation.py", "the keys of its cluster are old")
TERRAFORM = Fate("tests/integration/test_terraform.py", "it runs Terraform, where that is installed")
UPGRADE = Fate("tests/integration/test_upgrade.py", "the nodes of its cluster are of an older version")
VSPHERE = Fate("tests/integration/test_vsphere.py", "a vCenter on loopback answers it")
# Tests that type all commands of a program.
DOCUMENTS = Fate("tests/gates/test_documented_commands.py", "it shows pages of plugins")
# Tests that type what on_hosts.py lists.
HOSTS = Fate("tests/lab/test_documented_commands.py", "a cluster on hosts answers it")
LAB = Fate("tests/lab/test_documented_lab.py", "it makes the lab's hosts, and uses them by hand")
# Pages whose clusters are in other clouds, or made by another program.
_OF_CLOUDS = {
    "docs/cloudformation.md": CLOUDFORMATION,
    "docs/digitalocean.md": DIGITALOCEAN,
    "docs/hetzner.md": HETZNER,
    "docs/openstack.md": OPENSTACK,
    "docs/start-gce.md": GOOGLE,
    "docs/vsphere.md": VSPHERE,
}
_OF_ANOTHER_CLUSTER = frozenset({"kops_cloud", "kops_target"})
# Nobody types these.
_INSTANCES = Fate("", "it connects to instances of a cloud by SSH: tests/lab/cloud")
_AS_ON_AWS = Fate("", "the same words are typed on AWS")
_NAMED = Fate("", "a sentence only names it")
_OTHER_COLLECTION = Fate("", "it downloads another project's collection; tests have that one from requirements/")
_LAB_MANIFEST = Fate("", "the lab prints its manifest: tests/lab")
_OTHER_SHELL = Fate("", "it is for commands of its page that the reader does not type")

# Playbooks that need more than an account and a cluster, by the tests that have it.
_PLAYBOOKS = {
    "assets_bundle": MIRROR,
    "assets_copy": MIRROR,
    "assets_load": MIRROR,
    "awx": AWX,
    "cluster_api_export": CLUSTER_API,
    "etcd_restore": ETCD,
    "reconcile": UPGRADE,
    "rotate": ROTATION,
    "upgrade_cluster": UPGRADE,
}
# What the reader does by itself.
_EXPORT = "export"
# Programs other than ansible-playbook and ansible-galaxy.
_PROGRAMS = {
    **{program: Fate("", f"{program}: {why}") for program, why in FOREIGN.items()},
    "ansible": _INSTANCES,
    "ansible-doc": DOCUMENTS,
    "ansible-inventory": READER,
    _EXPORT: READER,
    "kops": Fate("", "it is a word of another tool: the gate compares it with kops' verbs"),
    "tar": READER,
    "terraform": TERRAFORM,
    "script/demo": Fate("", "script/demo: it does for a minute what the reader types, in an account of its own"),
    "script/lab": Fate("", "script/lab: it makes hosts, and looks at them: tests/lab"),
    "script/test": Fate("", "script/test: it runs all tests"),
}
# Sentences name what these show.
_NAMED_AND_TYPED = ("ansible-doc", "kops")
# The inventory that pages make of instances.
_INVENTORIES_OF_CLOUDS = {"kops.yml"}
# Playbooks that change nothing, apart from files that they are told to write.
_LOOKS = ("drift", "kubeconfig", "validate_cluster")
_LOOKS_PREFIX = "get"


def fate_of(command: Command) -> Fate:
    """What becomes of a command: its own fate, or that of another command with the same words."""
    return _fates()[command]


@functools.cache
def _fates() -> dict[Command, Fate]:
    own = {command: _own_fate(command) for command in commands()}
    read = {command.page for command, fate in own.items() if fate is READER and command.program != _EXPORT}
    for command in own:
        if command.program == _EXPORT and command.page not in read:
            own[command] = _OTHER_SHELL
    typed = {words_of(command): fate for command, fate in reversed(own.items()) if fate.is_typed}
    return {command: fate if fate.is_typed else typed.get(words_of(command), fate) for command, fate in own.items()}


def words_of(command: Command) -> tuple[str, ...]:
    """The words of a command, wherever its program is."""
    return (command.program, *command.words[1:])


def _own_fate(command: Command) -> Fate:
    found = _fate_without_hosts(command)
    if found.is_typed:
        return found
    if on_hosts.is_in(on_hosts.LIFE, command):
        return HOSTS
    return LAB if on_hosts.is_in(on_hosts.LAB, command) else found


def _fate_without_hosts(command: Command) -> Fate:
    if command.program == "ansible-playbook":
        return _fate_of_playbook(command)
    if command.program == "ansible-galaxy":
        return _fate_of_galaxy(command)
    if command.mentioned and command.program not in _NAMED_AND_TYPED:
        return _NAMED
    return _PROGRAMS[command.program]


def _fate_of_galaxy(command: Command) -> Fate:
    _program, _collection, _verb, *what = command.words
    if not what:
        return _NAMED
    return GALAXY if what[0] in ("kubeops.kops", "-r") else _OTHER_COLLECTION


def _fate_of_playbook(command: Command) -> Fate:
    name, inventory = playbook_of(command), parsed(command).inventory
    if command.mentioned:
        return AWX if name == "awx" else _NAMED
    if on_hosts.connects(command):
        # One with the same words is in a chapter that is typed: tests/gates/test_documented_on_hosts.py.
        return HOSTS
    if command.page in _OF_CLOUDS:
        is_own = not _OF_ANOTHER_CLUSTER.isdisjoint(extra_variables(command))
        return _OF_CLOUDS[command.page] if is_own else _AS_ON_AWS
    if inventory and (name or not set(inventory) <= _INVENTORIES_OF_CLOUDS):
        return _INSTANCES
    variables = extra_variables(command)
    if name == "upgrade_cluster" and "kops_kubernetes_version" not in variables:
        # The reader's cluster has the version that the channel recommends.
        return READER
    if name in _PLAYBOOKS:
        return _PLAYBOOKS[name]
    if str(variables.get("kops_manifest", "")).startswith("$"):
        return _LAB_MANIFEST
    return READER


def typed_by_reader() -> list[Command]:
    """The commands that the reader types: all of its own, but only the first of those that change nothing.

    Commands at the heads of playbooks are typed only if nobody has typed their words. Output that a page shows is
    always compared.
    """
    found: list[Command] = []
    seen = {words_of(command) for command, fate in _fates().items() if fate.is_typed and fate is not READER}
    for command in commands():
        if _own_fate(command) is not READER or command.program == _EXPORT:
            continue
        again = words_of(command) in seen and not command.shown
        if not (again and (_changes_nothing(command) or _is_at_a_head(command))):
            found.append(command)
        seen.add(words_of(command))
    return found


def _is_at_a_head(command: Command) -> bool:
    return command.page.startswith("playbooks/")


def _changes_nothing(command: Command) -> bool:
    if command.program != "ansible-playbook":
        return False
    name = playbook_of(command)
    writes_manifests = name == "get" and "kops_manifest" in extra_variables(command)
    return bool(parsed(command).check) or name in _LOOKS or (name.startswith(_LOOKS_PREFIX) and not writes_manifests)


def taken_by(fate: Fate, *pages: str) -> list[Command]:
    """The commands that another test types, whose fate this is; of these pages, in their order, each words once.

    A command on a page that is not among them is one that nobody types.
    """
    first: dict[tuple[str, ...], Command] = {}
    for command in commands():
        if _own_fate(command) is fate:
            first.setdefault(words_of(command), command)
    found = [*first.values()]
    assert {each.page for each in found} == set(pages), found
    return found
