# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.etcdClusters."""

from __future__ import annotations

from ...base.errors import KopsError
from ..etcd import EtcdClusterSpec
from ..etcd_schedule import retention_of
from ..scalars import Duration
from .problems import Problems, duplicate, forbidden, invalid, one_of, required
from .semver import full_version
from .store_urls import validate_store_url
from .stores import STORES

ETCD_CLUSTERS = ("main", "events", "cilium", "leases")
PROVIDERS = ("Manager",)
SUPPORTED_MAJOR = 3
# etcd's defaults and bounds.
_HEARTBEAT, _ELECTION, _LONGEST_ELECTION = Duration("100ms"), Duration("1s"), Duration("50s")
_HEARTBEATS = 5
_NUMBERS = ("ETCD_MAX_REQUEST_BYTES", "ETCD_QUOTA_BACKEND_BYTES", "ETCD_SNAPSHOT_COUNT")


def validate_etcd_clusters(clusters: list[EtcdClusterSpec], path: str = "spec.etcdClusters") -> Problems:
    """Each etcd cluster, and what they have in common: different names, one version."""
    if not clusters:
        return [required(path, "a cluster needs at least the etcd clusters main and events")]
    found: Problems = []
    for index, etcd in enumerate(clusters):
        found += _validate_etcd_cluster(etcd, f"{path}[{index}]")
    names = [etcd.name or "" for etcd in clusters]
    found += [
        forbidden(f"{path}[0].backupStore", f"there are several etcd clusters named {name}; their backups would mix")
        for index, name in enumerate(names)
        if name in names[:index]
    ]
    common = clusters[0].version or ""
    found += [
        forbidden(
            f"{path}[{index}].version",
            f"etcd cluster {etcd.name} has {etcd.version} while {clusters[0].name} has {common or 'none'}; "
            "all must have the same version",
        )
        for index, etcd in enumerate(clusters)
        if etcd.version and etcd.version != common
    ]
    return found


def _validate_etcd_cluster(etcd: EtcdClusterSpec, path: str) -> Problems:
    found = one_of(f"{path}.name", etcd.name or "", ETCD_CLUSTERS)
    found += one_of(f"{path}.provider", etcd.provider or None, PROVIDERS)
    count = len(etcd.etcd_members)
    if not count:
        found.append(required(f"{path}.etcdMembers", "an etcd cluster needs members"))
    elif count % 2 == 0:
        found.append(
            invalid(
                f"{path}.etcdMembers",
                count,
                "the number of members must be odd: an even one survives no more failures than one member less",
            )
        )
    if etcd.version:
        found += _validate_version(etcd.version, f"{path}.version")
    elif etcd.image:
        found.append(required(f"{path}.version", "is needed where image is set"))
    found += _validate_schedule(etcd, f"{path}.manager")
    if etcd.backups is not None and etcd.backups.backup_store:
        found += validate_store_url(etcd.backups.backup_store, f"{path}.backups.backupStore", STORES)
    found += _validate_timing(etcd, path)
    for index, member in enumerate(etcd.etcd_members):
        at = f"{path}.etcdMembers[{index}]"
        if member.name and member.name in [each.name for each in etcd.etcd_members[:index]]:
            found.append(duplicate(f"{at}.name", member.name, "is the name of another member, too"))
        if not member.name:
            found.append(required(f"{at}.name", "a member needs a name, which names its volume"))
        if not member.instance_group:
            found.append(required(f"{at}.instanceGroup", "a member needs the instance group on which it runs"))
    return found


def _validate_timing(etcd: EtcdClusterSpec, path: str) -> Problems:
    """Etcd ends at once if an election could begin before a leader's heartbeats, or would take too long."""
    heartbeat, election = etcd.heartbeat_interval or _HEARTBEAT, etcd.leader_election_timeout or _ELECTION
    found: Problems = []
    if heartbeat.seconds <= 0:
        found.append(invalid(f"{path}.heartbeatInterval", heartbeat, "must be more than nothing"))
    elif election.seconds < _HEARTBEATS * heartbeat.seconds:
        message = f"must be at least {_HEARTBEATS} times heartbeatInterval, which is {heartbeat}"
        found.append(invalid(f"{path}.leaderElectionTimeout", election, message))
    if election.seconds > _LONGEST_ELECTION.seconds:
        found.append(invalid(f"{path}.leaderElectionTimeout", election, f"must be at most {_LONGEST_ELECTION}"))
    for index, variable in enumerate(etcd.manager.env if etcd.manager else []):
        if variable.name in _NUMBERS and not (variable.value or "").lstrip("-").isdecimal():
            found.append(invalid(f"{path}.manager.env[{index}].value", variable.value, "must be a whole number"))
    return found


def _validate_schedule(etcd: EtcdClusterSpec, path: str) -> Problems:
    found: Problems = []
    interval = etcd.manager.backup_interval if etcd.manager else None
    if interval and Duration(interval).seconds <= 0:
        found.append(invalid(f"{path}.backupInterval", interval, "must be more than nothing"))
    try:
        retention_of(etcd)
    except KopsError as error:
        found.append(invalid(f"{path}.env", "ETCD_MANAGER_*_BACKUPS_RETENTION", str(error)))
    return found


def _validate_version(version: str, path: str) -> Problems:
    parsed = full_version(version[1:] if version.startswith("v") else version)
    if parsed is None:
        return [invalid(path, version, "must be a full version, for example 3.6.6")]
    if parsed.major != SUPPORTED_MAJOR:
        return [invalid(path, version, f"only etcd {SUPPORTED_MAJOR} is supported")]
    return []
