# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""By what objects in DigitalOcean say whose they are: tags (cloud/digitalocean/names.py has those that it writes)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Kops' own.
CLUSTER, GROUP, ROLE, ETCD = "KubernetesCluster", "kops-instancegroup", "kops-instance-role", "etcdCluster-"
CONTROL_PLANE, WORKER = "ControlPlane", "Node"
# Not of kops: what a droplet was made from. Droplets of kops do not say it.
MADE_FROM = "kubeops-made-from"
RUNNING, ENDED = ("new", "active"), ("archive",)


def safe(cluster: str) -> str:
    """The name of a cluster, as tags and names have it."""
    return cluster.replace(".", "-")


def cluster_tag(cluster: str) -> str:
    """The tag of all that a cluster has."""
    return f"{CLUSTER}:{safe(cluster)}"


def tags_of(described: Mapping[str, Any]) -> dict[str, str]:
    """What an object says of itself: key -> value, which may have colons as well."""
    return dict(str(each).partition(":")[::2] for each in described.get("tags") or ())


def is_of(described: Mapping[str, Any], cluster: str) -> bool:
    """Whether an object is a cluster's, by its own tags. DigitalOcean knows a tag in any case."""
    wanted = cluster_tag(cluster).lower()
    return any(str(each).lower() == wanted for each in described.get("tags") or ())


def addresses_of(droplet: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    """The addresses of a droplet, IPv4 first. kind: private or public."""
    networks = droplet.get("networks") or {}
    every = [*(networks.get("v4") or ()), *(networks.get("v6") or ())]
    return tuple(str(each["ip_address"]) for each in every if each.get("type") == kind)


def id_of(droplet: Mapping[str, Any]) -> str:
    """What a droplet, and its Node, is called. Those of kops share one name, and are called by their address."""
    if MADE_FROM in tags_of(droplet):
        return str(droplet["name"])
    return next(iter(addresses_of(droplet, "private")), str(droplet["name"]))
