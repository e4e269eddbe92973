# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data of kops' etcd-manager on a disk of a member is taken over where it is.

etcd-manager keeps it in ``data/<token>/member``. etcd is started here with ``data``, in which a link ``member`` leads
there. Nothing of etcd-manager's is moved or changed, so that it can go on with the same disk.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from ...base.errors import KopsError
from .manager_state import ManagerState, StateError, read_state
from .manifest import has_data

_DATA, _MEMBER = "data", "member"
_VERSION = re.compile(r"(?:^|:)v?(\d+)\.(\d+)\.\d")


@dataclass(frozen=True)
class Start:
    """How the NodeConfig starts a member: its name in the etcd cluster, its URL for the others, its image."""

    name: str
    peer_url: str
    image: str = ""


def of_manager(directory: str, owner: object, start: Start) -> ManagerState | None:
    """What etcd-manager left on a disk that is mounted there, if it can be taken over. None if there is nothing of it,
    or if the disk has data in our layout since then (a backup was restored).

    owner: names the disk in errors. Raises KopsError, which says what to do, for data that cannot be taken over.
    """
    path = os.path.join(directory, _DATA, _MEMBER)
    if os.path.isdir(path) and not os.path.islink(path):
        return None
    try:
        state = read_state(directory)
    except StateError as error:
        raise KopsError(
            f"{owner}: the file state of etcd-manager cannot be read ({error}); nothing is written to it. Restore a "
            "snapshot of the volume, or give the member an empty volume if the other members have a majority"
        ) from error
    if state is None:
        return None
    # What it says of versions, for example, is history once the data has been taken over.
    is_linked = os.path.islink(path) and os.readlink(path) == _target(state) and has_data(directory, _DATA)
    problem = "" if is_linked else _problem(directory, state, start)
    if problem:
        raise KopsError(f"{owner} holds data of etcd-manager that cannot be taken over: {problem}")
    return state


def link(directory: str, state: ManagerState) -> None:
    """Let ``data/member`` lead to the data. At any point at which it may end, another call completes it."""
    path, target = os.path.join(directory, _DATA, _MEMBER), _target(state)
    if os.path.islink(path) and os.readlink(path) == target:
        return
    temporary = f"{path}.new"
    if os.path.lexists(temporary):
        os.unlink(temporary)
    os.symlink(target, temporary)
    os.replace(temporary, path)
    descriptor = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _target(state: ManagerState) -> str:
    return f"{state.token}/{_MEMBER}"


def _problem(directory: str, state: ManagerState, start: Start) -> str:
    """Why it cannot be taken over and what to do; "" if it can."""
    if not state.token:
        return (
            "etcd-manager has taken the member out of its etcd cluster. Give the member an empty volume: it gets the "
            "data from the other members"
        )
    if start.name not in state.nodes:
        return (
            f"it is that of {', '.join(sorted(state.nodes)) or 'no member'}, and this member is {start.name}. Correct "
            "the volume's tags"
        )
    if state.is_quarantined:
        return (
            "etcd-manager has not finished forming the etcd cluster, or restoring a backup. Let instances of kops "
            "finish that first"
        )
    urls = state.nodes[start.name]
    if start.peer_url not in urls:
        plain = any(url.startswith("http:") for url in urls)
        return f"the other members know it as {', '.join(urls)}, and here it is {start.peer_url}. " + (
            "Let etcd-manager change to TLS first" if plain else "Keep kops' instances, or restore a backup"
        )
    return _wrong_version(state.version, start.image) or (
        ""
        if has_data(directory, f"{_DATA}/{state.token}")
        else f"the directory {_DATA}/{state.token} has no data. Restore a snapshot of the volume, or give the member "
        "an empty volume if the other members have a majority"
    )


def _wrong_version(before: str, image: str) -> str:
    """Etcd goes on with data of its own minor version, or of the one before."""
    was, becomes = _VERSION.search(before), _VERSION.search(image)
    if not was or not becomes:
        return ""
    (major, minor), wanted = map(int, was.groups()), (int(becomes.group(1)), int(becomes.group(2)))
    if wanted in ((major, minor), (major, minor + 1)):
        return ""
    return (
        f"it is of etcd {before}, and {image} is configured. Set spec.etcdClusters[].version to {major}.{minor} or "
        f"{major}.{minor + 1}, and run update_cluster"
    )
