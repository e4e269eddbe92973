# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection kubernetes.core, by which users install charts."""

from __future__ import annotations

import pathlib
import shutil

from ansible_collections.kubeops.kops.tests.lab import cache
from ansible_collections.kubeops.kops.tests.support import released_collections


def collections() -> pathlib.Path:
    """A directory of collections (of ANSIBLE_COLLECTIONS_PATH) with it, kept in the cache."""
    target = cache.directory() / f"kubernetes-core-{cache.key_of(released_collections.REQUIREMENTS.read_bytes())}"
    with cache.locked("kubernetes-core"):
        if not target.is_dir():
            partial = target.with_suffix(".partial")
            shutil.rmtree(partial, ignore_errors=True)
            released_collections.unpack(partial, "kubernetes.core")
            partial.rename(target)
    return target
