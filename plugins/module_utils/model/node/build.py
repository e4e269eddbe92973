# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The NodeConfig of a group's nodes, and what goes with it to a single node.

A NodeConfig is the same for all nodes of a group and architecture, holds no secret, and leaves nothing to decide: what
differs from node to node is a fact that its texts name (``@@NODE_NAME@@``). Secrets go beside it, node by node.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...api.versions import Version
from ...base import labels
from ...completion.node_labels import node_labels
from ...node.config import render
from ...statestore import pki
from ...statestore.keyset import KUBERNETES_CA
from . import (
    binaries,
    cloud_config,
    containerd,
    credentials,
    etcd,
    file_assets,
    firewall,
    health,
    hooks,
    hosts,
    keepalived,
    kernel,
    kube_apiserver,
    kube_controller_manager,
    kube_proxy,
    kube_scheduler,
    kubelet,
    logrotate,
    networking,
    ntp,
    packages,
    updates,
    volumes,
)
from .certificates import Certificate, request, still_fits
from .context import NodeContext
from .draft import Draft
from .kubeconfigs import kubeconfig_text
from .stored_secrets import StoredSecrets

SCHEMA = 1
_MARKER = re.compile(r"@@([A-Z][A-Z0-9_]*)@@")

# What every machine gets, bastions included.
_ALL = (packages, ntp, updates, hooks, file_assets, volumes)
_NODES = (kernel, firewall, hosts, credentials, binaries, containerd, networking, kubelet, kube_proxy, logrotate)
_API_SERVERS = (cloud_config, kube_apiserver)
_CONTROL_PLANE = (etcd, kube_controller_manager, kube_scheduler, keepalived)
_PARTS = {
    "Bastion": (*_ALL,),
    "Node": (*_ALL, *_NODES, health),
    "APIServer": (*_ALL, *_NODES, *_API_SERVERS, health),
    "ControlPlane": (*_ALL, *_NODES, *_API_SERVERS, *_CONTROL_PLANE, health),
    # kops' experiments: nodes, of which nothing is known here that they run beside.
    **dict.fromkeys(("Etcd", "Scheduler", "KubeControllerManager"), (*_ALL, *_NODES, health)),
}
_NO_CERTIFICATES: Mapping[str, str] = MappingProxyType({})


def node_config(context: NodeContext) -> dict[str, Any]:
    """The NodeConfig, as plain data in schema 1 (docs/node-config.md)."""
    items = _draft(context).items
    config: dict[str, Any] = {
        "schema": SCHEMA,
        "cluster": context.name,
        "instanceGroup": context.group.metadata.name,
        "role": context.role,
        "architecture": context.architecture,
        "kubernetesVersion": str(Version.parse(context.cluster.spec.kubernetes_version or "")),
        **items,
    }
    if context.role != "Bastion":
        config["nodeLabels"] = labels_of(context.cluster, context.group, context.features)
    return {**config, "facts": facts_of(config)}


def labels_of(cluster: Cluster, group: InstanceGroup, features: frozenset[str]) -> dict[str, str]:
    """The labels of the Node objects of a group, its own among them."""
    return {**node_labels(cluster, group, features), labels.INSTANCE_GROUP: str(group.metadata.name)}


def facts_of(config: Any) -> list[str]:
    """The names of the facts that plain data asks for, sorted."""
    return sorted(set(_MARKER.findall(render(config))))


def node_secrets(
    context: NodeContext,
    stored: StoredSecrets,
    facts: Mapping[str, str],
    current: Mapping[str, str] = _NO_CERTIFICATES,
    now: datetime.datetime | None = None,
) -> dict[str, str]:
    """The secrets document of one node: name -> base64. It belongs to the NodeConfig of the same context.

    facts: of the node. current: the certificates (PEM) that the node has and has the keys of, by name, as it reports
    for what its NodeConfig lists under `certificates`: those that still fit are not issued again, nor in the result.
    now: for tests. Raises KopsError for a missing fact, keyset or secret, PKIError for what cannot be issued.
    """
    draft = _draft(context)
    found = {name: content(stored) for name, content in draft.stored.items()}
    moment = now or datetime.datetime.now(datetime.timezone.utc)
    for certificate in draft.issued:
        wanted, signer = request(certificate, facts), stored.keyset(certificate.signer)
        if not still_fits(current.get(certificate.name, ""), wanted, signer, moment):
            # Keys of a node's own: with RSA, making them would take most of the time of a run.
            wanted = dataclasses.replace(wanted, private_key=pki.generate_elliptic_key())
            found.update(_files(stored, certificate, pki.issue(wanted, signer.signer())))
    return {name: base64.b64encode(content).decode() for name, content in found.items()}


def _files(stored: StoredSecrets, certificate: Certificate, pair: pki.KeyPair) -> dict[str, bytes]:
    names = [name for _path, name, _mode in certificate.files]
    if certificate.kubeconfig:
        authorities = stored.keyset(KUBERNETES_CA).certificate_bundle()
        text = kubeconfig_text(certificate.name, certificate.server, authorities, pair.certificate, pair.private_key)
        return dict(zip(names, [text.encode()]))
    chain = stored.keyset(certificate.signer).signer().certificate if certificate.with_authority else ""
    return dict(zip(names, [(pair.certificate + chain).encode(), pair.private_key.encode()]))


def _draft(context: NodeContext) -> Draft:
    draft = Draft()
    for part in _PARTS[context.role]:
        part.build(context, draft)
    return draft
