# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes of a small cluster on bare metal, to vary; and a set of authorities that is made once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.build import node_config
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.context import NodeContext
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.files.assets import FileAsset, file_assets
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.files.stored_secrets import StoredSecrets
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import Keyset

AUTHORITIES = (
    *("kubernetes-ca", "apiserver-aggregator-ca", "service-account", "etcd-clients-ca", "etcd-clients-ca-cilium"),
    *("etcd-peers-ca-main", "etcd-peers-ca-events", "etcd-peers-ca-leases", "etcd-peers-ca-cilium"),
)
METAL = {
    "cloudProvider.aws": None,
    "cloudControllerManager": None,
    "dnsZone": None,
    "networking.topology": {"dns": "None"},
    "networking.serviceClusterIPRange": "100.64.0.0/13",
    "kubeAPIServer.securePort": 443,
    "kubeAPIServer.anonymousAuth": False,
    "kubeProxy": {"cpuRequest": "100m", "image": "registry.k8s.io/kube-proxy:v1.34.0"},
    "containerd": {"version": "2.3.4", "runc": {"version": "1.4.3"}, "sandboxImage": "registry.k8s.io/pause:3.10.1"},
}


@pytest.fixture(name="keysets", scope="session")
def make_keysets() -> dict[str, Keyset]:
    """A keyset of each name; they share a key, as making keys takes long."""
    key = pki.generate_private_key()
    made = {}
    for name in AUTHORITIES:
        made[name] = Keyset()
        made[name].add(pki.issue(pki.CertificateRequest("ca", pki.Subject(name), private_key=key)), primary=True)
    return made


@pytest.fixture(name="stored")
def make_stored(keysets) -> StoredSecrets:
    """What the store of the small cluster has for its nodes."""
    return StoredSecrets(keysets, {"dockerconfig": b"{}", "encryptionconfig": b"s3cret"})


def summed(cluster: Cluster, architecture: str) -> list[FileAsset]:
    """The files that nodes download, all with a checksum."""
    return [replace(file, sha256=file.sha256 or "0" * 64) for file in file_assets(cluster, architecture)]


@pytest.fixture(name="node_of")
def make_node(context_of):
    """Function: the NodeContext of a group ("control-plane", "nodes") with fields of the cluster and the groups set."""

    def make(
        group: str = "nodes",
        fields: dict[str, Any] | None = None,
        spec: dict[str, Any] | None = None,
        on_metal: bool = True,
        **more: Any,
    ) -> NodeContext:
        context = context_of({**(METAL if on_metal else {}), **(fields or {})}, {group: spec or {}})
        if on_metal:
            context.cluster.metadata.labels["alpha.kops.k8s.io/cloud"] = "metal"
        files = summed(context.cluster, more.get("architecture", "amd64"))
        return NodeContext(context.cluster, context.group(group), **{"files": files, **more})

    return make


@pytest.fixture(name="config_of")
def make_config(node_of):
    """Function: the NodeConfig of what node_of gives."""
    return lambda *arguments, **more: node_config(node_of(*arguments, **more))


def by(key: str, items: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Items by one of their values; of several the first, which is that of the most usual distributions."""
    return {item[key]: item for item in reversed(items)}


@pytest.fixture(name="pod_of")
def make_pod(config_of):
    """Function: the manifest of a static pod, parsed, of the group of which config_of gives the NodeConfig."""

    def pod(name: str, *arguments: Any, **more: Any) -> dict[str, Any]:
        return yaml.safe_load(by("name", config_of(*arguments, **more)["staticPods"])[name]["content"])

    return pod


@pytest.fixture(name="file_of")
def make_file(config_of):
    """Function: the content of a file, of the group of which config_of gives the NodeConfig."""
    return lambda path, *arguments, **more: by("path", config_of(*arguments, **more)["files"])[path]["content"]


@pytest.fixture(name="replaced")
def make_replaced():
    """Function: a NodeContext with other values."""
    return replace
