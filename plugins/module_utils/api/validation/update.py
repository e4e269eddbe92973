# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may not change once a cluster exists."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ...base.options import named
from ..clouds import cloud_of
from ..cluster import Cluster
from ..etcd import EtcdClusterSpec, EtcdMemberSpec
from .network_providers import PROVIDERS
from .problems import Problems, forbidden

# Why members of running etcd clusters stay in some clouds, and what can be done.
MEMBERS_STAY = (
    "nothing takes a member out of etcd before its instance ends; control planes can be added and replaced, and a new "
    "cluster can have fewer"
)
# Ranges of addresses below spec.networking: attribute, key, and what has addresses of it.
_RANGES = (
    ("pod_cidr", "podCIDR", "pods"),
    ("service_cluster_ip_range", "serviceClusterIPRange", "Services"),
)


def validate_etcd_changes(new: Cluster, old: Cluster, running: Collection[str]) -> Problems:
    """Etcd clusters hold the cluster's state. running: names of those that exist in the cloud already."""
    path = "spec.etcdClusters"
    before = {etcd.name: etcd for etcd in old.spec.etcd_clusters}
    after = {etcd.name: etcd for etcd in new.spec.etcd_clusters}
    found: Problems = []
    for name, etcd in before.items():
        if name not in after:
            found.append(forbidden(f"{path}[{name}]", "an etcd cluster cannot be removed, its data would be lost"))
        elif name in running:
            found += _validate_running(after[name], etcd, f"{path}[{name}]")
    return found + _validate_members_stay(new, old, running)


def validate_members_stay(new: Cluster, old: Cluster) -> Problems:
    """Members of running etcd clusters are not removed in clouds. old: as it was last updated."""
    return _validate_members_stay(new, old, [str(etcd.name) for etcd in old.spec.etcd_clusters])


def has_lasting_members(cluster: Cluster) -> bool:
    """Whether the members of the cluster's etcd clusters stay once they run.

    Unlike etcd-manager, members on instances take others into their etcd cluster, but never out of it.
    """
    return cloud_of(cluster).etcd_on_disks


def _validate_members_stay(new: Cluster, old: Cluster, running: Collection[str]) -> Problems:
    if not has_lasting_members(new):
        return []
    staying = {
        str(etcd.name): {str(member.name) for member in etcd.etcd_members}
        for etcd in new.spec.etcd_clusters
        if etcd.etcd_members
    }
    lost = {
        str(etcd.name): [name for name in map(_name, etcd.etcd_members) if name not in staying[str(etcd.name)]]
        for etcd in old.spec.etcd_clusters
        if etcd.name in running and etcd.name in staying
    }
    if not any(lost.values()):
        return []
    return [forbidden("spec.etcdClusters", f"members cannot be removed ({listed_members(lost)}): {MEMBERS_STAY}")]


def listed_members(members: Mapping[str, Sequence[str]]) -> str:
    """Members as messages name them. members: etcd cluster -> names of members."""
    return "; ".join(f"{etcd}: {', '.join(names)}" for etcd, names in members.items() if names)


def _name(member: EtcdMemberSpec) -> str:
    return str(member.name)


def _validate_running(new: EtcdClusterSpec, old: EtcdClusterSpec, path: str) -> Problems:
    found: Problems = []
    if (new.image or "") != (old.image or ""):
        found.append(forbidden(f"{path}.image", "can be set only before the etcd cluster exists"))
    if new.image and (new.version or "") != (old.version or ""):
        found.append(forbidden(f"{path}.version", "cannot change while image is set"))
    groups = {member.name: member.instance_group or "" for member in old.etcd_members}
    found += [
        forbidden(
            f"{path}.etcdMembers[{member.name}].instanceGroup",
            f"a member stays where its volume is, in {groups[member.name]}",
        )
        for member in new.etcd_members
        if member.name in groups and (member.instance_group or "") != groups[member.name]
    ]
    return found


def validate_network_change(new: Cluster, old: Cluster) -> Problems:
    """What takes the network from the pods of a running cluster. Both are complete, old as it was last updated.

    kops allows it, and calls it disruptive ("Switching between networking providers" of its documentation).
    """
    path = "spec.networking"
    found: Problems = []
    before, after = _network(old), _network(new)
    if before != after:
        found.append(forbidden(path, f"the cluster runs {before}, which would be replaced by {after}"))
    elif _ipam(old) != _ipam(new):
        message = f"pods of the cluster have addresses from {_ipam(old)}, and would get them from {_ipam(new)}"
        found.append(forbidden(f"{path}.cilium.ipam", message))
    for attribute, key, what in _RANGES:
        was, will = (getattr(cluster.spec.networking, attribute) or "no range" for cluster in (old, new))
        if was != will:
            found.append(forbidden(f"{path}.{key}", f"{what} of the cluster have addresses of {was}, not of {will}"))
    if found:
        message = (
            "with another network, running pods reach nothing until they are started again; docs/change-network.md says"
            f" what to do; to go on, set {named('allow_network_change')}"
        )
        found.append(forbidden("", message))
    return found


def _network(cluster: Cluster) -> str:
    """The key of the cluster's network below spec.networking."""
    given = (key for attribute, key in PROVIDERS.items() if getattr(cluster.spec.networking, attribute) is not None)
    return next(given, "no network")


def _ipam(cluster: Cluster) -> str:
    """Where Cilium takes the addresses of pods from."""
    cilium = cluster.spec.networking.cilium
    return (cilium.ipam if cilium else None) or "kubernetes"
