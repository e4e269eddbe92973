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
from collections.abc import Mapping
from typing import Any

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...api.taints import parse_taint
from ...api.validation.entry import in_group, raise_for
from ...api.versions import Version
from ...base import labels
from ...completion.node_labels import node_labels
from ...exchange.document import POD_PREFIX, SCHEMA, markers
from ...exchange.kubeconfigs import kubeconfig_text
from ...exchange.references import content
from ...statestore import pki
from ...statestore.keyset import KUBERNETES_CA
from . import credentials, renewal
from .certificates import Certificate, request, still_fits
from .context import NodeContext
from .control_plane import (
    bootstrap_server,
    cloud_config,
    controllers,
    etcd,
    etcd_backups,
    etcd_names,
    health,
    keepalived,
    kube_apiserver,
    kube_controller_manager,
    kube_scheduler,
)
from .draft import Draft
from .files import binaries, file_assets
from .files.stored_secrets import StoredSecrets
from .refused import refused_items
from .runtime import containerd, kube_proxy, kubelet, networking
from .system import (
    egress_proxy,
    firewall,
    hooks,
    host_network,
    hosts,
    kernel,
    logrotate,
    ntp,
    packages,
    updates,
    volumes,
)

# What every machine gets, bastions included.
_ALL = (packages, ntp, hooks, updates, file_assets, volumes)
_NODES = (
    *(kernel, firewall, hosts, egress_proxy, credentials, binaries, containerd, networking, host_network, kubelet),
    *(kube_proxy, logrotate, renewal),
)
_API_SERVERS = (cloud_config, kube_apiserver)
_CONTROL_PLANE = (
    *(etcd, etcd_names, etcd_backups, kube_controller_manager, kube_scheduler, keepalived, bootstrap_server),
    controllers,
)
_PARTS = {
    "Bastion": (*_ALL,),
    "Node": (*_ALL, *_NODES, health),
    "APIServer": (*_ALL, *_NODES, *_API_SERVERS, health),
    "ControlPlane": (*_ALL, *_NODES, *_API_SERVERS, *_CONTROL_PLANE, health),
    # kops' experiments: nodes, of which nothing is known here that they run beside.
    **dict.fromkeys(("Etcd", "Scheduler", "KubeControllerManager"), (*_ALL, *_NODES, health)),
}


@dataclasses.dataclass(frozen=True)
class Present:
    """What a node has of what its NodeConfig lists under `certificates`, as it reports it; by the names there.

    certificates: as PEM, of those whose keys it has. kubeconfigs: their server and authorities (PEM).
    """

    certificates: Mapping[str, str] = dataclasses.field(default_factory=dict)
    kubeconfigs: Mapping[str, Mapping[str, str]] = dataclasses.field(default_factory=dict)


def node_config(context: NodeContext) -> dict[str, Any]:
    """The NodeConfig, as plain data in schema 1 (docs/node-config.md).

    Raises ValidationError for all that a node would refuse of it: by the node's own schema, before it is stored.
    """
    draft = _draft(context)
    items = draft.items
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
        own = {item["path"] for item in items.get("files", ())}
        if files := [path for path in networking.of_other_networks(context) if path not in own]:
            config["absent"] = {"files": files}
        if context.warm_pool:
            config["warmPool"] = dict(context.warm_pool)
        if environment := egress_proxy.variables(context):
            config["environment"] = environment
    if context.role == "ControlPlane" and (directories := etcd.control_directories(context)):
        config["etcdControl"] = directories
    config["facts"] = sorted({*markers(config), *_asked(context)})
    problems = map(in_group, refused_items(draft, config, config["instanceGroup"]))
    raise_for(list(problems), f"cluster {context.name}")
    return config


def _asked(context: NodeContext) -> list[str]:
    """Facts that no text uses, but that a node has to find out: it sees to what they are about."""
    has_prefix = context.is_ipv6_only and context.cloud.assigns_pod_prefixes
    return [POD_PREFIX] if has_prefix and context.role != "Bastion" else []


def labels_of(cluster: Cluster, group: InstanceGroup, features: frozenset[str]) -> dict[str, str]:
    """The labels of the Node objects of a group, its own among them."""
    return {**node_labels(cluster, group, features), labels.INSTANCE_GROUP: str(group.metadata.name)}


def taints_of(group: InstanceGroup) -> list[dict[str, str]]:
    """The taints of the Node objects of a group, as in the API. Raises KopsError for a text that is not a taint."""
    return [parse_taint(taint) for taint in (group.spec.kubelet.taints if group.spec.kubelet else [])]


def node_secrets(
    context: NodeContext,
    stored: StoredSecrets,
    facts: Mapping[str, str],
    present: Present | None = None,
    now: datetime.datetime | None = None,
) -> dict[str, str]:
    """The secrets document of one node: name -> base64. It belongs to the NodeConfig of the same context.

    facts: of the node. present: what the node has; what of it still fits is not issued again, nor in the result.
    now: for tests. Raises KopsError for a missing fact, keyset or secret, PKIError for what cannot be issued.
    """
    draft, present = _draft(context), present or Present()
    found = {name: content(name, stored) for name in draft.stored}
    moment = now or datetime.datetime.now(datetime.timezone.utc)
    for certificate in draft.issued:
        wanted, signer = request(certificate, facts), stored.keyset(certificate.signer)
        fits = still_fits(present.certificates.get(certificate.name, ""), wanted, signer, moment)
        if not (fits and _leads_there(certificate, stored, present)):
            # Keys of a node's own: with RSA, making them would take most of the time of a run.
            wanted = dataclasses.replace(wanted, private_key=pki.generate_elliptic_key())
            found.update(_files(stored, certificate, pki.issue(wanted, signer.signer())))
    return {name: base64.b64encode(content).decode() for name, content in found.items()}


def _leads_there(certificate: Certificate, stored: StoredSecrets, present: Present) -> bool:
    """Whether a kubeconfig has the server and trusts the CAs that it would get today. Other certificates have neither.

    Without this, a node would trust a new CA only once it has a certificate of it, when it is too late.
    """
    if not certificate.kubeconfig:
        return True
    wanted = {"server": certificate.server, "authorities": stored.authority(KUBERNETES_CA).decode()}
    return present.kubeconfigs.get(certificate.name) == wanted


def _files(stored: StoredSecrets, certificate: Certificate, pair: pki.KeyPair) -> dict[str, bytes]:
    names = [name for _path, name, _mode in certificate.files]
    if certificate.kubeconfig:
        authorities = stored.authority(KUBERNETES_CA).decode()
        text = kubeconfig_text(certificate.name, certificate.server, authorities, pair.certificate, pair.private_key)
        return dict(zip(names, [text.encode()]))
    chain = stored.keyset(certificate.signer).signer().certificate if certificate.with_authority else ""
    return dict(zip(names, [(pair.certificate + chain).encode(), pair.private_key.encode()]))


def _draft(context: NodeContext) -> Draft:
    draft = Draft()
    for part in _PARTS[context.role]:
        part.build(context, draft)
    draft.finish()
    return draft
