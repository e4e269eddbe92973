# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Package managers by what they are asked and what they answer; tests/lab/test_package_managers.py has real ones."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError, KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.apply import packages
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import CommandOutcome
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.conftest import Node, changed

PROGRAMS = ("apt-get", "apt-mark", "dpkg-query", "dpkg", "dnf", "rpm", "zypper")
NOTHING_PROVIDES_B = "a\t1.0-1\na(x86-64)\t1.0-1\nno package provides b\n"


class Manager:
    """A host whose commands end as they are told.

    outcomes: begin of a command -> how it ends, one after the other. ran: what was run of package managers.
    """

    def __init__(self, path: pathlib.Path, distribution: str, outcomes: Mapping[str, list[CommandOutcome]]) -> None:
        self.node = Node(path / "root", distribution)
        self.node.host.run = self.run
        self.outcomes = {begin: list(each) for begin, each in outcomes.items()}
        self.ran: list[str] = []
        self.environments: list[Mapping[str, str]] = []

    def run(self, *command: str, **options: Any) -> CommandOutcome:
        text = " ".join(command)
        if command[0] in PROGRAMS:
            self.ran.append(text)
            self.environments.append(options.get("environment") or {})
        for begin, outcomes in self.outcomes.items():
            if text.startswith(begin):
                return outcomes.pop(0) if len(outcomes) > 1 else outcomes[0]
        return CommandOutcome(0)


def test_dnf(tmp_path: pathlib.Path) -> None:
    manager = Manager(tmp_path, "rocky-9.4", {"rpm": [CommandOutcome(1, NOTHING_PROVIDES_B)]})
    assert changed(manager.node.converge(packages=[{"name": "a"}, {"name": "b"}])) == ["package:b"]
    assert manager.ran[0].startswith("rpm --query --whatprovides ")
    assert manager.ran[1:] == ["dnf makecache", "dnf install --assumeyes --setopt=install_weak_deps=False b"]


def test_zypper_waits_for_locks_and_installs_versions(tmp_path: pathlib.Path) -> None:
    manager = Manager(tmp_path, "opensuse-leap-15.6", {"rpm": [CommandOutcome(1, NOTHING_PROVIDES_B)]})
    wanted = [{"name": "a", "version": "1.0-2"}, {"name": "b"}]
    assert changed(manager.node.converge(packages=wanted)) == ["package:a", "package:b"]
    zypper = "zypper --non-interactive --quiet"
    assert manager.ran[1] == f"{zypper} refresh"
    assert manager.ran[2] == f"{zypper} install --no-recommends --auto-agree-with-licenses a=1.0-2 b"
    assert manager.environments[2] == {"ZYPP_LOCK_TIMEOUT": "300"}


@pytest.mark.parametrize(
    ("code", "fails"), [(0, False), (102, False), (103, False), (106, False), (4, True), (104, True)]
)
def test_zypper_ends_with_information_that_is_no_error(tmp_path: pathlib.Path, code: int, fails: bool) -> None:
    outcomes = {
        "rpm": [CommandOutcome(1, "no package provides b\n")],
        "zypper --non-interactive --quiet install": [CommandOutcome(code, "", "'b' not found")],
    }
    manager = Manager(tmp_path, "sles-15.6", outcomes)
    if fails:
        with pytest.raises(KopsError, match=rf"(?s)ended with exit code {code}:\n'b' not found"):
            manager.node.converge(packages=[{"name": "b"}])
    else:
        assert manager.node.converge(packages=[{"name": "b"}]).changed


def test_a_package_of_another_name_counts_if_it_provides_the_one_that_is_wanted(tmp_path: pathlib.Path) -> None:
    """In Red Hat 9, iptables is a name that iptables-nft provides."""
    provided = CommandOutcome(0, "iptables\t1.8.10-4.el9\niptables-nft\t1.8.10-4.el9\n")
    manager = Manager(tmp_path, "rhel-9.4", {"rpm": [provided]})
    assert not changed(manager.node.converge(packages=[{"name": "iptables"}]))
    assert len(manager.ran) == 1


@pytest.mark.parametrize("distribution", ["debian-13", "almalinux-9.6", "opensuse-leap-16.0"])
def test_a_machine_without_a_network_that_has_all_packages_is_only_asked(
    tmp_path: pathlib.Path, distribution: str
) -> None:
    outcomes = {"rpm": [CommandOutcome(0, "a\t1\n")], "dpkg-query": [CommandOutcome(0, "a\tii \t1\n")]}
    manager = Manager(tmp_path, distribution, outcomes)
    assert not changed(manager.node.converge(packages=[{"name": "a"}]))
    assert len(manager.ran) == 1


def test_apt_waits_for_the_lock_of_package_lists(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """apt-daily refreshes them at the first boot; without lists, the installation would find nothing."""
    monkeypatch.setattr(packages, "_PAUSE", 0.0)
    update = "apt-get --yes -o DPkg::Lock::Timeout=300 update"
    busy = CommandOutcome(100, "", "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)")
    outcomes = {"dpkg-query": [CommandOutcome(1)], update: [busy, busy, CommandOutcome(0)]}
    manager = Manager(tmp_path, "ubuntu-24.04", outcomes)
    assert manager.node.converge(packages=[{"name": "a"}]).changed
    assert manager.ran.count(update) == 3
    assert manager.ran[-1].endswith("-o Acquire::Retries=3 install --no-install-recommends a")


def test_a_lock_is_not_waited_for_without_end(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "_PATIENCE", -1)
    busy = CommandOutcome(100, "", "E: Could not get lock /var/lib/apt/lists/lock")
    manager = Manager(tmp_path, "debian-12", {"dpkg-query": [CommandOutcome(1)], "apt-get": [busy]})
    with pytest.raises(KopsError, match="Could not get lock"):
        manager.node.converge(packages=[{"name": "a"}])


@pytest.mark.parametrize("distribution", ["amzn-2023", "sles-16.0"])
def test_only_apt_holds_packages(tmp_path: pathlib.Path, distribution: str) -> None:
    manager = Manager(tmp_path, distribution, {"rpm": [CommandOutcome(0, "a\t1\n")]})
    with pytest.raises(ConfigError, match="cannot hold packages"):
        manager.node.converge(packages=[{"name": "a", "hold": True}])


def test_a_distribution_without_packages(tmp_path: pathlib.Path) -> None:
    manager = Manager(tmp_path, "flatcar-3815.2.0", {})
    with pytest.raises(ConfigError, match="packages: flatcar cannot install packages; needed are a"):
        manager.node.converge(packages=[{"name": "a"}])
    assert manager.ran == []
