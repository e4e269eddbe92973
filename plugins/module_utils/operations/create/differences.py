# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a stored cluster differs from what the options give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...api.codec import to_plain
from ...statestore.ssh_keys import fingerprint
from ...statestore.store import ClusterStore
from .draft import Settled
from .specification import NewCluster

# Written with every object that is stored, said by no option.
_STORE_KEYS = ("creationTimestamp", "generation")


def differences(stored: Settled, new: NewCluster, store: ClusterStore) -> Iterator[str]:
    """Where a stored cluster is not what the options give, each as a sentence."""
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
    plain = to_plain(item)
    plain["metadata"] = {key: value for key, value in plain["metadata"].items() if key not in _STORE_KEYS}
    return plain


def _compare(subject: str, old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Where two plain values differ, the deepest place each."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from _compare(subject, old.get(key), new.get(key), f"{path}.{key}" if path else key)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new)):
            yield from _compare(subject, one, other, f"{path}[{index}]")
    elif old != new:
        yield f"{subject}, {path}: stored {_shown(old)}, from the options {_shown(new)}"


def _shown(value: Any) -> str:
    return "nothing" if value is None else str(value)
