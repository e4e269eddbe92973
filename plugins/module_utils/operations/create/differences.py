# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between a stored cluster and the one that the options give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...api.codec import to_plain
from ...api.differing import differing, without_store_keys
from ...statestore.ssh_keys import fingerprint
from ...statestore.store import ClusterStore
from .draft import Settled
from .specification import NewCluster


def differences(stored: Settled, new: NewCluster, store: ClusterStore) -> Iterator[str]:
    """Differences between a stored cluster and the one that the options give, each as a sentence."""
    yield from _compare("cluster", _plain(stored.cluster), _plain(new.cluster))
    old = {str(group.metadata.name): _plain(group) for group in stored.groups}
    asked = {str(group.metadata.name): _plain(group) for group in new.groups}
    for name in sorted({*old, *asked}):
        if name not in asked:
            yield f"instance group {name}: stored, not from the options"
        elif name not in old:
            yield f"instance group {name}: from the options, not stored"
        else:
            yield from _compare(f"instance group {name}", old[name], asked[name])
    if [item.data for item in store.additional_objects()] != [item.data for item in new.additional_objects]:
        yield "additional objects: the stored ones are not those of the options"
    known = {fingerprint(key) for key in store.ssh_public_keys.list()} if new.ssh_public_keys else set()
    for key in new.ssh_public_keys:
        if known and fingerprint(key) not in known:
            yield f"ssh_public_key: {fingerprint(key)} is not stored; add it with the module ssh_public_key"


def _plain(item: Any) -> dict[str, Any]:
    return without_store_keys(to_plain(item))


def _compare(subject: str, stored: Any, asked: Any) -> Iterator[str]:
    for path, old, new in differing(stored, asked):
        yield f"{subject}, {path}: stored {_shown(old)}, from the options {_shown(new)}"


def _shown(value: Any) -> str:
    return "nothing" if value is None else str(value)
