# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drift of instances and nodes: what differs from what their groups would start now."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any

from ...api.cloud import Cloud
from ...api.cluster import Cluster
from ...kubernetes.addons.versions import MARKED
from ..status.instances import MISSING as NO_NODE
from ..status.instances import TAKEN_OUT, Instances
from ..versions.workers import given_to_workers
from .finding import CLOUD, CLUSTER, DIFFERENT, MISSING, UNWANTED, Finding

_ROLL = "kubeops.kops.rolling_update"
_REPAIR = "kubeops.kops.repair"
_DELETE = "kubeops.kops.delete_instance"
# An instance has so long to become a node.
_JOINING = datetime.timedelta(minutes=10)
_OF_WORKERS = "node"


def of_instances(found: Instances, applied: Cluster | None, now: datetime.datetime, cloud: Cloud) -> Iterator[Finding]:
    """Differences of instances and nodes. applied: the specification as the last update has completed it."""
    for each in found.found:
        yield from _of_instance(each, now)
        if applied is not None and not each["reasons"]:
            yield from _of_version(each, applied)
    for each in found.strays:
        reason = f"it has the tags of instance group {each['instance_group']}, and is in no {cloud.group_word}"
        yield Finding(CLOUD, UNWANTED, "Instance", each["id"], reason=reason, mend=_DELETE)


def _of_instance(each: Mapping[str, Any], now: datetime.datetime) -> Iterator[Finding]:
    group = each["instance_group"]
    if each["status"] == TAKEN_OUT:
        reason = f"it was taken out of instance group {group}, and is still there"
        yield Finding(CLOUD, UNWANTED, "Instance", each["id"], reason=reason, mend=_ROLL)
        return
    outdated = [reason for reason in each["reasons"] if reason != MARKED]
    if outdated:
        yield Finding(CLOUD, DIFFERENT, "Instance", each["id"], reason=f"of {group}: {'; '.join(outdated)}", mend=_ROLL)
    if MARKED in each["reasons"]:
        yield Finding(CLUSTER, DIFFERENT, "Node", each["node"], reason=f"of {group}: {MARKED}", mend=_ROLL)
    if each["health"] == NO_NODE and _age(each, now) > _JOINING:
        reason = f"this instance of {group} has not become a node"
        yield Finding(CLUSTER, MISSING, "Node", each["id"], reason=reason, mend=_REPAIR)


def _of_version(each: Mapping[str, Any], applied: Cluster) -> Iterator[Finding]:
    workers = each["role"] == _OF_WORKERS
    wanted = f"v{given_to_workers(applied) if workers else applied.spec.kubernetes_version or ''}"
    if each["kubelet_version"] not in ("", wanted):
        before, after = ({"kubelet_version": version} for version in (each["kubelet_version"], wanted))
        yield Finding(CLUSTER, DIFFERENT, "Node", each["node"], before, after, mend=_ROLL)


def _age(each: Mapping[str, Any], now: datetime.datetime) -> datetime.timedelta:
    launched = each["launched"]
    return now - datetime.datetime.fromisoformat(launched) if launched else datetime.timedelta.max
