# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons of a cluster: by the indexes in its state store, and by the records of the cluster about what was applied.

Source: the channel command of kops (channels/pkg/cmd/get_addons.go), which reads the annotations of kube-system only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...addons.index import CHANNELS, INDEX
from ...api.cloud import HOSTS
from ...api.clouds import cloud_of
from ...base.errors import KopsError
from ...base.table import table_of
from ...kubernetes.addons.versions import NAMESPACE, is_recorded, recorded
from ...statestore.store import ClusterStore
from .addon_workloads import index_entries
from .instances import BOTH, InstancesOptions, api_client

STORE = "store"
SOURCES = (BOTH, STORE)
# What is known of an addon. A cluster that was not asked has not said anything.
APPLIED, PENDING, MISSING, UNWANTED, UNKNOWN = "applied", "pending", "missing", "unwanted", "unknown"
_COLUMNS = ("NAME", "ID", "STATUS", "MANIFEST-HASH", "APPLIED-HASH", "MANIFEST", "CHANNEL")
_SHORT = 12


@dataclass(frozen=True)
class AddonsOptions:
    """Options of addons_info. source: store and cluster, or the store alone. api_server: not the usual one."""

    state_store: str
    name: str
    source: str = BOTH
    api_server: str = ""


@dataclass
class Addons:
    """Result of addons_info. found: plain data, see _of_entry."""

    found: list[dict[str, Any]]
    warnings: list[str] = field(default_factory=list)


def read_addons(options: AddonsOptions) -> Addons:
    """Addons of a cluster, in the order of the store; then the ones that only the cluster has.

    A cluster that does not answer is a warning. Raises KopsError if the store cannot be read.
    """
    store = ClusterStore.open(options.state_store, options.name)
    cluster, _groups = store.read()
    result = Addons([], store.warnings)
    annotations: Mapping[str, str] | None = None
    if options.source == BOTH:
        asked = InstancesOptions(options.state_store, options.name, source=BOTH, api_server=options.api_server)
        try:
            client = api_client(store, cluster, asked)
            namespace = client.get(f"/api/v1/namespaces/{NAMESPACE}")
            annotations = namespace["metadata"].get("annotations") or {}
        except KopsError as error:
            told = " ".join(str(error).split())
            result.warnings.append(f"which addons are applied was not asked: {told}")
    entries = [
        (channel, entry)
        for channel, file in (("bootstrap", INDEX), ("channels", CHANNELS))
        for entry in index_entries(store, file)
    ]
    # There the controller has applied objects, and recorded a hash of these: it is none of a file in the store.
    by_id = cloud_of(cluster).control_planes == HOSTS
    result.found = [_of_entry(channel, entry, annotations, by_id=by_id) for channel, entry in entries]
    known = {addon["name"] for addon in result.found}
    for name, version in recorded(annotations or {}).items():
        if name not in known:
            result.found.append(_of_record(name, version))
    return result


def _of_entry(
    channel: str, entry: Mapping[str, Any], annotations: Mapping[str, str] | None, *, by_id: bool = False
) -> dict[str, Any]:
    name, digest = str(entry.get("name") or ""), str(entry.get("manifestHash") or "")
    applied = recorded(annotations or {}).get(name, {})
    status = UNKNOWN
    if annotations is not None:
        version = str(applied.get("manifestHash") or "") if by_id else digest
        wanted = {"name": name, "id": entry.get("id") or "", "version": version or digest}
        status = APPLIED if is_recorded(annotations, wanted) else PENDING if applied else MISSING
    return {
        "name": name,
        "id": str(entry.get("id") or ""),
        "version": str(entry.get("version") or ""),
        "channel": channel,
        "manifest": str(entry.get("manifest") or ""),
        "manifest_hash": digest,
        "needs_rolling_update": str(entry.get("needsRollingUpdate") or ""),
        "status": status,
        "applied_id": str(applied.get("id") or ""),
        "applied_hash": str(applied.get("manifestHash") or ""),
        "applied_channel": str(applied.get("channel") or ""),
    }


def _of_record(name: str, version: Mapping[str, Any]) -> dict[str, Any]:
    """An addon that the cluster was given, and the store does not have any more."""
    return {**_of_entry("", {"name": name}, {}), **_applied(version), "status": UNWANTED}


def _applied(version: Mapping[str, Any]) -> dict[str, str]:
    names = {"applied_id": "id", "applied_hash": "manifestHash", "applied_channel": "channel", "version": "version"}
    return {key: str(version.get(name) or "") for key, name in names.items()}


def text_of(found: Sequence[Mapping[str, Any]]) -> str:
    """The addons as a table."""
    rows = [
        (
            each["name"],
            each["id"],
            each["status"],
            each["manifest_hash"][:_SHORT],
            each["applied_hash"][:_SHORT],
            each["manifest"],
            each["channel"],
        )
        for each in found
    ]
    return table_of(_COLUMNS, rows)
