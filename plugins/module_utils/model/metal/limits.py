# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What hosts cannot do of a specification, whichever hosts they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...api.addresses import parse_address
from ...api.cluster import Cluster
from ...api.etcd import EtcdClusterSpec
from ...api.instance_group import InstanceGroup
from ...base.errors import FieldError
from ..ports import (
    ETCD_CLIENT,
    ETCD_PEER,
    KUBE_API_SERVER_HEALTH_CHECK,
    KUBE_PROXY_HEALTH_CHECK,
    KUBELET,
    KUBELET_HEALTH_CHECK,
    METRICS,
    SSH,
)
from .addresses import problem_of_address


def refused(cluster: Cluster, groups: Iterable[InstanceGroup]) -> list[FieldError]:
    """What hosts would refuse of a specification; it need not be completed."""
    return [*_public_name(cluster), *_secure_port(cluster)]


def _public_name(cluster: Cluster) -> Iterator[FieldError]:
    """An address there is a control plane's, or one that they hold by turns."""
    name = cluster.spec.api.public_name or ""
    problem = problem_of_address(cluster, name)
    if not problem and parse_address(name) is None and name.rpartition(".")[2].isdecimal():
        problem = "is not an address, and no name: the last part of a name is not a number"
    if problem:
        yield FieldError("Invalid", "spec.api.publicName", problem, name)


def _secure_port(cluster: Cluster) -> Iterator[FieldError]:
    server = cluster.spec.kube_api_server
    port = (server.secure_port if server else None) or 0
    taken = _taken(cluster.spec.etcd_clusters)
    if port in taken:
        message = f"is the port of {taken[port]} on the same host; the usual ones are 443 and 6443"
        yield FieldError("Invalid", "spec.kubeAPIServer.securePort", message, port)


def _taken(etcd_clusters: Iterable[EtcdClusterSpec]) -> dict[int, str]:
    """Ports of a control plane that are not the API server's, and whose they are."""
    taken = {port: program for program, port in METRICS.items() if program.startswith("kube-")}
    taken.update({SSH: "SSH", KUBELET: "the kubelet", KUBELET_HEALTH_CHECK: "the kubelet"})
    taken[KUBE_PROXY_HEALTH_CHECK] = "kube-proxy"
    taken[KUBE_API_SERVER_HEALTH_CHECK] = "the health check of the API server"
    for etcd in etcd_clusters:
        name = str(etcd.name)
        taken.update({ports[name]: f"etcd {name}" for ports in (ETCD_CLIENT, ETCD_PEER) if name in ports})
    return taken
