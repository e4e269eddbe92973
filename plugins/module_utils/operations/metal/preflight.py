# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Preconditions that hosts must meet before anything on them is changed; all problems are reported at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ...api.addresses import parse_address, parse_cidr
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...api.versions import is_at_least
from ...model.metal.addresses import problem_of_address
from ...model.node.files.assets import ARCHITECTURES
from ...model.ports import (
    ETCD_CLIENT,
    ETCD_PEER,
    KUBE_API_SERVER,
    KUBE_PROXY_HEALTH_CHECK,
    KUBELET,
    KUBELET_HEALTH_CHECK,
    METRICS,
)
from .hosts import Host
from .kernel import kernel_problems

# MiB. kubeadm wants 1700 of a control plane; a node's own programs need about 300.
_MEMORY = {"ControlPlane": 1700, "APIServer": 1200, "Node": 700, "Bastion": 0}
_OLDEST_PYTHON = (3, 9)
# Seconds. etcd and certificates that have just been issued need clocks that agree.
CLOCK_SKEW = 5
_NODE_PORTS = (KUBELET_HEALTH_CHECK, METRICS["kube-proxy"], KUBELET, KUBE_PROXY_HEALTH_CHECK)
_CONTROL_PLANE_PORTS = (METRICS["kube-controller-manager"], METRICS["kube-scheduler"])
_OUT = (
    "remove it there first (kubeops.kops.remove_hosts), or clean the machine with the module"
    " kubeops.kops.node_converge (state: absent, wipe: true)"
)
_FIREWALLD = (
    "run 'systemctl disable --now firewalld', or let it accept everything (firewall-cmd --set-default-zone=trusted)"
)
_SHOWN = 4
# Said of a drop-in that sets a proxy.
_THROUGH_PROXY = (
    "; its downloads go through that proxy (egressProxy in the cluster's specification sets one for all nodes)"
)
_NETWORKS = "/etc/cni/net.d/"


def problems_of(cluster: Cluster, group: InstanceGroup, host: Host) -> Iterator[str]:
    """Problems of a host as a node of a group, each as a sentence that begins with its name."""
    if host.wrong_address:
        yield f"{host.name}: kops_address is not an IP address, such as 10.0.0.11: {host.wrong_address}"
    if host.error:
        yield f"{host.name}: {host.error}"
        return
    ready = host.said.get("ready", {})
    role, name = str(group.spec.role), str(cluster.metadata.name)
    if host.architecture not in ARCHITECTURES:
        yield f"{host.name}: its architecture is {host.architecture}; possible: {', '.join(ARCHITECTURES)}"
    if not host.address:
        yield f"{host.name}: has no address; set its variable kops_address"
    unusable = problem_of_address(cluster, host.address)
    if unusable:
        yield f"{host.name}: its address {host.address} {unusable}; set its variable kops_address to another one"
    if host.cluster not in ("", name):
        yield f"{host.name}: is a node of cluster {host.cluster}; {_OUT}"
    python = tuple(int(part) for part in str(ready.get("python", "0")).split(".")[:2])
    if python < _OLDEST_PYTHON:
        oldest = ".".join(map(str, _OLDEST_PYTHON))
        yield f"{host.name}: has Python {ready.get('python')}; {oldest} is the oldest possible"
    if role == "Bastion":
        return
    memory = int(ready.get("memoryMiB", 0))
    if memory < _MEMORY[role]:
        yield f"{host.name}: has {memory} MiB of memory; a {role} needs {_MEMORY[role]} at least"
    if not _is_reached_directly(cluster, host.address):
        yield f"{host.name}: API servers would reach {host.address} through the egress proxy; add it to its excludes"
    kubelet = group.spec.kubelet
    if ready.get("swap") and not (kubelet and kubelet.fail_swap_on is False):
        devices = ", ".join(ready["swap"])
        yield f"{host.name}: swap is on ({devices}); turn it off, or set spec.kubelet.failSwapOn to false"
    skew = float(ready.get("clockSkew", 0))
    if abs(skew) > CLOCK_SKEW:
        yield f"{host.name}: its clock is {skew:+.0f} s off that of the controller; {CLOCK_SKEW} s are allowed"
    if ready.get("cgroups") == 1 and is_at_least(cluster, "1.35"):
        yield f"{host.name}: has version 1 of control groups, which the kubelet of Kubernetes 1.35 and newer refuses"
    yield from kernel_problems(cluster, host)
    if not host.cluster:
        if ready.get("firewalld"):
            yield f"{host.name}: firewalld runs, and would drop what nodes and pods send to each other; {_FIREWALLD}"
        yield from _leftovers(cluster, host)
        taken = sorted({*_ports(cluster, group)} & {*ready.get("ports", ())})
        if taken:
            yield f"{host.name}: other processes listen on ports that the node needs: {', '.join(map(str, taken))}"


def _is_reached_directly(cluster: Cluster, address: str) -> bool:
    """Whether nothing asks an egress proxy for an address: there is none, or its excludes have the address."""
    proxy = cluster.spec.networking.egress_proxy
    ip = parse_address(address)
    if proxy is None or not proxy.http_proxy.host or ip is None:
        return True
    excludes = [exclude.strip() for exclude in (proxy.excludes or "").split(",")]
    networks = [network for network in map(parse_cidr, excludes) if network is not None]
    return address in excludes or any(ip in network for network in networks)


def _leftovers(cluster: Cluster, host: Host) -> Iterator[str]:
    """What other tools left on a host that is no node yet. With spec.networking.cni, the user installs the network."""
    networks_are_fine = cluster.spec.networking.cni is not None
    for found in host.said["ready"].get("leftovers", ()):
        paths = [path for path in found["paths"] if not (networks_are_fine and path.startswith(_NETWORKS))]
        if not paths:
            continue
        what = f"what {found['tool']} has left" if found["tool"] else found["effect"]
        rest = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
        yield f"{host.name}: has {', '.join(paths[:_SHOWN])}{rest}: {what}; remove it with {found['removal']}"


def warnings_of(host: Host) -> Iterator[str]:
    """What its owner should know of a host that is no node yet: files of others that change how its units work."""
    settings = () if host.error or host.cluster else host.said.get("ready", {}).get("unitSettings", ())
    for each in settings:
        proxy = _THROUGH_PROXY if each["proxy"] else ""
        yield f"{host.name}: {each['path']} stays, and sets {', '.join(each['settings'])} of {each['unit']}{proxy}"


def problems_of_all(hosts: Sequence[Host]) -> Iterator[str]:
    """Names and addresses that two hosts share."""
    for what, values in (
        ("node name", [host.node_name for host in hosts]),
        ("address", [host.address for host in hosts if host.address]),
    ):
        for value, count in Counter(values).items():
            if count > 1:
                yield f"{count} hosts have the {what} {value}"


def _ports(cluster: Cluster, group: InstanceGroup) -> Iterator[int]:
    """The TCP ports that a node of a group will listen on."""
    yield from _NODE_PORTS
    if group.spec.role in ("ControlPlane", "APIServer"):
        server = cluster.spec.kube_api_server
        yield (server.secure_port if server else None) or KUBE_API_SERVER
    if group.spec.role == "ControlPlane":
        yield from _CONTROL_PLANE_PORTS
        for etcd in cluster.spec.etcd_clusters:
            yield from (ETCD_CLIENT[str(etcd.name)], ETCD_PEER[str(etcd.name)])
