# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cluster objects in a store: the metadata that a write sets, and whether a write is needed."""

from __future__ import annotations

import datetime
from typing import TypeVar

from ..api import codec
from ..api.cluster import Cluster
from ..api.instance_group import InstanceGroup
from ..base.errors import KopsError
from .vfs.open import spelled_as_kops

Stored = TypeVar("Stored", Cluster, InstanceGroup)

# The label with the name of an instance group's cluster.
LABEL_CLUSTER = "kops.k8s.io/cluster"


def revised(wanted: Stored, stored: Stored | None) -> Stored:
    """The object to write over the stored one (None: there is none). Both arguments stay unchanged.

    creationTimestamp stays that of the first write. generation is incremented by every change of the specification.
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
    """A copy with its own directory as spec.configBase, as kops fills it in when it reads a cluster.

    Two spellings of a local directory are the same.
    """
    result = codec.copy(cluster)
    result.spec.config_store.base = spelled_as_kops(result.spec.config_store.base or base)
    return result


def labelled(group: InstanceGroup, cluster_name: str) -> InstanceGroup:
    """A copy with its cluster's label. Raises KopsError if it has the label of another cluster."""
    label = group.metadata.labels.get(LABEL_CLUSTER, cluster_name)
    if label != cluster_name:
        raise KopsError(f"instance group {group.metadata.name} has the label of cluster {label}, not of {cluster_name}")
    result = codec.copy(group)
    result.metadata.labels[LABEL_CLUSTER] = cluster_name
    return result


def timestamp() -> str:
    """The present time in the format of metadata (RFC 3339, seconds)."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
