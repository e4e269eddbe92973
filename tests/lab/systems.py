# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of Debian that lie below the programs of an image: programs that those call, and their libraries."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from ansible_collections.kubeops.kops.tests.lab import cache, hosts
from ansible_collections.kubeops.kops.tests.lab.commands import run

# Programs of the hosts' system that kube-proxy, flannel and the tests' pods call, and what they are called beside.
NETWORK_PROGRAMS = (
    *("/usr/sbin/xtables-nft-multi", "/usr/sbin/conntrack", "/usr/bin/ip", "/usr/bin/dash"),
    *("/usr/bin/cp", "/usr/bin/cat", "/usr/bin/sleep", "/usr/bin/ls"),
)
NETWORK_LINKS = {
    **{
        f"/usr/sbin/{family}tables{suffix}": "xtables-nft-multi"
        for family in ("ip", "ip6")
        for suffix in ("", "-save", "-restore", "-nft", "-nft-save", "-nft-restore")
    },
    "/usr/bin/sh": "dash",
    "/usr/sbin/ip": "../bin/ip",
}


def network() -> pathlib.Path:
    """What NETWORK_PROGRAMS need: themselves, their libraries, iptables' extensions."""
    return of_hosts("network-root", NETWORK_PROGRAMS, NETWORK_LINKS)


def of_hosts(
    name: str,
    programs: Iterable[str],
    links: Mapping[str, str],
    add: Callable[[pathlib.Path], None] = lambda root: None,
) -> pathlib.Path:
    """The directory with programs of the hosts' system, as copy_programs makes it. add: puts more into it."""
    image = hosts.image()
    target = cache.directory() / f"{name}-{cache.key_of(repr(programs), repr(links), image)}"
    with cache.locked(name):
        if not target.is_dir():
            with _mounted(image) as source:
                copy_programs(source, target, programs, links, add)
    return target


def busybox() -> pathlib.Path:
    """Debian's busybox, which is all programs that it is called by."""
    command = ["apt-get", "download", "busybox-static"]

    def fetch(directory: pathlib.Path) -> None:
        subprocess.run(command, cwd=directory, check=True)

    with cache.locked("busybox"):
        unpacked = cache.unpacked("busybox-static", fetch)
        target = cache.directory() / "busybox-root"
        if not target.is_dir():
            partial = target.with_suffix(".partial")
            shutil.rmtree(partial, ignore_errors=True)
            (partial / "bin").mkdir(parents=True)
            shutil.copy2(unpacked / "bin/busybox", partial / "bin")
            for name in ("sh", "mkdir", "rm"):
                (partial / "bin" / name).symlink_to("busybox")
            partial.rename(target)
    return target


@contextmanager
def _mounted(image: str) -> Iterator[pathlib.Path]:
    """The files of an image."""
    container = run("podman", "create", "--runtime", "runc", image, "/bin/true").strip()
    try:
        yield pathlib.Path(run("podman", "mount", container).strip())
    finally:
        run("podman", "umount", container)
        run("podman", "rm", container)


def copy_programs(
    source: pathlib.Path,
    target: pathlib.Path,
    programs: Iterable[str],
    links: Mapping[str, str],
    add: Callable[[pathlib.Path], None] = lambda root: None,
) -> None:
    """Make the directory target of a system's programs, with their libraries and iptables' extensions.

    programs: paths within the system. links: path within the new one -> what a symbolic link there says.
    add: puts more into the new one.
    """
    partial = target.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    _make_directories(partial)
    (extensions,) = source.glob("usr/lib/*-linux-gnu/xtables")
    inside = [f"/{path.relative_to(source)}" for path in sorted(extensions.glob("*.so"))]
    wanted = {*programs, *inside}
    # An extension that lacks a library is skipped silently by iptables, and rules fail much later: take theirs, too.
    for line in run("chroot", str(source), "ldd", *sorted(wanted), check=False).splitlines():
        wanted.update(word for word in line.split() if word.startswith("/") and not word.endswith(":"))
    for path in sorted(wanted):
        real = pathlib.Path(run("chroot", str(source), "readlink", "-f", path).strip())
        for copy in sorted({real, pathlib.Path(os.path.normpath(path))}):
            place = partial / str(copy).lstrip("/")
            if not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source / str(real).lstrip("/"), place)
    for path, aim in links.items():
        place = partial / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(aim)
    for name in ("protocols", "services"):
        if (source / "etc" / name).exists():
            shutil.copy2(source / "etc" / name, partial / "etc" / name)
    add(partial)
    partial.rename(target)


def _make_directories(root: pathlib.Path) -> None:
    for name in ("usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "run", "etc", "proc", "sys", "dev", "var", "opt/bin"):
        (root / name).mkdir(parents=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    (root / "var/run").symlink_to("../run")
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/nsswitch.conf").write_text("hosts: files dns\n")
