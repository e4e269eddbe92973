# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the control plane reads from and writes to the state store (pkg/model/iam/iam_builder.go of kops)."""

from __future__ import annotations

from collections.abc import Iterable

from ....api.cluster import Cluster
from ....base.errors import KopsError
from ....iam.policy import Policy, allow

# What stands for the bucket of a store that is no bucket, so that the rest of the policy can be seen.
_READ_PLACEHOLDER = "placeholder-read-bucket"
_WRITE_PLACEHOLDER = "placeholder-write-bucket"


def allow_store_access(policy: Policy, cluster: Cluster, *, writes_backups: bool) -> None:
    """Read the cluster's directory; write etcd backups when asked. KopsError for a store that AWS cannot serve."""
    buckets = set()
    for root in _roots(cluster):
        path = _in_bucket(root, _READ_PLACEHOLDER, _READ_PLACEHOLDER)
        buckets.add(path.partition("/")[0])
        policy.statements.append(allow(["s3:Get*"], policy.arn(f"s3:::{path}/*")))
    for store in _backup_stores(cluster) if writes_backups else ():
        path = _in_bucket(store, _WRITE_PLACEHOLDER, _READ_PLACEHOLDER)
        buckets.add(path.partition("/")[0])
        actions = ["s3:DeleteObject", "s3:DeleteObjectVersion", "s3:GetObject", "s3:PutObject"]
        policy.statements.append(allow(actions, policy.arn(f"s3:::{path}/*")))
    actions = ["s3:GetBucketLocation", "s3:GetEncryptionConfiguration", "s3:ListBucket", "s3:ListBucketVersions"]
    policy.statements += [allow(actions, [policy.arn(f"s3:::{bucket}")]) for bucket in sorted(buckets)]


def _roots(cluster: Cluster) -> list[str]:
    """The store's directories, without those that lie in another one."""
    store = cluster.spec.config_store
    given = [path.rstrip("/") + "/" for path in (store.keypairs, store.secrets, store.base) if path]
    return sorted({path for path in given if not any(path != other and path.startswith(other) for other in given)})


def _backup_stores(cluster: Cluster) -> Iterable[str]:
    stores = (etcd.backups.backup_store for etcd in cluster.spec.etcd_clusters if etcd.backups)
    return dict.fromkeys(str(store) for store in stores if store)


def _in_bucket(url: str, memory_placeholder: str, file_placeholder: str) -> str:
    """A URL as bucket/key."""
    scheme, _separator, rest = url.partition("://")
    rest = rest.rstrip("/")
    if scheme == "s3":
        return rest
    if scheme == "memfs":
        return f"{memory_placeholder}/{rest}"
    if scheme == "file":
        return f"{file_placeholder}/{rest}"
    raise KopsError(f"instances in AWS cannot read {url!r}; keep the cluster's state in s3://")
