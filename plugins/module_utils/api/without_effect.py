# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings of fields that are accepted and stored, but change nothing (without_effect_table.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from . import codec, manifest
from .clouds import cloud_of
from .cluster import Cluster
from .instance_group import InstanceGroup
from .shapes import Field, ListOf, Struct, struct_of
from .without_effect_table import ROWS, WORKING

# Attributes and indexes that lead to a value.
_Steps = tuple[Any, ...]


def warnings_of(objects: Iterable[Any]) -> list[str]:
    """A sentence for each object and each reason why fields that it sets change nothing.

    objects: clusters and instance groups as users write them, not completed ones. Others are passed over, and so are
    groups of a cluster that is not among them, and what create_cluster has written unasked. Fields are named as in
    kops.k8s.io/v1alpha2.
    """
    given = list(objects)
    clouds = {obj.metadata.name: cloud_of(obj) for obj in given if isinstance(obj, Cluster)}
    found: list[str] = []
    for obj in given:
        if isinstance(obj, (Cluster, InstanceGroup)):
            name = obj.metadata.name
            cloud = clouds.get(name if isinstance(obj, Cluster) else _cluster_name(obj))
            reasons: dict[str, list[str]] = {}
            for row in ROWS:
                if row.kind is type(obj) and cloud in WORKING and cloud in row.clouds:
                    reasons.setdefault(row.reason, []).extend(_spelled(obj, row.paths))
            found += [
                f"{type(obj).__name__} {name}: no effect on the cluster: {', '.join(paths)} ({reason})"
                for reason, paths in reasons.items()
                if paths
            ]
    return found


def _cluster_name(group: InstanceGroup) -> str | None:
    return group.metadata.labels.get("kops.k8s.io/cluster")


def _spelled(obj: Any, paths: Iterable[str]) -> Iterator[str]:
    """The paths at which an object has something, as its manifest has them."""
    written = None
    for path in paths:
        for steps in _set(obj, struct_of(type(obj)), path.replace("[]", ".[]").split(".")):
            written = written or manifest.to_data(obj)
            yield _difference(written, manifest.to_data(_without(obj, steps))) or path


def _set(value: Any, shape: Any, keys: list[str], steps: _Steps = ()) -> Iterator[_Steps]:
    """Where the value of a path is set, or anything below it."""
    if isinstance(shape, ListOf):
        rest = keys[1:] if keys else keys
        for index, item in enumerate(value):
            if rest:
                yield from _set(item, shape.item, rest, (*steps, index))
        if value and not rest:
            yield steps
    elif keys:
        declared: Field = shape.by_key[keys[0]]
        inner = getattr(value, declared.name)
        if not declared.is_unset(inner):
            yield from _set(inner, declared.shape, keys[1:], (*steps, declared.name))
    elif not isinstance(shape, Struct) or codec.to_plain(value):
        yield steps


def _value(obj: Any, steps: _Steps) -> Any:
    for step in steps:
        obj = obj[step] if isinstance(step, int) else getattr(obj, step)
    return obj


def _without(obj: Any, steps: _Steps) -> Any:
    """A copy of an object in which a value is unset."""
    copied = codec.copy(obj)
    holder = _value(copied, steps[:-1])
    setattr(holder, steps[-1], getattr(type(holder)(), steps[-1]))
    return copied


def _difference(before: Any, after: Any, path: str = "") -> str:
    """The path of the first value that one text has and the other has not."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            here = f"{path}.{key}" if path else key
            if key not in after:
                return here
            if value != after[key]:
                return _difference(value, after[key], here)
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, pair in enumerate(zip(before, after)):
            if pair[0] != pair[1]:
                return _difference(*pair, f"{path}[{index}]")
    return path
