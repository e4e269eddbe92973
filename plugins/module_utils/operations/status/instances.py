# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instances of a cluster, by what its cloud and its Kubernetes API say of them (kops get instances)."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from ...api import questions
from ...api.clouds import cloud_of
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...base.errors import KopsError, in_one_line
from ...base.instance_ids import InstanceIds
from ...base.labels import INSTANCE_GROUP
from ...base.table import table_of
from ...cloud.instances import DETACHED, STRAY, WARM, CloudInstance
from ...cloud.provider import explaining
from ...kubernetes.addons.versions import MARKED, needs_update
from ...kubernetes.client import KubernetesClient
from ...kubernetes.connection import Credentials, RetryPolicy
from ...kubernetes.nodes.instances import claimed_id
from ...kubernetes.nodes.readiness import is_ready
from ...kubernetes.validation.reach import Place, unreachable
from ...statestore.keyset import KUBERNETES_CA
from ...statestore.store import ClusterStore
from ..clouds import open_cloud
from ..group_choice import ROLES, choose_groups
from ..kubeconfig.administrator import admin_pair
from ..kubeconfig.export import api_server_url, internal_name
from .validation import CloudExpectation, CloudValidator

CLOUD, API, BOTH = "cloud", "api", "both"
SOURCES = (CLOUD, API, BOTH)
# Status of an instance, beside what its group would start now. TAKEN_OUT: of its group, by a rolling update.
TAKEN_OUT, OUTDATED, CURRENT = "Detached", "NeedsUpdate", "UpToDate"
# Health of an instance: what its node says. Without the nodes, a group only knows that one has failed.
HEALTHY, UNHEALTHY, MISSING, UNKNOWN = "healthy", "unhealthy", "missing", "unknown"
_ROLE_NAMES = {role: name for name, role in ROLES.items()}
_NODE_ROLE, _TAG_OF_ROLE = "node-role.kubernetes.io/", "k8s.io/role/"
_ZONE, _TYPE = "topology.kubernetes.io/zone", "node.kubernetes.io/instance-type"
# Roles as labels and tags call them, the one that counts first.
_LABELLED = {"control-plane": "control-plane", "master": "control-plane", "api-server": "apiserver", "node": "node"}
_REQUESTS = RetryPolicy(deadline=5)
# Of the certificate with which the API is asked.
_LIFETIME = datetime.timedelta(minutes=10)

_COLUMNS = (
    "ID",
    "NODE-NAME",
    "STATUS",
    "HEALTH",
    "ROLES",
    "STATE",
    "INTERNAL-IP",
    "EXTERNAL-IP",
    "INSTANCE-GROUP",
    "MACHINE-TYPE",
)


@dataclass(frozen=True)
class InstancesOptions:
    """Options of instance_info. source: one of SOURCES. api_server: not the usual one.

    instance_groups, roles: only these groups, or groups of these roles. why: also in what older instances
    differ from new ones, which takes more calls.
    """

    state_store: str
    name: str
    source: str = BOTH
    api_server: str = ""
    instance_groups: Sequence[str] = ()
    roles: Sequence[str] = ()
    why: bool = False


@dataclass
class Instances:
    """Result of instance_info. found: plain data, see _of_machine. bastion: host through which SSH enters; "" for none.

    strays: instances in no group that have the tag of one, in the same form.
    """

    found: list[dict[str, Any]]
    bastion: str = ""
    kubernetes_version: str = ""
    warnings: list[str] = field(default_factory=list)
    strays: list[dict[str, Any]] = field(default_factory=list)


def read_instances(options: InstancesOptions) -> Instances:
    """Instances of a cluster, without ones that are being terminated, by instance group and name.

    Without instances there is no cloud to ask: source both means the API then. If an API does not answer that is asked
    besides a cloud, it is a warning. Raises KopsError if what was asked for cannot be said.
    """
    store = ClusterStore.open(options.state_store, options.name)
    cluster, groups = store.read()
    chosen = choose_groups(groups, options.instance_groups, options.roles)
    cloud = cloud_of(cluster)
    if not cloud.has_instances and options.source == CLOUD:
        raise KopsError(f"cluster {options.name} is on {cloud.title}, which no cloud knows; ask its API (source: api)")
    result = Instances([], kubernetes_version=str(cluster.spec.kubernetes_version or ""), warnings=store.warnings)
    nodes: list[Mapping[str, Any]] | None = None
    if options.source != CLOUD:
        nodes = _nodes(store, cluster, options, result, required=options.source == API or not cloud.has_instances)
    if options.source == API or not cloud.has_instances:
        found = [_of_node(node, groups, cloud.instance_ids) for node in nodes or ()]
    else:
        machines, result.bastion = _from_cloud(cluster, groups, options.why)
        by_address = questions.names_nodes_by_address(cluster)
        members = [(machine, group) for group, members in machines.items() for machine in members]
        found, result.strays = (
            [
                _of_machine(machine, group, groups, nodes, cloud.instance_ids, by_address)
                for machine, group in members
                if (machine.state == STRAY) is stray
            ]
            for stray in (False, True)
        )
    result.found = sorted(
        ({"cluster": options.name, **each} for each in found if chosen is None or each["instance_group"] in chosen),
        key=lambda each: (each["instance_group"], each["id"], each["node"]),
    )
    return result


def text_of(result: Instances) -> str:
    """The instances as a table, with kops' columns and the health."""
    rows = [
        (
            each["id"],
            each["node"],
            each["status"],
            each["health"],
            each["role"],
            each["state"],
            next(iter(each["private_addresses"]), ""),
            next(iter(each["public_addresses"]), ""),
            each["instance_group"],
            each["machine_type"],
        )
        for each in result.found
    ]
    return table_of(_COLUMNS, rows)


# -- the cloud --------------------------------------------------------------------------------------------------------


def _from_cloud(
    cluster: Cluster, groups: Sequence[InstanceGroup], why: bool
) -> tuple[dict[str, list[CloudInstance]], str]:
    """Instances from the API of the cloud, and the host of the bastions."""
    provider, cloud = open_cloud(cluster)
    with explaining(provider):
        machines = provider.looking.machines(cloud, why=why)
        if not any(group.spec.role == "Bastion" for group in groups):
            return machines, ""
        endpoints = provider.looking.bastion_endpoints(cloud)
    topology = cluster.spec.networking.topology
    public_name = topology.bastion.public_name if topology and topology.bastion else None
    return machines, endpoints[0].host if endpoints else public_name or ""


def _of_machine(
    machine: CloudInstance,
    group: str,
    groups: Sequence[InstanceGroup],
    nodes: Sequence[Mapping[str, Any]] | None,
    ids: InstanceIds,
    by_address: bool,
) -> dict[str, Any]:
    """An instance as plain data. nodes: None if the API was not asked."""
    name = (by_address and machine.by_address) or machine.name
    node = next(
        (each for each in nodes or () if machine.name == claimed_id(each, ids) or name == each["metadata"]["name"]),
        None,
    )
    role = _role_of_group(group, groups) or role_of_tags(machine.tags)
    reasons = [machine.outdated] if machine.outdated else []
    if node is not None and needs_update(dict(node)):
        reasons.append(MARKED)
    current = CURRENT if machine.compared else ""
    return {
        "id": machine.name,
        "node": node["metadata"]["name"] if node else "" if nodes is not None or role == "bastion" else name,
        "instance_group": group,
        "role": role,
        "status": TAKEN_OUT if machine.state == DETACHED else OUTDATED if reasons else current,
        "reasons": reasons,
        "state": "WarmPool" if machine.state == WARM else "",
        "health": _health(machine, role, node, asked=nodes is not None),
        "power": machine.power,
        "zone": machine.zone,
        "machine_type": machine.machine_type,
        "private_addresses": list(machine.private_addresses),
        "public_addresses": list(machine.public_addresses),
        "launched": machine.launched.isoformat() if machine.launched else "",
        "kubelet_version": _kubelet_version(node) if node else "",
        "labels": _labels(node) if node else {},
        "tags": dict(machine.tags),
    }


def _health(machine: CloudInstance, role: str, node: Mapping[str, Any] | None, *, asked: bool) -> str:
    if node is not None:
        return HEALTHY if is_ready(node) else UNHEALTHY
    if role == "bastion":  # It is no node: its group knows all that there is.
        return UNKNOWN if machine.healthy is None else HEALTHY if machine.healthy else UNHEALTHY
    # Prepared instances are no nodes yet.
    if asked and machine.state != WARM:
        return MISSING
    return UNHEALTHY if machine.healthy is False else UNKNOWN


# -- the API ----------------------------------------------------------------------------------------------------------


def _nodes(
    store: ClusterStore, cluster: Cluster, options: InstancesOptions, result: Instances, *, required: bool
) -> list[Mapping[str, Any]] | None:
    """The nodes that there are; None with a warning if the API cannot be reached and is not required."""
    try:
        client = api_client(store, cluster, options)
        return list(client.list(client.kind("v1", "Node").path()))
    except KopsError as error:
        if required:
            raise
        result.warnings.append(f"which instances are nodes, and healthy ones, was not asked: {in_one_line(error)}")
        return None


def api_client(
    store: ClusterStore,
    cluster: Cluster,
    options: InstancesOptions,
    retry: RetryPolicy = _REQUESTS,
    *,
    check: bool = False,
) -> KubernetesClient:
    """A client with a certificate of limited life, in no file. Raises KopsError that names the hop that fails.

    check: one that stores nothing. If the cloud is asked as well, control planes are tried where the usual way to the
    API fails.
    """
    if options.source == BOTH and cloud_of(cluster).has_instances:
        expected = CloudExpectation(options.state_store, options.name, api_server=options.api_server)
        return CloudValidator.open(expected).client(retry, check=check)
    authority = store.keysets.find(KUBERNETES_CA)
    if authority is None:
        raise KopsError(f"cluster {options.name} has no CA yet; run update_cluster first")
    pair = admin_pair(authority, _LIFETIME)
    credentials = Credentials(authority.certificate_bundle(), pair.certificate, pair.private_key)
    url = urlsplit(api_server_url(cluster, api_server=options.api_server, lifetime=_LIFETIME, warnings=[]))
    place = Place(
        url.hostname or "", url.port or 443, "the API server", internal_name(options.name), credentials=credentials
    )
    failure = unreachable(place)
    if failure is not None:
        raise KopsError(f"cluster {options.name}: {failure}")
    return place.client(retry, check=check)


def _of_node(node: Mapping[str, Any], groups: Sequence[InstanceGroup], ids: InstanceIds) -> dict[str, Any]:
    """A node as plain data, with the same keys as _of_machine. A cloud would know more."""
    labels, group = _labels(node), _labels(node).get(INSTANCE_GROUP, "")
    reasons = [MARKED] if needs_update(dict(node)) else []
    addresses = (node.get("status") or {}).get("addresses") or ()
    private, public = (
        [str(each["address"]) for each in addresses if each.get("type") == kind]
        for kind in ("InternalIP", "ExternalIP")
    )
    return {
        "id": claimed_id(node, ids),
        "node": node["metadata"]["name"],
        "instance_group": group,
        "role": _role_of_group(group, groups) or _role(_suffixes(labels, _NODE_ROLE)),
        "status": OUTDATED if reasons else "",
        "reasons": reasons,
        "state": "",
        "health": HEALTHY if is_ready(node) else UNHEALTHY,
        "power": "",
        "zone": labels.get(_ZONE, ""),
        "machine_type": labels.get(_TYPE, ""),
        "private_addresses": private,
        "public_addresses": public,
        "launched": "",
        "kubelet_version": _kubelet_version(node),
        "labels": labels,
        "tags": {},
    }


def _labels(node: Mapping[str, Any]) -> dict[str, str]:
    return dict(node["metadata"].get("labels") or {})


def _kubelet_version(node: Mapping[str, Any]) -> str:
    return str((node.get("status") or {}).get("nodeInfo", {}).get("kubeletVersion", ""))


# -- roles ------------------------------------------------------------------------------------------------------------


def _role_of_group(name: str, groups: Sequence[InstanceGroup]) -> str:
    """The role of a group of the specification; "" if it has none of that name any more."""
    role = next((group.spec.role for group in groups if group.metadata.name == name), None)
    return _ROLE_NAMES.get(str(role), "")


def _suffixes(keys: Mapping[str, str], prefix: str) -> set[str]:
    return {key.removeprefix(prefix) for key in keys if key.startswith(prefix)}


def role_of_tags(tags: Mapping[str, str]) -> str:
    """The role that the tags of an instance name, as choices of groups write it; "" if they name none."""
    return _role(_suffixes(tags, _TAG_OF_ROLE))


def _role(found: set[str]) -> str:
    return next((role for name, role in {**_LABELLED, "bastion": "bastion"}.items() if name in found), "")
