# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of the Kubernetes API of a cluster on Google Cloud, and the control planes behind them.

Source: GetApiIngressStatus in upup/pkg/fi/cloudup/gce/gce_cloud.go of kops.
"""

from __future__ import annotations

from typing import Any

from ...api.cloud_names import safe_cluster_name
from ..endpoints import Endpoint
from ..instances import Target
from .cloud import COMPUTE, GCECloud
from .identifiers import last_component
from .instances import CLUSTER_LABEL

# What the names of the API's forwarding rules begin with.
_API = "api-"
_INTERNAL = "INTERNAL"
_HEALTHY = "HEALTHY"


def api_endpoints(cloud: GCECloud) -> list[Endpoint]:
    """The addresses of the API's forwarding rules, those that users reach from outside first; empty for none."""
    found = {
        (rule["IPAddress"], str(rule.get("loadBalancingScheme", "")).startswith(_INTERNAL))
        for rule in cloud.once(forwarding_rules)
        if rule["name"].startswith(_API) and rule.get("IPAddress") and _is_ours(cloud, rule)
    }
    return [Endpoint(host, internal) for host, internal in sorted(found, key=lambda each: (each[1], each[0]))]


def api_targets(cloud: GCECloud) -> list[Target] | None:
    """The instances behind the API's forwarding rules, as they are now; None without a load balancer."""
    cloud.forget(forwarding_rules)
    health = api_health(cloud)
    if health is None:
        return None
    found: dict[str, Target] = {}
    for status in (each for statuses in health.values() for each in statuses):
        target = Target(
            last_component(status["instance"]),
            status.get("healthState") == _HEALTHY,
            str(status.get("healthState", "unknown")).lower(),
        )
        found.setdefault(target.name, target)
    return sorted(found.values(), key=lambda each: each.name)


def api_health(cloud: GCECloud) -> dict[str, list[dict[str, Any]]] | None:
    """Target pool or backend service behind the API's forwarding rules -> what it says of each of its instances.

    By kind and name ("targetPools/api-demo"), as one of each may have the same name. None without a load balancer.
    """
    rules = [each for each in cloud.once(forwarding_rules) if each["name"].startswith(_API) and _is_ours(cloud, each)]
    if not rules:
        return None
    return {
        f"{kind}/{name}": _health(cloud, kind, name)
        for kind, field in (("targetPools", "target"), ("backendServices", "backendService"))
        for name in sorted({last_component(rule[field]) for rule in rules if f"/{kind}/" in rule.get(field, "")})
    }


def _health(cloud: GCECloud, kind: str, name: str) -> list[dict[str, Any]]:
    """What a target pool or a backend service says of each of its instances."""
    path = f"{cloud.project}/regions/{cloud.region}/{kind}/{name}"
    found = cloud.get(COMPUTE, path) or {}
    if kind == "targetPools":
        asked = [{"instance": url} for url in found.get("instances") or ()]
    else:
        asked = [{"group": each["group"]} for each in found.get("backends") or ()]
    answers = (cloud.ask(COMPUTE, f"{path}/getHealth", each) for each in asked)
    return [status for answer in answers for status in answer.get("healthStatus") or ()]


def forwarding_rules(cloud: GCECloud) -> list[dict[str, Any]]:
    """All forwarding rules of the region."""
    return cloud.listed(f"{cloud.project}/regions/{cloud.region}/forwardingRules")


def _is_ours(cloud: GCECloud, rule: dict[str, Any]) -> bool:
    return (rule.get("labels") or {}).get(CLUSTER_LABEL) == safe_cluster_name(cloud.cluster_name)
