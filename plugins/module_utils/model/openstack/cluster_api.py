# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of Cluster API Provider OpenStack (CRDs of sigs.k8s.io/cluster-api-provider-openstack 0.11, v1beta1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...api.instance_group import InstanceGroup
from ...cloud.openstack import names
from ...cloud.openstack.tasks.server_template import ServerTemplate
from ...engine.task import Task
from ..cluster_api.infrastructure import Infrastructure, Manifest, nothing_found, nothing_needed
from ..cluster_api.rows import Row, get, number_of, put, text_of
from .spec import BOOT_VOLUME, BOOT_VOLUME_SIZE

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OPENSTACK = "spec.cloudConfig.openstack"
_ROUTER, _BALANCER = f"{_OPENSTACK}.router", "spec.apiServerLoadBalancer"
_SERVERS = "cloudConfig.openstack.router.dnsServers"
_ANNOTATION = "metadata.annotations[openstack.kops.io/{}]"


def _by(identifier: Any) -> dict[str, Any]:
    """What a user names by its id or its name."""
    return {"id": identifier} if _ID.fullmatch(str(identifier)) else {"filter": {"name": identifier}}


def _named(found: Any) -> str | None:
    return (found.get("id") or get(found, "filter.name")) if isinstance(found, Mapping) else None


def _managed(spec: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The provider makes one subnet at most, and takes any number of those that are there."""
    subnets = spec.get("subnets") or []
    if len(subnets) != 1 or subnets[0].get("id") or not subnets[0].get("cidr"):
        return None
    servers = [each.strip() for each in (get(spec, _SERVERS) or "").split(",") if each.strip()]
    return [{"cidr": subnets[0]["cidr"], **({"dnsNameservers": servers} if servers else {})}]


def _managed_here(said: list[dict[str, Any]]) -> dict[str, Any]:
    spec: dict[str, Any] = {"subnets": [{"cidr": each["cidr"]} for each in said]}
    servers = get(said, "[0].dnsNameservers")
    if servers:
        put(spec, _SERVERS, ",".join(servers))
    return spec


def _given_subnets(subnets: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    return [_by(each["id"]) for each in subnets if each.get("id")] or None


CLUSTER = (
    Row("spec.networkID", "spec.network", _by, _named),
    Row("spec", "spec.managedSubnets", _managed, _managed_here),
    Row("spec.subnets", "spec.subnets", _given_subnets, lambda said: [{"id": _named(each)} for each in said]),
    Row(f"{_ROUTER}.externalNetwork", "spec.externalNetwork", _by, _named),
    Row(f"{_OPENSTACK}.loadbalancer", f"{_BALANCER}.enabled", lambda _given: True, lambda said: {} if said else None),
    Row(f"{_OPENSTACK}.loadbalancer.provider", f"{_BALANCER}.provider"),
    Row(f"{_OPENSTACK}.loadbalancer.floatingNetwork", "spec.externalNetwork", _by, _named),
)
MACHINE = (
    Row("spec.machineType", "flavor"),
    Row("spec.image", "image", _by, _named),
    Row(_ANNOTATION.format(BOOT_VOLUME_SIZE), "rootVolume.sizeGiB", number_of, text_of),
    Row(_ANNOTATION.format(BOOT_VOLUME), "rootVolume", lambda _said: None, lambda _volume: "true"),
    Row(
        "spec.additionalSecurityGroups",
        "securityGroups",
        lambda given: [_by(each) for each in given],
        lambda said: [each for each in map(_named, said) if each],
    ),
)


def _cluster_needs(cluster: Manifest) -> dict[str, Any]:
    """The user makes the Secret with the login, clouds.yaml: no specification has one."""
    identity = {"name": f"{cluster['metadata']['name'].replace('.', '-')}-cloud-config", "cloudName": "openstack"}
    needed: dict[str, Any] = {"identityRef": identity}
    if not get(cluster, f"{_ROUTER}.externalNetwork"):
        needed["disableExternalNetwork"] = True
    return {**needed, "managedSecurityGroups": {"allowAllInClusterTraffic": True}}


def _template(tasks: Mapping[str, Task[Any]], cluster: str, group: InstanceGroup) -> Task[Any]:
    return tasks[f"{ServerTemplate.__name__}/{group.metadata.name}"]


def _made_from(template: ServerTemplate, cluster: str, group: str) -> dict[str, Any]:
    """Bootstrap servers know a server by its metadata, and its addresses by a tag of its port."""
    metadata, network = template.metadata or {}, template.network
    return {
        "sshKeyName": template.key_name or "",
        "configDrive": bool(template.config_drive),
        "serverMetadata": [{"key": key, "value": metadata[key]} for key in sorted(metadata)],
        "securityGroups": [
            _by(each.name) for each in sorted(template.security_groups or (), key=lambda each: each.name)
        ],
        **({"serverGroup": _by(template.server_group.name)} if template.server_group else {}),
        "ports": [
            {
                **({"network": _by(network.name)} if network else {}),
                "fixedIPs": [{"subnet": _by(each.name)} for each in (template.subnets or ())[:1]],
                "tags": [names.cluster_tag(cluster), names.group_tag(group)],
            }
        ],
    }


INFRASTRUCTURE = Infrastructure(
    kind="OpenStack",
    version="v1beta1",
    cluster=CLUSTER,
    machine=MACHINE,
    placing=(),
    cluster_needs=_cluster_needs,
    machine_needs=nothing_needed,
    has_failure_domains=True,
    found=nothing_found,
    template=_template,
    made_from=_made_from,
    user_data=lambda template: template.user_data,
)
