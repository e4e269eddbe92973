# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of the distribution. Each package manager is a row of a table."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...base.errors import CommandError
from ...base.report import Step
from ...exchange.distributions import APT, DNF, ZYPPER
from ...exchange.items import Package
from ..context import Context, Phase
from ..system.host import CommandOutcome, failed


@dataclass(frozen=True)
class Installed:
    """An installed package. whole: its installation was not interrupted."""

    version: str
    whole: bool = True
    held: bool = False


@dataclass(frozen=True)
class Manager:
    """The commands of a package manager; package names are appended to them.

    query: prints what parse reads. refresh: updates the package lists; may fail without harm.
    repair: completes an interrupted installation. refused: in the output of install if repair is needed.
    busy: in the output of a command that gives up because another process works with packages.
    fine: exit codes of an installation that did what it should.
    version_sign: between name and version. hold, release: empty if not supported.
    """

    query: Sequence[str]
    parse: Callable[[str], dict[str, Installed]]
    install: Sequence[str]
    refresh: Sequence[str]
    version_sign: str
    repair: Sequence[str] = ()
    refused: str = ""
    busy: str = ""
    fine: frozenset[int] = frozenset({0})
    hold: Sequence[str] = ()
    release: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


def _parse_dpkg(output: str) -> dict[str, Installed]:
    """Lines of name, status (desired and actual, one letter each) and version."""
    installed = {}
    for name, status, version in (line.split("\t") for line in output.splitlines() if line.count("\t") == 2):
        wanted, state = status[0], status[1]
        if state not in "nc":
            installed[name] = Installed(version, whole=state == "i", held=wanted == "h")
    return installed


def _parse_rpm(output: str) -> dict[str, Installed]:
    """Lines of a name and a version: each name that an installed package provides."""
    pairs = (line.split("\t") for line in output.splitlines() if line.count("\t") == 1)
    return {name: Installed(version) for name, version in pairs}


# Seconds to wait for a lock: a package manager may outlive a killed converger, and systems update themselves.
_PATIENCE = 300
_PAUSE = 5.0
_APT_GET = ("apt-get", "--yes", "-o", f"DPkg::Lock::Timeout={_PATIENCE}")
# By what they provide: in newer releases a package may have another name, as iptables-nft has instead of iptables.
_ZYPPER = ("zypper", "--non-interactive", "--quiet")
_RPM = ("rpm", "--query", "--whatprovides", "--queryformat", "[%{PROVIDENAME}\\t%{=VERSION}-%{=RELEASE}\\n]")
MANAGERS = {
    APT: Manager(
        query=("dpkg-query", "--show", "--showformat=${Package}\\t${db:Status-Abbrev}\\t${Version}\\n"),
        parse=_parse_dpkg,
        install=(
            *_APT_GET,
            "-o",
            "Dpkg::Options::=--force-confdef",
            "-o",
            "Dpkg::Options::=--force-confold",
            "-o",
            "Acquire::Retries=3",
            "install",
            "--no-install-recommends",
        ),
        refresh=(*_APT_GET, "update"),
        version_sign="=",
        repair=("dpkg", "--configure", "-a"),
        refused="dpkg --configure -a",
        # That of the package lists, which apt-get does not wait for.
        busy="Could not get lock",
        hold=("apt-mark", "hold"),
        release=("apt-mark", "unhold"),
        environment={"DEBIAN_FRONTEND": "noninteractive", "NEEDRESTART_SUSPEND": "1"},
    ),
    DNF: Manager(
        # dnf waits for locks by itself, and tries downloads again.
        query=_RPM,
        parse=_parse_rpm,
        install=("dnf", "install", "--assumeyes", "--setopt=install_weak_deps=False"),
        refresh=("dnf", "makecache"),
        version_sign="-",
    ),
    ZYPPER: Manager(
        query=_RPM,
        parse=_parse_rpm,
        install=(*_ZYPPER, "install", "--no-recommends", "--auto-agree-with-licenses"),
        refresh=(*_ZYPPER, "refresh"),
        version_sign="=",
        # zypper waits for locks if it is told to. Information, and no errors: 102, 103, something should be restarted
        # now; 106, some repositories could not be asked, but the others did.
        fine=frozenset({0, 102, 103, 106}),
        environment={"ZYPP_LOCK_TIMEOUT": str(_PATIENCE)},
    ),
}


def plan(context: Context) -> Phase:
    """Plan missing packages; all are installed by one command. Packages are never uninstalled."""
    packages = context.config.packages
    released = [name for name in context.before.held if name not in {each.name for each in packages if each.hold}]
    if not packages and not released:
        return Phase()
    manager = MANAGERS.get(context.machine.distribution.package_manager)
    if manager is None:
        names = ", ".join(package.name for package in packages)
        context.problems.append(
            f"packages: {context.machine.distribution.name} cannot install packages; needed are {names}"
        )
        return Phase()
    if not manager.hold and any(package.hold for package in packages):
        context.problems.append(f"packages: {context.machine.distribution.name} cannot hold packages")
    installed = manager.parse(context.host.run(*manager.query, *(each.name for each in packages)).output)
    work = _Work(context, manager)
    steps = [work.plan(package, installed.get(package.name)) for package in packages]
    steps += [Step(f"package:{name}", True, {"hold": True}, {"hold": False}) for name in released]
    work.release = released
    return Phase(steps, work.act)


def _says(outcome: CommandOutcome, text: str) -> bool:
    return bool(text) and text in outcome.output + outcome.errors


class _Work:
    """The work of the package manager."""

    def __init__(self, context: Context, manager: Manager) -> None:
        self.context = context
        self.manager = manager
        self.install: list[str] = []
        self.hold: list[str] = []
        self.release: list[str] = []
        self.interrupted = False

    def plan(self, package: Package, found: Installed | None) -> Step:
        step = Step(package.label)
        before: dict[str, Any] = {}
        after: dict[str, Any] = {}
        if found is None or not found.whole or package.version not in ("", found.version):
            self.install.append(package.name + (self.manager.version_sign + package.version if package.version else ""))
            self.interrupted = self.interrupted or (found is not None and not found.whole)
            before["version"], after["version"] = found.version if found else None, package.version or "any"
        if package.hold:
            self.context.next.held.append(package.name)
            if found is None or not found.held:
                self.hold.append(package.name)
                before["hold"], after["hold"] = False, True
        step.changed = bool(after)
        if step.changed:
            step.before, step.after = before if found else None, after
        return step

    def act(self) -> None:
        if self.release:
            self._demand(*self.manager.release, *self.release)
        if self.install:
            self._install()
        if self.hold:
            self._demand(*self.manager.hold, *self.hold)

    def _install(self) -> None:
        """Install missing packages. A failed refresh of the lists is only an error if the installation fails too."""
        if self.interrupted:
            self._demand(*self.manager.repair)
        refreshed = self._run(*self.manager.refresh)
        command = (*self.manager.install, *self.install)
        outcome = self._run(*command)
        if outcome.code not in self.manager.fine and _says(outcome, self.manager.refused):
            self._demand(*self.manager.repair)
            outcome = self._run(*command)
        if outcome.code not in self.manager.fine:
            reason = (
                f"\nand before that {failed(tuple(self.manager.refresh), refreshed)}" if refreshed.code != 0 else ""
            )
            raise CommandError(f"{failed(command, outcome)}{reason}")

    def _run(self, *command: str) -> CommandOutcome:
        """Run a command, again while another process keeps it from doing anything."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            outcome = self.context.host.run(*command, environment=self.manager.environment)
            if outcome.code == 0 or not _says(outcome, self.manager.busy) or time.monotonic() > deadline:
                return outcome
            time.sleep(_PAUSE)

    def _demand(self, *command: str) -> None:
        self.context.host.check_output(*command, environment=self.manager.environment)
