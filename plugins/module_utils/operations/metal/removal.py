# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removal of hosts from a cluster: which hosts may leave, in which order, and what the remaining hosts must be told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...model.node.control_plane.etcd import peer_url
from ...statestore.store import ClusterStore
from ..hosts_or_instances import need_hosts
from .etcd_members import said_of
from .hosts import Host, HostProblems, assign, in_url, read_hosts


@dataclass(frozen=True)
class RemovalOptions:
    """Which cluster, and the hosts of the inventory as hosts.read_hosts takes them.

    remove: names of hosts. without: when everything goes, hosts that cannot be reached are left as they are.
    """

    state_store: str
    name: str
    inventory: Mapping[str, Mapping[str, Any]]
    remove: Sequence[str] = ()
    without: bool = False


def plan_removal(options: RemovalOptions) -> dict[str, Any]:
    """How hosts leave a cluster that stays, as plain data:

    hosts: their names in the order in which they leave; what is dead first, control planes last.
    removals: by name, node (its name), instanceGroup and role ("" if not known), reachable, members: etcd and
    peerUrl of what may be its members of etcd.
    via: the host of the control plane by which the cluster is told.

    It only reads. A host that has left already has nothing left to be done. Raises HostProblems with everything that
    speaks against it: no control plane would be left, or no majority of etcd's members.
    """
    cluster, groups = _read(options)
    hosts = read_hosts(options.inventory)
    plan = _Plan(options.name, cluster, hosts, _groups(hosts, groups), frozenset(options.remove))
    problems = list(plan.problems())
    if problems:
        raise HostProblems(options.name, problems)
    return {
        "name": options.name,
        "hosts": [host.name for host in plan.leaving],
        "removals": {host.name: plan.removal(host) for host in plan.leaving},
        "via": next(plan.working()).name,
        "leftAlone": [],
    }


def plan_end(options: RemovalOptions) -> dict[str, Any]:
    """Plan the removal of a cluster from all of its hosts: plain data as of plan_removal.

    via: a host of its control plane, which knows its nodes; "" if there is none. leftAlone: hosts that are none of its
    nodes, or, if that is wanted, cannot be reached. Raises HostProblems.
    """
    _cluster, groups = _read(options)
    hosts = read_hosts(options.inventory)
    dead = [host for host in hosts if host.error]
    if dead and not options.without:
        otherwise = "with kops_leave_out_unreachable it stays as it is, and the rest of the cluster goes"
        raise HostProblems(options.name, [f"{host.name}: {host.error}; {otherwise}" for host in dead])
    leaving = [host for host in hosts if host.cluster == options.name]
    of_control_plane = [name for name, group in _groups(leaving, groups).items() if group.spec.role == "ControlPlane"]
    return {
        "name": options.name,
        "hosts": [host.name for host in leaving],
        "removals": {host.name: {"node": host.node_name, "reachable": True, "members": []} for host in leaving},
        "via": min(of_control_plane, default=""),
        "leftAlone": [host.name for host in hosts if host not in leaving],
    }


def _read(options: RemovalOptions) -> tuple[Cluster, list[InstanceGroup]]:
    cluster, groups = ClusterStore.open(options.state_store, options.name).read()
    need_hosts(cluster)
    return cluster, groups


def _groups(hosts: Sequence[Host], groups: Sequence[InstanceGroup]) -> dict[str, InstanceGroup]:
    """The group of each host by its name, where it is known: it may be gone from the specification already."""
    by_name = {str(group.metadata.name): group for group in groups}
    # What is odd about hosts that stay is not the question here.
    assigned = assign(hosts, groups, [])
    found = {host.name: group for group, members in assigned.values() for host in members}
    for host in hosts:
        said = by_name.get(str(host.said.get("instanceGroup", "")))
        if said:
            found[host.name] = said
    return found


@dataclass(frozen=True)
class _Plan:
    """groups: by name of host. remove: names."""

    name: str
    cluster: Cluster
    hosts: Sequence[Host]
    groups: Mapping[str, InstanceGroup]
    remove: frozenset[str]

    @property
    def leaving(self) -> list[Host]:
        """Hosts that leave, in order: what is dead cannot be missed any more, so that it never is one too many."""
        found = [host for host in self.hosts if host.name in self.remove]
        return sorted(found, key=lambda host: (self._is_control_plane(host), not host.error, host.name))

    @property
    def staying(self) -> list[Host]:
        """Hosts that stay."""
        return [host for host in self.hosts if host.name not in self.remove]

    def working(self) -> Iterator[Host]:
        """Control planes that stay, and that can be reached."""
        return (
            host for host in self.staying if self._is_control_plane(host) and host.is_done and host.cluster == self.name
        )

    def problems(self) -> Iterator[str]:
        """Problems that forbid the removal, as sentences."""
        known = {host.name for host in self.hosts}
        if not self.remove:
            yield "kops_remove names no host of the inventory"
        for name in sorted(self.remove - known):
            yield f"{name}: is not among the hosts of the inventory that make up the cluster"
        for host in self.leaving:
            if host.cluster not in ("", self.name):
                yield f"{host.name}: is a node of cluster {host.cluster}"
            if not host.address and self._may_have_members(host):
                yield f"{host.name}: has no address, by which etcd knows it; set its variable kops_address"
        yield from self._problems_of_control_plane()

    def _problems_of_control_plane(self) -> Iterator[str]:
        if next(self.working(), None) is not None:
            for etcd in self.cluster.spec.etcd_clusters:
                yield from self._problems_of_etcd(str(etcd.name))
        elif any(self._is_control_plane(host) for host in self.staying):
            stays = ", ".join(host.name for host in self.staying if self._is_control_plane(host))
            yield f"no control plane that stays works and can be reached ({stays}); repair one first"
        else:
            yield "no control plane would be left; kubeops.kops.delete_cluster deletes a whole cluster"

    def _problems_of_etcd(self, etcd: str) -> Iterator[str]:
        alive = [host for host in self.hosts if said_of(host, etcd, self.name).get("manifest")]
        dead = [host for host in self.hosts if host.error and self._is_control_plane(host)]
        stay_alive = [host for host in alive if host.name not in self.remove]
        stay_dead = [host for host in dead if host.name not in self.remove]
        count = len(stay_alive) + len(stay_dead)
        needed = count // 2 + 1
        if len(stay_alive) < needed:
            names = ", ".join(host.name for host in stay_dead)
            yield (
                f"etcd cluster {etcd}: {needed} of the {count} members that stay have to be there, and"
                f" {len(stay_alive)} would be; repair, or remove as well: {names}"
            )
        elif len(alive) < (len(alive) + len(dead)) // 2 + 1:
            yield (
                f"etcd cluster {etcd}: has lost its majority, so that no member can be removed; repair one of"
                f" {', '.join(host.name for host in dead)}, or restore a backup with kubeops.kops.etcd_restore"
            )

    def removal(self, host: Host) -> dict[str, Any]:
        """Steps for the removal of a host."""
        names = [str(etcd.name) for etcd in self.cluster.spec.etcd_clusters] if self._may_have_members(host) else []
        return {
            "node": host.node_name,
            "instanceGroup": str(self.groups[host.name].metadata.name) if host.name in self.groups else "",
            "role": self._role(host),
            "reachable": not host.error,
            "members": [{"etcd": etcd, "peerUrl": peer_url(etcd, in_url(host.address))} for etcd in names],
        }

    def _is_control_plane(self, host: Host) -> bool:
        return self._role(host) == "ControlPlane"

    def _may_have_members(self, host: Host) -> bool:
        return self._role(host) in ("", "ControlPlane")

    def _role(self, host: Host) -> str:
        """The role of a host; "" if it is not known."""
        group = self.groups.get(host.name)
        return str(group.spec.role) if group else ""
