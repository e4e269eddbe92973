# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of the documentation that need hosts, in the order in which a cluster would see them.

tests/lab/test_documented_commands.py and test_documented_lab.py type them, and
tests/gates/test_documented_on_hosts.py looks that none is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ansible_collections.kubeops.kops.tests.documented.pages import heading_of
from ansible_collections.kubeops.kops.tests.documented.proofs import extra_variables, parsed, playbook_of
from ansible_collections.kubeops.kops.tests.documented.shell import Command, commands


@dataclass(frozen=True)
class Chapter:
    """What a page says below a heading; the head of a playbook has none."""

    page: str
    heading: str = ""


# The parts of the life of one cluster. A playbook's head is not here if a page has the same words.
LIFE = {
    "create": (Chapter("README.md", "Quick start on bare metal"),),
    "reach": (Chapter("docs/bare-metal.md", "Reaching the API"),),
    "look": (
        Chapter("playbooks/validate_cluster.yml"),
        Chapter("playbooks/host_facts.yml"),
        Chapter("playbooks/preflight.yml"),
        Chapter("docs/backup.md", "On bare metal"),
        Chapter("docs/backup.md", "Drills"),
        Chapter("docs/drift.md", "Drift"),
        Chapter("docs/report.md", "A report of a cluster: cluster_report"),
        Chapter("docs/toolbox-dump.md", "What a cluster was like: toolbox_dump"),
    ),
    "keep": (
        Chapter("playbooks/rolling_update.yml"),
        Chapter("playbooks/reconcile.yml"),
        Chapter("playbooks/repair.yml"),
    ),
    "restore": (Chapter("docs/restore.md", "On bare metal"), Chapter("playbooks/etcd_restore.yml")),
    "write Secrets again": (Chapter("docs/hardening.md", "Encryption of Secrets in etcd"),),
    "add hosts": (Chapter("docs/scale.md", "On bare metal"),),
    "clean a host": (Chapter("docs/replace-nodes.md", "On bare metal"),),
    "remove hosts": (Chapter("playbooks/remove_hosts.yml"),),
    "rotate": (
        Chapter("docs/bare-metal.md", "Rotating keys"),
        Chapter("docs/rotation.md", "Rotating keys"),
        Chapter("playbooks/rotate.yml"),
    ),
    "remove a host": (Chapter("docs/bare-metal.md", "Removing hosts"),),
    "change the network": (Chapter("docs/change-network.md", "Another plug-in on bare metal"),),
    "three control planes": (
        Chapter("docs/highly-available.md", "On bare metal"),
        Chapter("docs/highly-available.md", "Check"),
    ),
    "remove a member": (Chapter("docs/etcd.md", "Members"),),
    "delete": (Chapter("playbooks/delete_cluster.yml"),),
}
# The parts of the life of the lab, which also has a cluster.
LAB = {
    "harden": (Chapter("docs/hardening.md", "The CIS benchmark"),),
    "by hand": (Chapter("docs/lab.md", "A cluster by hand"),),
    "use": (Chapter("docs/lab.md", "The lab: real hosts on one machine"),),
}
# What inventories of the plugin kops, whose hosts are instances of a cloud, end with.
_OF_CLOUDS = "kops.yml"
# The address of a control plane on a host.
_ON_A_HOST = "kops_api_server"
# Programs besides ansible-playbook that ask a cluster or its hosts, or read what a run has written.
_PROGRAMS = ("ansible", "kubectl", "script/lab", "tar")
# Chapters with such programs that are about other clusters -> why nobody types them on hosts.
ELSEWHERE = {
    Chapter("docs/addons.md", "Load balancer and storage on bare metal"): "what is left of an addon that was taken out",
    Chapter("docs/addons.md", "Addons from channels"): "a channel of the user's has such objects",
    Chapter("docs/aws-nodes.md", "Controllers"): "on AWS control planes apply addons",
    Chapter("docs/inventory.md", "Instances as an inventory"): "tests/lab/cloud/test_inventory.py has instances",
    Chapter("docs/lab-cloud.md", "The lab as a cloud: an account whose instances are hosts"): (
        "tests/lab/cloud uses what these commands call"
    ),
    Chapter("docs/lab-cloud.md", "Google Cloud"): "tests/lab/google uses what these commands call",
    Chapter("docs/lab-cloud.md", "OpenStack"): "tests/lab/openstack uses what these commands call",
    Chapter("docs/lab-cloud.md", "Hetzner, DigitalOcean, vSphere"): "tests/lab/hetzner uses what these commands call",
    Chapter("docs/lab.md", "Tests"): "they run the tests themselves",
    Chapter("docs/lab.md", "Molecule"): "tests/lab/test_molecule.py runs it",
    Chapter("docs/start-aws.md", "Plan, create, use"): "a cluster on AWS",
    Chapter("docs/start-gce.md", "Plan, create, use"): "a cluster in Google Cloud",
}


def chapter_of(command: Command) -> Chapter:
    """Where a command stands."""
    return Chapter(command.page, heading_of(command.page, command.line))


def connects(command: Command) -> bool:
    """Whether a command of ansible-playbook is about a cluster on hosts."""
    inventories = parsed(command).inventory
    if inventories:
        return bool(playbook_of(command)) and not any(name.endswith(_OF_CLOUDS) for name in inventories)
    return _ON_A_HOST in extra_variables(command)


def needs_hosts(command: Command) -> bool:
    """Whether a page says to type this, and a cluster on hosts has to answer."""
    if command.mentioned:
        return False
    if command.program == "ansible-playbook":
        return connects(command)
    return command.program in _PROGRAMS


def is_in(life: Mapping[str, tuple[Chapter, ...]], command: Command) -> bool:
    """Whether a command is typed in a part of a life."""
    if not needs_hosts(command):
        return False
    return any(chapter_of(command) == chapter for chapters in life.values() for chapter in chapters)


def typed(chapter: Chapter) -> list[Command]:
    """What is typed of a chapter, in its order: commands that need hosts, and what sets the environment for them."""
    return [
        command
        for command in commands()
        if chapter_of(command) == chapter and (needs_hosts(command) or command.program == "export")
    ]
