# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's cache of what is slow to build: outside of the tree, shared by all checkouts, safe to remove."""

from __future__ import annotations

import fcntl
import hashlib
import os
import pathlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ansible_collections.kubeops.kops.tests.lab.commands import run


def directory() -> pathlib.Path:
    """$KOPS_LAB_CACHE, else kubeops-kops-lab below the user's cache directory. Made when it is not there."""
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    found = pathlib.Path(os.environ.get("KOPS_LAB_CACHE") or pathlib.Path(base) / "kubeops-kops-lab")
    found.mkdir(parents=True, exist_ok=True)
    return found


def key_of(*parts: str | bytes) -> str:
    """A short name that depends on all given parts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:16]


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Only one process builds an entry at a time; others wait, and then use it."""
    with (directory() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def unpacked(name: str, fetch: Callable[[pathlib.Path], object]) -> pathlib.Path:
    """The directory with what Debian packages hold, unpacked once; nothing is installed. fetch: puts them into one."""
    target = directory() / name
    if not target.is_dir():
        partial = target.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        fetch(partial)
        for package in partial.glob("*.deb"):
            run("dpkg", "-x", str(package), str(partial))
        partial.rename(target)
    return target
