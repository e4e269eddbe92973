# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of etcd clusters by host, and how a member starts: with a new cluster, or by joining a running one.

A member is bound to its name: a host that has the data of one stays that one. What a member was born with stays as it
is, since etcd looks at it only once, and the manifest must not change later.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...api.etcd import EtcdClusterSpec
from ...model.node.control_plane.etcd import peer_url
from .hosts import Host, in_url

_NEW, _EXISTING = "new", "existing"


@dataclass(frozen=True)
class Member:
    """A host's member of an etcd cluster ("main") of a cluster.

    joins: the cluster runs already and has to take it in first; initial_cluster is only known then.
    """

    cluster: str
    etcd: str
    name: str
    host: Host
    initial_cluster: str = ""
    initial_state: str = _NEW
    joins: bool = False

    @property
    def peer_url(self) -> str:
        """Where the others reach it."""
        return peer_url(self.etcd, in_url(self.host.address))

    def facts(self) -> dict[str, str]:
        """The facts of the node; facts of a joining member are found out when it joins."""
        prefix = f"ETCD_{self.etcd.upper()}"
        facts = {f"{prefix}_MEMBER": self.name}
        if not self.joins:
            facts[f"{prefix}_INITIAL_CLUSTER"] = self.initial_cluster
            facts[f"{prefix}_INITIAL_STATE"] = self.initial_state
        return facts


def members_of(
    cluster: str, etcd: EtcdClusterSpec, hosts_of: Mapping[str, Sequence[Host]], problems: list[str]
) -> dict[str, Member]:
    """The members of an etcd cluster of a cluster, by the name of their host.

    hosts_of: instance group -> its hosts. problems: gets groups with another number of hosts than members.
    """
    name = str(etcd.name)
    bound: dict[str, Host] = {}
    for group in dict.fromkeys(str(member.instance_group) for member in etcd.etcd_members):
        names = [str(member.name) for member in etcd.etcd_members if member.instance_group == group]
        hosts = list(hosts_of.get(group, ()))
        if len(hosts) != len(names):
            problems.append(
                f"instance group {group} has {len(hosts)} hosts, but etcd cluster {name} has {len(names)} members in it"
                f" ({', '.join(names)}); each member is one host"
            )
        else:
            bound.update(_bind(cluster, name, names, hosts))
    members = [Member(cluster, name, member, host) for member, host in bound.items()]
    return {member.host.name: member for member in _born(members)}


def _bind(cluster: str, etcd: str, names: Sequence[str], hosts: Sequence[Host]) -> dict[str, Host]:
    """Members and hosts of a group: hosts stay what they are, the others take what is left, in order."""
    bound = {}
    for host in hosts:
        known = said_of(host, etcd, cluster).get("member", "")
        if known in names and known not in bound:
            bound[known] = host
    free = [host for host in hosts if host not in bound.values()]
    bound.update(zip([name for name in names if name not in bound], free))
    return bound


def _born(members: Sequence[Member]) -> Iterator[Member]:
    present = [member for member in members if _said(member).get("data")]
    # Members of a cluster that was never healthy are still being born: those without data are in it from the start.
    runs = any(member.host.is_done for member in present)
    everybody = ",".join(sorted(f"{member.name}={member.peer_url}" for member in members))
    for member in members:
        said = _said(member)
        if said.get("data"):
            initial = said["initial_cluster"] or everybody
            yield dataclasses.replace(member, initial_cluster=initial, initial_state=said["initial_state"] or _NEW)
        elif runs:
            yield dataclasses.replace(member, initial_state=_EXISTING, joins=True)
        else:
            begun = next((_said(other).get("initial_cluster") for other in present), "")
            yield dataclasses.replace(member, initial_cluster=begun or everybody)


def _said(member: Member) -> Mapping[str, Any]:
    return said_of(member.host, member.etcd, member.cluster)


def said_of(host: Host, etcd: str, cluster: str) -> Mapping[str, Any]:
    """What a host has said of its member of an etcd cluster of this cluster (node/etcd/observe.py); the one with data
    first.
    """
    found = [said for said in host.said.get("etcd") or () if (said["etcd"], said["cluster"]) == (etcd, cluster)]
    return max(found, key=lambda said: (said["data"], said["manifest"]), default={})
