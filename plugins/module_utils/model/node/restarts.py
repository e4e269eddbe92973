# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restarts of programs: by the files that a static pod mounts, and by the files that a unit names.

So a file that a program reads cannot be forgotten, whoever adds it: the specification, a part of the NodeConfig, or the
user (spec.fileAssets). kops replaces the node instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any


def read_by_pod(pod: Mapping[str, Any], files: Iterable[str], reloaded: Iterable[str] = ()) -> list[str]:
    """The files that a pod reads only when it starts.

    files: paths on the node. reloaded: those that programs read again when they change. This needs a mounted directory:
    a file that is mounted by itself is the old one until the pod is restarted, since it is replaced, not rewritten.
    """
    mounted, again = _read_only_paths(pod), frozenset(reloaded)
    below = tuple(f"{place}/" for place in mounted)
    return [path for path in files if path in mounted or (path not in again and path.startswith(below))]


def named_by_unit(text: str, files: Iterable[str]) -> list[str]:
    """The files whose paths are in the text of a unit."""
    return [path for path in files if path in text and re.search(re.escape(path) + r"(?![\w./-])", text)]


def _read_only_paths(pod: Mapping[str, Any]) -> set[str]:
    """The host's paths that a pod mounts to read them. What it writes itself is its own."""
    containers, volumes = pod["spec"]["containers"], pod["spec"]["volumes"]
    read = {mount["name"] for each in containers for mount in each["volumeMounts"] if mount.get("readOnly")}
    return {volume["hostPath"]["path"] for volume in volumes if volume["name"] in read}
