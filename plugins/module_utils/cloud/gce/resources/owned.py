# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects of a project are the cluster's: by their marks, labels and metadata, and by what they belong to.

Objects that were made by kops or Terraform have no marks, and often no labels. Those are known by their names together
with what they refer to, or what refers to them: stricter than kops, which takes names alone (pkg/resources/gce/gce.go).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ....api.cloud_names import safe_cluster_name, truncate
from .. import ownership
from ..cloud import GCECloud
from ..instances import is_owned as names_cluster
from .listing import (
    ADDRESS,
    BACKEND,
    CHECK,
    FIREWALL,
    GLOBAL_CHECK,
    GROUP,
    HTTP_CHECK,
    INSTANCE,
    MANAGER,
    NETWORK,
    POOL,
    ROUTE,
    ROUTER,
    RULE,
    SUBNET,
    TEMPLATE,
    Found,
)

# Objects that have one name in each cluster, before the cluster's.
_SINGLE = {
    ADDRESS: ("api",),
    RULE: ("api",),
    POOL: ("api",),
    HTTP_CHECK: ("api",),
    BACKEND: ("api", "kops-controller", "etcd"),
    CHECK: ("api", "kops-controller", "etcd-main"),
    ROUTER: ("nat",),
}
# What lies in a network, or in front of instances: it is the cluster's if these are.
_BELONGING = (SUBNET, ROUTER, FIREWALL, ADDRESS, RULE, BACKEND)
# What only serves something else.
_SERVING = (NETWORK, ADDRESS, POOL, BACKEND, CHECK, GLOBAL_CHECK, HTTP_CHECK)
_LONGEST = 63
_ROLE_TAG = re.compile(r"-k8s-io-role-(control-plane|master|apiserver|node|bastion)")
_UUID = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_UUID_LENGTH = 37


def owned(cloud: GCECloud, everything: Mapping[str, Found]) -> dict[str, Found]:
    """Path -> each of these objects that goes with the cluster; shared ones do not."""
    ours = {path: each for path, each in everything.items() if _says_so(cloud, each)}
    managers = {path: each for path, each in everything.items() if each.kind.name == MANAGER}
    ours |= {path: each for path, each in managers.items() if each.references() & ours.keys()}
    ours |= _with_references(cloud, everything, ours)
    ours |= {path: each for path, each in everything.items() if _is_route(cloud, each, everything, ours)}
    return ours


def has_own_tags(cloud: GCECloud, firewall: Found) -> bool:
    """Whether a firewall rule is for the cluster's instances, and for no others, by its network tags."""
    tags = firewall.described.get("targetTags") or ()
    return bool(tags) and all(_is_role_tag(cloud, tag) for tag in tags)


def _says_so(cloud: GCECloud, found: Found) -> bool:
    if found.kind.name in (TEMPLATE, INSTANCE):
        return names_cluster(cloud, found.described.get("properties") or found.described)
    return found.kind.name not in (MANAGER, GROUP, ROUTE) and ownership.is_owned(cloud, found.described)


def _with_references(cloud: GCECloud, everything: Mapping[str, Found], ours: Mapping[str, Found]) -> dict[str, Found]:
    """Those without marks, found from the ones that are known, until no more are."""
    candidates = {
        path: each
        for path, each in everything.items()
        if each.kind.name in {*_BELONGING, *_SERVING}
        and path not in ours
        and ownership.owner_of(each.described) is None
        and ownership.is_named(cloud, each.name)
    }
    # A managed group is in the way of its instance group's other users by the group's own name.
    known, referring = dict(ours), _referring(everything)
    while True:
        new = {
            path: each
            for path, each in candidates.items()
            if path not in known and _belongs(cloud, each, known, referring.get(path, set()))
        }
        if not new:
            return {path: each for path, each in known.items() if path not in ours}
        known |= new


def _referring(everything: Mapping[str, Found]) -> dict[str, set[str]]:
    """Path -> the objects that refer to it, or that it names as its users."""
    found: dict[str, set[str]] = {path: set(each.users()) for path, each in everything.items()}
    for path, each in everything.items():
        for reference in each.references():
            found.setdefault(reference, set()).add(path)
    for each in everything.values():
        # A rule has its address as such, and no URL.
        if each.kind.name == RULE and each.described.get("IPAddress"):
            for path, other in everything.items():
                if other.kind.name == ADDRESS and other.described.get("address") == each.described["IPAddress"]:
                    found[path].add(each.path)
    return found


def _belongs(cloud: GCECloud, found: Found, known: Mapping[str, Found], referring: set[str]) -> bool:
    kind, references = found.kind.name, found.references()
    if kind == FIREWALL and has_own_tags(cloud, found):
        return True
    if kind == BACKEND:
        groups = {each.described.get("instanceGroup") for each in known.values() if each.kind.name == MANAGER}
        backends = {each.get("group") for each in found.described.get("backends") or ()}
        if backends and backends <= groups:
            return True
    if kind in _BELONGING and any(path in known and known[path].kind.name in (NETWORK, SUBNET) for path in references):
        return True
    if kind in _SERVING and referring & known.keys() and kind != NETWORK:
        return True
    if kind == NETWORK:
        made_from = any(known[path].kind.name == TEMPLATE for path in referring & known.keys())
        return made_from and found.name == truncate(safe_cluster_name(cloud.cluster_name), _LONGEST)
    # What a deletion that broke off has left: nothing refers to it any more.
    return _is_single(cloud, found) and referring <= known.keys()


def _is_single(cloud: GCECloud, found: Found) -> bool:
    safe = safe_cluster_name(cloud.cluster_name)
    return found.name in {
        f"{name}-{truncate(safe, _LONGEST - len(name) - 1)}" for name in _SINGLE.get(found.kind.name, ())
    }


def _is_role_tag(cloud: GCECloud, tag: str) -> bool:
    role = _ROLE_TAG.search(tag)
    return (
        role is not None and tag == truncate(safe_cluster_name(cloud.cluster_name), _LONGEST - len(role[0])) + role[0]
    )


def _is_route(cloud: GCECloud, found: Found, everything: Mapping[str, Found], ours: Mapping[str, Found]) -> bool:
    """Routes to pods, of the cloud controller: <cluster>-<uuid>, to an instance of the cluster or to none."""
    if found.kind.name != ROUTE:
        return False
    prefix = safe_cluster_name(cloud.cluster_name)[: _LONGEST - _UUID_LENGTH]
    if not (found.name.startswith(prefix) and _UUID.fullmatch(found.name[len(prefix) :])):
        return False
    hop = str(found.described.get("nextHopInstance") or "").partition("/projects/")[2]
    return bool(hop) and (hop in ours or hop not in everything)
