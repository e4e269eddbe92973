# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What instances may do in the buckets of the state store (pkg/model/gcemodel/storageacl.go of kops)."""

from __future__ import annotations

from collections.abc import Iterator

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...base.errors import KopsError
from ...cloud.gce.tasks.storage_bucket_iam import StorageBucketIAM
from ...engine.task import Lifecycle
from ..context import ModelContext, runs_api_server
from .service_accounts import account_of
from .spec import gce_spec

WRITER, READER = "roles/storage.objectAdmin", "roles/storage.objectViewer"
_SCHEME = "gs://"
# What kops had before roles had accounts of their own: rights of the project's default account.
_OLD_FLAG = "GoogleCloudBucketACL"


def build(context: ModelContext) -> None:
    """The control plane writes etcd's backups and reads the store; a given account is its giver's business."""
    if _OLD_FLAG in context.features:
        raise KopsError(f"feature flag {_OLD_FLAG} is not supported: each role has a service account of its own")
    if gce_spec(context).service_account:
        return
    # The control plane comes first: other API servers share its account.
    groups = sorted(filter(runs_api_server, context.groups), key=lambda group: group.spec.role != "ControlPlane")
    for group in groups[:1]:
        written = backup_buckets(context.cluster)
        for bucket in written:
            _grant(context, group, bucket, "objectadmin", WRITER)
        store = _bucket(context.store_base)
        if store and store not in written:
            _grant(context, group, store, "objectviewer", READER)


def backup_buckets(cluster: Cluster) -> list[str]:
    """The buckets of etcd's backups."""
    stores = (etcd.backups.backup_store for etcd in cluster.spec.etcd_clusters if etcd.backups)
    return list(dict.fromkeys(filter(None, map(_bucket, _given(stores)))))


def writes_backups(cluster: Cluster, group: InstanceGroup) -> bool:
    """Whether a group's instances write to any store."""
    stores = (etcd.backups.backup_store for etcd in cluster.spec.etcd_clusters if etcd.backups)
    return group.spec.role == "ControlPlane" and any(_given(stores))


def _given(stores: Iterator[str | None]) -> Iterator[str]:
    return (store for store in stores if store)


def _bucket(url: str) -> str:
    """The bucket of a URL; "" when it is not one of Google Cloud."""
    return url[len(_SCHEME) :].partition("/")[0] if url.startswith(_SCHEME) else ""


def _grant(context: ModelContext, group: InstanceGroup, bucket: str, prefix: str, role: str) -> None:
    layer = context.layers.security
    context.add(
        StorageBucketIAM(
            f"{prefix}-{bucket}-serviceaccount-{str(group.spec.role).lower()}",
            layer if layer is Lifecycle.IGNORE else Lifecycle.WARN_IF_INSUFFICIENT_ACCESS,
            bucket=bucket,
            member_service_account=account_of(context, group),
            role=role,
        )
    )
