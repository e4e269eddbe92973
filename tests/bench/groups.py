# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters with many instance groups."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import WantedCluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, put
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore


def add_groups(store: str, name: str, groups: int) -> None:
    """Let a stored cluster have so many instance groups: further ones are as its first group of workers."""
    _cluster, stored = ClusterStore.open(store, name).read()
    node = next(group for group in stored if group.spec.role == "Node")
    wanted = WantedCluster(name)
    for index in range(groups - len(stored)):
        more = codec.copy(node)
        more.metadata.name = f"nodes-{index:03d}"
        more.spec.node_labels["kops.k8s.io/instancegroup"] = more.metadata.name
        wanted.groups.append(more)
    put(StoreOptions(store), [wanted])
