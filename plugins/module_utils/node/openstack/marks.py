# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""By what objects in OpenStack say whose they are: kops' own names (cloud/openstack/names.py has those it writes)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Of servers.
CLUSTER, GROUP, ROLE = "k8s", "KopsInstanceGroup", "KopsRole"
# Of ports, and of volumes.
CLUSTER_TAG, ETCD = "KubernetesCluster", "k8s.io/etcd/"
CONTROL_PLANE, WORKER = "ControlPlane", "Node"


def metadata_of(described: Mapping[str, Any]) -> Mapping[str, str]:
    """What a server or volume says of itself."""
    return described.get("metadata") or {}


def addresses_of(server: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    """The addresses of a server, IPv4 first. kind: fixed or floating."""
    every = [each for addresses in (server.get("addresses") or {}).values() for each in addresses]
    every.sort(key=lambda each: int(each.get("version") or 4))
    return tuple(str(each["addr"]) for each in every if each.get("OS-EXT-IPS:type", "fixed") == kind)
