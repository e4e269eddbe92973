# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""By what objects in Hetzner Cloud say whose they are: kops' own labels (cloud/hetzner/names.py has all of them)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CLUSTER, GROUP, ROLE = "kops.k8s.io/cluster", "kops.k8s.io/instance-group", "kops.k8s.io/instance-role"
# Of volumes: the cluster of etcd.
VOLUME_ROLE = "kops.k8s.io/volume-role"
# Before the name of a label of the Node.
NODE_LABEL = "node-label.kops.k8s.io."
CONTROL_PLANE, WORKER = "ControlPlane", "Node"
# Of the words for a server's status. Who is off starts again as it was.
RUNNING, ENDING = ("running", "starting", "initializing"), ("deleting",)


def labels_of(described: Mapping[str, Any]) -> Mapping[str, str]:
    """What a server or volume says of itself."""
    return described.get("labels") or {}


def private_addresses(server: Mapping[str, Any]) -> tuple[str, ...]:
    """Its addresses in networks."""
    return tuple(str(each["ip"]) for each in server.get("private_net") or () if each.get("ip"))


def public_addresses(server: Mapping[str, Any]) -> tuple[str, ...]:
    """Its addresses in the world: of IPv6, it has a whole network."""
    address = ((server.get("public_net") or {}).get("ipv4") or {}).get("ip")
    return (str(address),) if address else ()
