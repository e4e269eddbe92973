# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An environment for each version of ansible-core that the collection supports, kept in the user's cache.

Those that development has no Python for are made where there is one: the workflows run them.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import shutil
import subprocess
from dataclasses import dataclass

from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.support.programs import run

_REQUIREMENTS = ROOT / "meta" / "ee-requirements.txt"


@dataclass(frozen=True)
class Version:
    """pythons: those of controllers that can run it and this collection, the one to be used first."""

    name: str
    requirement: str
    pythons: tuple[str, ...]

    @property
    def lock(self) -> pathlib.Path | None:
        """Versions of all that it needs; of those that are not there, the newest are taken."""
        own, development = (
            ROOT / "requirements" / name for name in (f"ansible-core-{self.name}.lock", "development.lock")
        )
        if own.is_file():
            return own
        return development if self.requirement in development.read_text().splitlines() else None


_BRANCH = "https://github.com/ansible/ansible/archive/{}.tar.gz"
VERSIONS = (
    Version("2.17", "ansible-core==2.17.14", ("3.11", "3.12")),
    Version("2.18", "ansible-core==2.18.19", ("3.11", "3.12", "3.13")),
    Version("2.19", "ansible-core==2.19.14", ("3.11", "3.12", "3.13")),
    Version("2.20", "ansible-core==2.20.10", ("3.12", "3.13", "3.14")),
    Version("2.21", "ansible-core==2.21.5", ("3.12", "3.13", "3.14")),
)
# As it is developed: run only when it is named, since it is another one each day.
DEVEL = Version("devel", _BRANCH.format("devel"), ("3.13", "3.14", "3.12"))


def python_for(version: Version) -> str | None:
    """A Python of this machine that can run it; KOPS_ANSIBLE_CORE_PYTHON chooses among several."""
    named = os.environ.get("KOPS_ANSIBLE_CORE_PYTHON")
    pythons = [each for each in version.pythons if not named or each == named]
    found = filter(None, (shutil.which(f"python{each}") for each in pythons))
    return next((each for each in found if _runs(each)), None)


def _runs(python: str) -> bool:
    """Whether it is more than a name: managers of Pythons leave names of those that are not installed."""
    return not subprocess.run([python, "-c", "import venv, ensurepip"], capture_output=True, check=False).returncode


def programs_of(version: Version, python: str) -> pathlib.Path:
    """The directory of its programs; made, if it is not there. Failed."""
    lock = version.lock
    parts = [version.requirement, python, _REQUIREMENTS.read_text(), lock.read_text() if lock else ""]
    stamp = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "kubeops-kops-ansible-core"
    home = cache / f"{version.name}-{stamp}"
    done = home / ".done"
    if version is DEVEL:
        done.unlink(missing_ok=True)
    if not done.exists():
        shutil.rmtree(home, ignore_errors=True)
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run([python, "-m", "venv", str(home)], check=True)
        constraint = ["--constraint", str(lock)] if lock else []
        run(
            *(str(home / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", version.requirement),
            *("--requirement", str(_REQUIREMENTS), "jmespath", *constraint),
            cwd=ROOT,
        )
        done.touch()
    return home / "bin"
