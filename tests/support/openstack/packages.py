# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack's services as Debian packages them: unpacked below a cache, and not installed.

So no user, unit or file outside is made, and no package of this machine changes. They run by Debian's own Python.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pytest

PYTHON = pathlib.Path("/usr/bin/python3")
_PACKAGES = (
    *("keystone", "uwsgi-core", "uwsgi-plugin-python3"),
    *("swift-proxy", "swift-account", "swift-container", "swift-object"),
)
# What a service does not need of what its package depends on.
_NOT_NEEDED = ("apparmor_", "dbus", "init_", "libpam", "libperl", "perl", "systemd", "udev_")
_LISTS = pathlib.Path("/var/lib/apt/lists")


def root() -> pathlib.Path:
    """The directory below which the packages are. Skips the test where they are not, and cannot be fetched."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "kubeops-kops-openstack"
    found = cache / hashlib.sha256(" ".join(_PACKAGES).encode()).hexdigest()[:16]
    if not found.exists():
        if os.environ.get("KOPS_LAB_INSTALL") != "1" or not shutil.which("apt-get") or os.geteuid():
            pytest.skip("OpenStack's packages are not here: as root on Debian, KOPS_LAB_INSTALL=1 fetches them")
        cache.mkdir(parents=True, exist_ok=True)
        with (cache / "lock").open("w") as lock:
            # One process of the tests fetches, and the others wait for it.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not found.exists():
                _fetch(found)
    return found


def _fetch(place: pathlib.Path) -> None:
    if not any(_LISTS.glob("*Packages*")):
        _run("apt-get", "update", "--quiet")
    with tempfile.TemporaryDirectory(dir=place.parent) as work:
        archives, unpacked = pathlib.Path(work, "archives"), pathlib.Path(work, "root")
        (archives / "partial").mkdir(parents=True)
        unpacked.mkdir()
        options = ("--yes", "--quiet", "--download-only", "--no-install-recommends", "--option")
        _run("apt-get", "install", *options, f"Dir::Cache::archives={archives}", *_PACKAGES)
        needed = [each for each in archives.glob("*.deb") if not each.name.startswith(_NOT_NEEDED)]
        with ThreadPoolExecutor(2) as pool:
            for _done in pool.map(lambda each: _run("dpkg-deb", "--extract", str(each), str(unpacked)), needed):
                pass
        unpacked.rename(place)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
