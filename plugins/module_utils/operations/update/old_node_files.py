# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NodeConfigs and node programs of earlier updates in the state store, which no instance needs any more.

User data names them by their hashes. What the user data of an instance names that there is, or of an instance that may
be started, stays: an instance reads them when it boots, and one that was stopped may boot in a year.
"""

from __future__ import annotations

import base64
import binascii
import functools
import gzip
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...api.clouds import cloud_of
from ...cloud.tasks._store import below
from ...cloud.tasks.managed_file import ContentAddressedFile
from ...engine.task import Deletion, Task
from ...exchange.store_places import GROUPS
from ...model.node_configs import PROGRAM
from ...statestore.vfs.path import Listed
from .desired import Desired

_KIND = "NodeFile"
_OLD = re.compile(r"igconfig/(?:node-program/([0-9a-f]{64})\.pyz|[^/]+/[^/]+/nodeconfig/([0-9a-f]{64})\.json)")
_HASH = re.compile(r"\b[0-9a-f]{64}\b")
_COMPRESSED = re.compile(r"^base64 -d << '__EOF_BOOT'.*\n([A-Za-z0-9+/=\s]+)\n__EOF_BOOT$", re.MULTILINE)
# Of groups that Karpenter launches: user data that no template of ours has.
_BOOT_SCRIPT = "/boot.sh"


def hashes_in(user_data: str) -> set[str]:
    """The hashes of files that a user data names, compressed or not; others may be among them."""
    found = set(_HASH.findall(user_data))
    for packed in _COMPRESSED.findall(user_data.replace("\r\n", "\n")):
        try:
            found.update(_HASH.findall(gzip.decompress(base64.b64decode(packed)).decode()))
        except (binascii.Error, OSError, EOFError, ValueError):
            continue
    return found


def old_node_files(desired: Desired, tasks: Mapping[str, Task[Any]]) -> list[Deletion]:
    """What an update with these tasks deletes when pruning. The cloud is asked; clouds that cannot say keep all."""
    program = tasks.get(f"{ContentAddressedFile.__name__}/{PROGRAM}")
    base = desired.cluster.spec.config_store.base
    # Updates of a part of the layers say nothing of nodes.
    if program is None or not base:
        return []
    stored = below(desired.cloud, base, GROUPS)
    wanted = [str(task.location) for task in tasks.values() if isinstance(task, ContentAddressedFile)]
    candidates = {place: file for place, file in stored.items() if _OLD.fullmatch(place) and place not in wanted}
    if not candidates:
        return []

    def in_use() -> set[str] | None:
        named = desired.provider.looking.user_data_in_use(desired.cloud)
        if named is None:
            return None
        return _all_hashes([*named, *(file.path.read().decode() for file in _boot_scripts(stored))])

    used = in_use()
    if used is None:
        return []
    reason = f"no instance and no {cloud_of(desired.cluster).template_word} names it"
    # Instances may have been started meanwhile, with what templates named before this update.
    used_by_now = functools.cache(in_use)
    return [
        Deletion(program.key, _KIND, place, functools.partial(_remove, file, used_by_now), deferred=True, reason=reason)
        for place, file in sorted(candidates.items())
        if _hash_of(place) not in used
    ]


def _remove(file: Listed, used_by_now: Callable[[], set[str] | None]) -> None:
    used = used_by_now()
    if used is not None and _hash_of(file.name) not in used:
        file.path.remove()


def _hash_of(place: str) -> str:
    return place.rpartition("/")[2].partition(".")[0]


def _all_hashes(texts: Iterable[str]) -> set[str]:
    return {each for text in texts for each in hashes_in(text)}


def _boot_scripts(stored: Mapping[str, Listed]) -> list[Listed]:
    return [file for place, file in stored.items() if place.endswith(_BOOT_SCRIPT)]
