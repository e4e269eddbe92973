# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Expected state of a running cluster on the hosts of an inventory, for its validation."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ...api.cluster import Cluster
from ...model.node.control_plane.kube_apiserver import SERVING_CERTIFICATE as API_SERVER
from ...statestore import pki
from ...statestore.store import ClusterStore
from ..hosts_or_instances import need_hosts
from ..status.addon_workloads import stored_workloads
from .api_endpoint import api_server, virtual_address
from .hosts import Assigned, Host, HostProblems, assign, read_hosts


def expect(state_store: str, name: str, inventory: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What the module validate_cluster takes: name, groups, apiAddresses, dnsDomain, podImage, podNetwork; and where.

    apiServer: the URL by which users reach the API.
    inventory: the hosts as hosts.read_hosts takes them; those that could not be reached are expected as well.
    controlPlane: names of the hosts of the control plane, those that could be reached first.
    workloads: that the addons must have, as the same module takes them.
    hostFailures: nodes that do not trust the certificate of an API server, as the same module takes them.
    Raises HostProblems for hosts without a group and groups without hosts, KopsError for
    a store that cannot be read and for a cluster in a cloud.
    """
    store = ClusterStore.open(state_store, name)
    cluster, groups = store.read()
    need_hosts(cluster)
    problems: list[str] = []
    hosts = read_hosts(inventory)
    assigned = assign(hosts, groups, problems)
    if problems:
        raise HostProblems(name, problems)
    complete = store.completed() or cluster
    return {
        **expected(complete, assigned, virtual_address(cluster, hosts)),
        "hostFailures": _strangers(assigned),
        "workloads": [asdict(each) for each in stored_workloads(store)],
    }


def _strangers(assigned: Assigned) -> list[dict[str, str]]:
    """Nodes with a kubeconfig that does not trust the certificate of an API server, as failures."""
    hosts = [host for _group, found in assigned.values() for host in found]
    served = {host.name: host.present.certificates.get(API_SERVER, "") for host in hosts}
    # Most hosts trust the same ones.
    trusts, failures = functools.cache(_trusts), []
    for name, (_group, found) in assigned.items():
        for host in found:
            for kubeconfig, content in host.present.kubeconfigs.items():
                others = [server for server, pem in served.items() if pem and not trusts(content["authorities"], pem)]
                if others:
                    message = (
                        f"kubeconfig {kubeconfig} of node {host.node_name} does not trust the certificate of the API"
                        f" server on {', '.join(others)}"
                    )
                    failures.append({"name": host.node_name, "problem": message, "instance_group": name})
    return failures


def _trusts(authorities: str, certificate: str) -> bool:
    return any(pki.is_issued_by(certificate, authority) for authority in pki.certificates_of(authorities))


def expected(cluster: Cluster, assigned: Assigned, virtual: str) -> dict[str, Any]:
    """The same of hosts that are in their groups already. Of the control plane, those come first that run.

    cluster: completed, as it was last updated. virtual: the address of the API that is none of the hosts', "" for none;
    it has to answer as well.
    """
    containerd = cluster.spec.containerd
    nodes = [(group, hosts) for group, hosts in assigned.values() if group.spec.role != "Bastion"]
    control_plane = sorted(
        (host for group, hosts in nodes if group.spec.role == "ControlPlane" for host in hosts), key=_usefulness
    )
    servers = [host for group, hosts in nodes if group.spec.role in ("ControlPlane", "APIServer") for host in hosts]
    return {
        "name": str(cluster.metadata.name),
        "groups": [
            {
                "name": str(group.metadata.name),
                "role": str(group.spec.role),
                "size": len(hosts),
                "nodes": [host.node_name for host in hosts],
            }
            for group, hosts in nodes
        ],
        "apiAddresses": [address for address in (*(host.address for host in servers), virtual) if address],
        "dnsDomain": cluster.spec.cluster_dns_domain or "cluster.local",
        "podImage": (containerd.sandbox_image if containerd else "") or "",
        # A network that the user has installed may have its own ranges.
        "podNetwork": (cluster.spec.networking.flannel and cluster.spec.networking.non_masquerade_cidr) or "",
        "apiServer": api_server(cluster, [host.address for host in control_plane if host.address]),
        "controlPlane": [host.name for host in control_plane],
    }


def _usefulness(host: Host) -> tuple[bool, bool, str]:
    """Sort key: those that could be reached and run already come first."""
    return bool(host.error), not host.is_done, host.name
