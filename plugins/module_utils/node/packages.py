# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of the distribution. Each package manager is a row of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import CommandError
from ..base.report import Step
from .context import Context, Phase
from .distributions import APT, DNF
from .host import CommandOutcome, failed
from .items import Package


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
    version_sign: between name and version. hold, release: empty if not supported.
    """

    query: Sequence[str]
    parse: Callable[[str], dict[str, Installed]]
    install: Sequence[str]
    refresh: Sequence[str]
    version_sign: str
    repair: Sequence[str] = ()
    refused: str = ""
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
    pairs = (line.split("\t") for line in output.splitlines() if line.count("\t") == 1)
    return {name: Installed(version) for name, version in pairs}


# Wait for a lock that another process holds: a package manager may outlive a killed converger.
_APT_GET = ("apt-get", "--yes", "-o", "DPkg::Lock::Timeout=300")
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
            "install",
            "--no-install-recommends",
        ),
        refresh=(*_APT_GET, "update"),
        version_sign="=",
        repair=("dpkg", "--configure", "-a"),
        refused="dpkg --configure -a",
        hold=("apt-mark", "hold"),
        release=("apt-mark", "unhold"),
        environment={"DEBIAN_FRONTEND": "noninteractive", "NEEDRESTART_SUSPEND": "1"},
    ),
    DNF: Manager(
        query=("rpm", "--query", "--queryformat", "%{NAME}\\t%{VERSION}-%{RELEASE}\\n"),
        parse=_parse_rpm,
        install=("dnf", "install", "--assumeyes", "--setopt=install_weak_deps=False"),
        refresh=("dnf", "makecache"),
        version_sign="-",
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
        if outcome.code != 0 and self.manager.refused and self.manager.refused in outcome.output + outcome.errors:
            self._demand(*self.manager.repair)
            outcome = self._run(*command)
        if outcome.code != 0:
            reason = (
                f"\nand before that {failed(tuple(self.manager.refresh), refreshed)}" if refreshed.code != 0 else ""
            )
            raise CommandError(f"{failed(command, outcome)}{reason}")

    def _run(self, *command: str) -> CommandOutcome:
        return self.context.host.run(*command, environment=self.manager.environment)

    def _demand(self, *command: str) -> None:
        self.context.host.check_output(*command, environment=self.manager.environment)
