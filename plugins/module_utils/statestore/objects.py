# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cluster objects as a store keeps them: which metadata a write sets, and whether there is anything to write."""

from __future__ import annotations

import datetime
from typing import TypeVar

from ..api import codec
from ..api.cluster import Cluster
from ..api.instance_group import InstanceGroup
from ..base.errors import KopsError

Stored = TypeVar("Stored", Cluster, InstanceGroup)

# The label that ties an instance group to its cluster.
LABEL_CLUSTER = "kops.k8s.io/cluster"


def revised(wanted: Stored, stored: Stored | None) -> Stored:
    """An object as it is to be written over the stored one (None: there is none); both are left as they are.

    creationTimestamp stays that of the first write. generation grows with every change of the specification.
    """
    result = codec.copy(wanted)
    meta = result.metadata
    if stored is None:
        meta.creation_timestamp = meta.creation_timestamp or timestamp()
        return result
    before = stored.metadata
    meta.creation_timestamp = meta.creation_timestamp or before.creation_timestamp or timestamp()
    if codec.to_plain(wanted.spec) == codec.to_plain(stored.spec):
        meta.generation = before.generation
    else:
        meta.generation = (before.generation or 0) + 1
    return result


def differ(one: Stored, other: Stored) -> bool:
    """Whether two objects would be written differently."""
    return codec.to_plain(one) != codec.to_plain(other)


def with_base(cluster: Cluster, base: str) -> Cluster:
    """A copy that names its own directory in the store, as kops shows every cluster that it reads."""
    result = codec.copy(cluster)
    result.spec.config_store.base = result.spec.config_store.base or base
    return result


def labelled(group: InstanceGroup, cluster_name: str) -> InstanceGroup:
    """A copy with the label of its cluster. Raises KopsError when it has the label of another one."""
    label = group.metadata.labels.get(LABEL_CLUSTER, cluster_name)
    if label != cluster_name:
        raise KopsError(f"instance group {group.metadata.name} is labelled for cluster {label}, not for {cluster_name}")
    result = codec.copy(group)
    result.metadata.labels[LABEL_CLUSTER] = cluster_name
    return result


def timestamp() -> str:
    """Now, as metadata has it (RFC 3339, seconds)."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
