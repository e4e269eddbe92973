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
import platform
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pytest

PYTHON = pathlib.Path("/usr/bin/python3")
# Users and objects; and a cloud with servers besides.
OBJECTS = (
    *("keystone", "uwsgi-core", "uwsgi-plugin-python3"),
    *("swift-proxy", "swift-account", "swift-container", "swift-object"),
)
SERVERS = (
    *OBJECTS,
    *("mariadb-server", "rabbitmq-server", "placement-api", "glance-api", "neutron-server"),
    *("nova-api", "nova-conductor", "nova-scheduler", "nova-compute"),
    *("cinder-api", "cinder-scheduler", "cinder-volume", "octavia-api", "octavia-worker"),
    *("designate-api", "designate-central", "designate-worker", "designate-mdns", "qemu-utils"),
)
# What a service does not need of what its package depends on.
_NOT_NEEDED = (
    *("apparmor_", "dbus", "ieee-data_", "init_", "ipxe", "libpam", "libperl", "ovmf_", "perl"),
    *("qemu-block", "qemu-system", "seabios_", "systemd", "udev_"),
)
# The only one whose services these tests have met.
_RELEASE = "12"
_LISTS = pathlib.Path("/var/lib/apt/lists")


def root(names: tuple[str, ...]) -> pathlib.Path:
    """The directory below which packages are, and what they depend on.

    Skips the test where they are not, and cannot be fetched.
    """
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "kubeops-kops-openstack"
    found = cache / hashlib.sha256(" ".join(names).encode()).hexdigest()[:16]
    if not found.exists():
        if os.environ.get("KOPS_LAB_INSTALL") != "1" or os.geteuid() or _debian() != _RELEASE:
            pytest.skip(f"OpenStack is not here: as root on Debian {_RELEASE}, KOPS_LAB_INSTALL=1 fetches its packages")
        cache.mkdir(parents=True, exist_ok=True)
        with (cache / "lock").open("w") as lock:
            # One process of the tests fetches, and the others wait for it.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not found.exists():
                _fetch(names, found)
    return found


def _debian() -> str:
    """The release of Debian that this machine has; "" for another system."""
    try:
        about = platform.freedesktop_os_release()
    except OSError:
        return ""
    return about.get("VERSION_ID", "") if about["ID"] == "debian" else ""


def _fetch(names: tuple[str, ...], place: pathlib.Path) -> None:
    if not any(_LISTS.glob("*Packages*")):
        _run("apt-get", "update", "--quiet")
    with tempfile.TemporaryDirectory(dir=place.parent) as work:
        archives, unpacked = pathlib.Path(work, "archives"), pathlib.Path(work, "root")
        (archives / "partial").mkdir(parents=True)
        unpacked.mkdir()
        options = ("--yes", "--quiet", "--download-only", "--no-install-recommends")
        settings = (f"--option=Dir::Cache::archives={archives}", "--option=DPkg::Lock::Timeout=300")
        _run("apt-get", "install", *options, *settings, *names)
        needed = [each for each in archives.glob("*.deb") if not each.name.startswith(_NOT_NEEDED)]
        with ThreadPoolExecutor(2) as pool:
            for _done in pool.map(lambda each: _run("dpkg-deb", "--extract", str(each), str(unpacked)), needed):
                pass
        _move_erlang(unpacked, place)
        unpacked.rename(place)


def _move_erlang(unpacked: pathlib.Path, place: pathlib.Path) -> None:
    """Its scripts name the directory in which Debian installs it."""
    home = "usr/lib/erlang"
    for pattern in ("bin", "erts-*/bin"):
        for file in (*unpacked.glob(f"{home}/{pattern}/erl"), *unpacked.glob(f"{home}/{pattern}/start")):
            file.write_text(file.read_text().replace(f"/{home}", f"{place}/{home}"))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(
            f"OpenStack cannot be fetched here: {command[0]} ended with {done.returncode}: {done.stderr[-500:]}"
        )
