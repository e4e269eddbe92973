# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection kubernetes.core, by which users install charts, out of the release of Ansible that contains it."""

from __future__ import annotations

import pathlib
import shutil
import sys
import tempfile
import zipfile

from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.lab import cache
from ansible_collections.kubeops.kops.tests.lab.commands import run

_REQUIREMENTS = ROOT / "requirements" / "kubernetes-core.txt"
_COLLECTION = "ansible_collections/kubernetes/core/"


def collections() -> pathlib.Path:
    """A directory of collections (of ANSIBLE_COLLECTIONS_PATH) with it, kept in the cache."""
    target = cache.directory() / f"kubernetes-core-{cache.key_of(_REQUIREMENTS.read_bytes())}"
    with cache.locked("kubernetes-core"):
        if not target.is_dir():
            partial = target.with_suffix(".partial")
            shutil.rmtree(partial, ignore_errors=True)
            with tempfile.TemporaryDirectory(dir=cache.directory()) as directory:
                options = ("--quiet", "--no-deps", "--require-hashes", "--dest", directory)
                run(sys.executable, "-m", "pip", "download", *options, "--requirement", str(_REQUIREMENTS))
                (wheel,) = pathlib.Path(directory).glob("*.whl")
                with zipfile.ZipFile(wheel) as archive:
                    archive.extractall(partial, [name for name in archive.namelist() if name.startswith(_COLLECTION)])
            partial.rename(target)
    return target
