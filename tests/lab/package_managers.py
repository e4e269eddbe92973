# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real apt, dnf and zypper in a directory that claims to be a distribution, with a repository of made-up packages.

Debian has all three. The packages are empty; their names, versions and what they provide are those that the table of
distributions relies on.
"""

from __future__ import annotations

import contextlib
import json
import pathlib
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import METAL
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.distributions import APT, DISTRIBUTIONS, DNF, ZYPPER
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.program import node_program
from ansible_collections.kubeops.kops.tests.lab import distributions
from ansible_collections.kubeops.kops.tests.lab.commands import run

# ID and VERSION_ID, as their os-release has them. docs/distributions.md says what is shown by what.
CLAIMED = {
    "amzn-2023": ("amzn", "2023"),
    "rhel-9": ("rhel", "9.6"),
    "rocky-9": ("rocky", "9.6"),
    "almalinux-9": ("almalinux", "9.6"),
    "ol-9": ("ol", "9.6"),
    "rocky-10": ("rocky", "10.0"),
    "opensuse-leap-15.6": ("opensuse-leap", "15.6"),
    "opensuse-leap-16": ("opensuse-leap", "16.0"),
    "sles-15.6": ("sles", "15.6"),
}
# Where the programs come from; python3 runs the node program.
_SYSTEM = distributions.Distribution("trixie")
_PROGRAMS = ("dnf", "rpm", "zypper", "createrepo-c", "python3")
_SPEC = """\
Name: {name}
Version: {version}
Release: 1
Summary: Made up
License: none
BuildArch: noarch
{provides}
%description
Made up.
%files
"""
_CONTROL = "Package: {name}\nVersion: {version}-1\nArchitecture: all\nMaintainer: nobody\nDescription: made up\n"
_RPM_REPOSITORY = "[made-up]\nname=made up\nbaseurl=file:///repository\nenabled=1\ngpgcheck=0\n"
# The files that a package manager takes the place of repositories from; all but ours are removed.
_SOURCES = {
    APT: ("/etc/apt/sources.list", "deb [trusted=yes] file:/repository ./\n"),
    DNF: ("/etc/yum.repos.d/made-up.repo", _RPM_REPOSITORY),
    ZYPPER: ("/etc/zypp/repos.d/made-up.repo", _RPM_REPOSITORY),
}
_STATE = ("/var/lib/kops", "/var/cache/kops", "/run/lock/kops-node.lock", "/repository", "/built")


@dataclass(frozen=True)
class Made:
    """A package to make. provides: other names, with versions."""

    name: str
    version: str = "1.0"
    provides: Sequence[str] = ()


@dataclass(frozen=True)
class Outcome:
    """How the node program ended. said: what it wrote to both of its outputs."""

    code: int
    report: Mapping[str, Any] = field(default_factory=dict)
    said: str = ""

    @property
    def changed(self) -> list[str]:
        """Labels of the items that changed."""
        return [item["item"] for item in self.report.get("items", ()) if item["changed"]]


class System:
    """A directory with the package managers. It is made as a distribution by claim()."""

    def __init__(self, root: pathlib.Path) -> None:
        root.mkdir()
        archive = distributions.archive_of("package-managers", _SYSTEM, _PROGRAMS)
        run("tar", "--numeric-owner", "-C", str(root), "-xf", str(archive))
        self.root = root
        self.manager = ""
        (root / "opt/kops-node").write_bytes(node_program(METAL))

    def claim(self, distribution: str, version: str, made: Iterable[Made]) -> None:
        """Be a distribution, by ID and VERSION_ID of its os-release, with a repository and none of its packages."""
        identity = f"{distribution}-{version}"
        self.manager = next(row.package_manager for row in DISTRIBUTIONS if identity.startswith(row.name))
        # Below /usr/lib in Debian.
        os_release = self.root / "etc/os-release"
        os_release.unlink(missing_ok=True)
        os_release.write_text(f'PRETTY_NAME="{identity}"\nID="{distribution}"\nVERSION_ID="{version}"\n')
        self.within("sh", "-c", 'rm -rf "$(rpm --eval %_dbpath)" /var/cache/dnf /var/cache/libdnf5 /var/cache/zypp')
        for path in _STATE:
            self._remove(path)
        for path, _text in _SOURCES.values():
            for other in self.path(path).parent.glob("*.repo"):
                other.unlink()
        path, text = _SOURCES[self.manager]
        self.path(path).parent.mkdir(parents=True, exist_ok=True)
        self.path(path).write_text(text)
        self.publish(made)

    def publish(self, made: Iterable[Made]) -> None:
        """Add packages to the repository."""
        for package in made:
            (self._deb if self.manager == APT else self._rpm)(package)
        index = "dpkg-deb -f $each; echo Filename: $each; echo Size: $(stat -c %s $each)"
        index += "; echo SHA256: $(sha256sum $each | cut -d' ' -f1); echo"
        debian = f"for each in ./*.deb; do {index}; done > Packages"
        self.within("sh", "-ec", f"cd /repository; {debian if self.manager == APT else 'createrepo_c --quiet .'}")

    def converge(self, *packages: Mapping[str, Any] | str, before: str = "") -> Outcome:
        """Run the node program on a NodeConfig of these packages. before: what a shell does in the same processes."""
        items = [{"name": each} if isinstance(each, str) else dict(each) for each in packages]
        head = {"schema": 1, "cluster": "c.example.com", "instanceGroup": "nodes", "role": "Node"}
        config = {**head, "architecture": _architecture(), "kubernetesVersion": "1.34.4", "packages": items}
        (self.root / "opt/config.json").write_text(json.dumps(config))
        # The shell stays, as the first process of its namespace: it has to collect what `before` leaves behind.
        command = f"{before}\npython3 /opt/kops-node converge --config /opt/config.json --json\nexit $?"
        done = self._run("sh", "-c", command)
        with contextlib.suppress(ValueError):
            return Outcome(done.returncode, json.loads(done.stdout), done.stderr)
        return Outcome(done.returncode, {}, done.stdout + done.stderr)

    @contextlib.contextmanager
    def offline(self) -> Any:
        """The repository cannot be reached."""
        self.path("/repository").rename(self.path("/unreachable"))
        try:
            yield
        finally:
            self.path("/unreachable").rename(self.path("/repository"))

    def within(self, *command: str) -> str:
        """What a command in the directory prints. Raises RuntimeError if it fails."""
        done = self._run(*command)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def path(self, path: str) -> pathlib.Path:
        """A path of the directory, as the test sees it."""
        return self.root / path.lstrip("/")

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        # Namespaces of its own: nothing stays mounted, and no process outlives the command.
        own = ("unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={self.root}/proc")
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C"}
        return subprocess.run(
            [*own, "chroot", str(self.root), *command], env=environment, capture_output=True, text=True, check=False
        )

    def _rpm(self, package: Made) -> None:
        provides = "".join(f"Provides: {name}\n" for name in package.provides)
        self._build(package, ".spec", _SPEC.format(name=package.name, version=package.version, provides=provides))
        self.within("rpmbuild", "-bb", "--quiet", "--define", "_rpmdir /repository", f"/built/{package.name}.spec")

    def _deb(self, package: Made) -> None:
        control = _CONTROL.format(name=package.name, version=package.version)
        provides = f"Provides: {', '.join(package.provides)}\n" if package.provides else ""
        self._build(package, "/DEBIAN/control", control + provides)
        self.within("dpkg-deb", "--build", f"/built/{package.name}", "/repository")

    def _build(self, package: Made, file: str, text: str) -> None:
        path = self.path(f"/built/{package.name}{file}")
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path("/repository").mkdir(exist_ok=True)
        path.write_text(text)

    def _remove(self, path: str) -> None:
        shutil.rmtree(self.path(path), ignore_errors=True)
        if self.path(path).is_file():
            self.path(path).unlink()


def _architecture() -> str:
    return {"x86_64": "amd64", "aarch64": "arm64"}[run("uname", "-m").strip()]
