# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the lab's hosts run: plain systems as debootstrap makes them, kept in the cache as archives."""

from __future__ import annotations

import hashlib
import pathlib
import re
import shutil
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass

from ansible_collections.kubeops.kops.tests.lab import cache
from ansible_collections.kubeops.kops.tests.lab.commands import run

# What a plain server has, and what kops has installed on nodes: the hosts can reach no mirror of their distribution.
PACKAGES = (
    *("systemd", "systemd-sysv", "dbus", "openssh-server", "sudo", "python3", "ca-certificates", "udev", "curl"),
    *("iproute2", "iptables", "kmod", "procps", "iputils-ping", "conntrack", "ethtool", "socat"),
    *("libapparmor1", "libseccomp2", "util-linux", "keepalived", "logrotate"),
)
# debootstrap's script for Ubuntu, which knows Ubuntu's archive, and serves for suites that are newer than debootstrap.
_UBUNTU_SCRIPT = pathlib.Path("/usr/share/debootstrap/scripts/gutsy")
# The package with the keys of Ubuntu's archive, which Debian 12 does not have: path in the archive, and SHA-256.
_UBUNTU_KEYRING = (
    "pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb",
    "36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8",
)


@dataclass(frozen=True)
class Distribution:
    """A release, as debootstrap calls it. ubuntu: it comes from Ubuntu's archive, else from Debian's.

    packages: further ones that others depend on by a name that they only provide, which debootstrap does not look at.
    """

    suite: str
    ubuntu: bool = False
    packages: tuple[str, ...] = ()


DISTRIBUTIONS = {
    "debian-12": Distribution("bookworm"),
    "debian-13": Distribution("trixie"),
    "ubuntu-22.04": Distribution("jammy", ubuntu=True),
    "ubuntu-24.04": Distribution("noble", ubuntu=True, packages=("libperl5.38t64",)),
}
DEFAULT = "debian-12"


def plain(name: str) -> pathlib.Path:
    """The archive of a plain system with the packages. name: of DISTRIBUTIONS."""
    distribution = DISTRIBUTIONS[name]
    return archive_of(name, distribution, (*PACKAGES, *distribution.packages))


def archive_of(name: str, distribution: Distribution, packages: Sequence[str]) -> pathlib.Path:
    """The archive of a system with these packages, made on first use. name: what its file is called."""
    archive = cache.directory() / f"{name}-{cache.key_of(*packages)}.tar"
    if not archive.exists():
        root = archive.with_suffix(".debootstrap")
        shutil.rmtree(root, ignore_errors=True)
        options, source = _of_ubuntu() if distribution.ubuntu else ([], [])
        include = f"--include={','.join(packages)}"
        run("debootstrap", "--variant=minbase", include, *options, distribution.suite, str(root), *source)
        partial = archive.with_suffix(".partial")
        run("tar", "--numeric-owner", "-C", str(root), "-cf", str(partial), ".")
        shutil.rmtree(root)
        partial.rename(archive)
    return archive


def _of_ubuntu() -> tuple[list[str], list[str]]:
    """What debootstrap has to be told to make an Ubuntu: options, and the archive with the script."""
    found = re.search(r"default_mirror (\S*//archive\.\S+)", _UBUNTU_SCRIPT.read_text())
    if found is None:
        raise RuntimeError(f"{_UBUNTU_SCRIPT} does not say where Ubuntu's archive is")
    mirror = found.group(1)
    options = [f"--keyring={_keyring(mirror)}", "--components=main,universe", "--force-check-gpg"]
    return options, [mirror, str(_UBUNTU_SCRIPT)]


def _keyring(mirror: str) -> pathlib.Path:
    path, wanted = _UBUNTU_KEYRING

    def fetch(directory: pathlib.Path) -> None:
        with urllib.request.urlopen(f"{mirror}/{path}", timeout=60) as answer:
            content = answer.read()
        if hashlib.sha256(content).hexdigest() != wanted:
            raise RuntimeError(f"{path} of Ubuntu's archive is not what it should be")
        (directory / "keyring.deb").write_bytes(content)

    found = cache.unpacked(f"ubuntu-keyring-{wanted[:16]}", fetch)
    return found / "usr/share/keyrings/ubuntu-archive-keyring.gpg"
