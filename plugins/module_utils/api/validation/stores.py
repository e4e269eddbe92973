# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Storage that the spec names: the cluster's own store, service account discovery, and Azure's one-account rule."""

from __future__ import annotations

from ..clouds import CLOUDS
from ..cluster import Cluster, ServiceAccountIssuerDiscoveryConfig
from ..suggest import did_you_mean
from .problems import Problems, forbidden, invalid, other, required
from .store_urls import validate_store_url
from .urls import parse_url

STORES = (*(cloud.store_scheme for cloud in CLOUDS.values() if cloud.store_scheme), "k8s", "file", "memfs")
# memfs exists only within tests.
_DISCOVERY_SCHEMES = (*(cloud.store_scheme for cloud in CLOUDS.values() if cloud.store_is_public), "memfs")
_WITHOUT_BUCKET = ("memfs",)
_ANY_BUCKET_NAME = ("gs", "memfs")
_AZURE = "azureblob://"


def validate_discovery(
    discovery: ServiceAccountIssuerDiscoveryConfig, path: str = "spec.serviceAccountIssuerDiscovery"
) -> Problems:
    """Where the OpenID Connect documents of service accounts are published."""
    inner = f"{path}.serviceAccountIssuerDiscovery"
    store, service = discovery.discovery_store, discovery.discovery_service
    found: Problems = []
    if store and service is not None:
        found.append(forbidden(f"{path}.discoveryStore", "give either discoveryStore or discoveryService"))
    if store:
        found += _validate_store(store, f"{inner}.discoveryStore")
    if service is not None and not service.url:
        found.append(required(f"{inner}.discoveryService.url", "the URL under which the service answers is needed"))
    if discovery.enable_awsoidc_provider and not store and service is None:
        found.append(forbidden(f"{inner}.enableAWSOIDCProvider", "needs discoveryStore or discoveryService"))
    return found


def _validate_store(store: str, path: str) -> Problems:
    scheme, found, _rest = store.partition("://")
    url = parse_url(store)
    if not found or scheme not in _DISCOVERY_SCHEMES or url is None:
        return [
            invalid(path, store, "must be a bucket that can be read publicly: s3://bucket/path or gs://bucket/path")
        ]
    if not url.netloc and scheme not in _WITHOUT_BUCKET:
        return [invalid(path, store, f"must name a bucket: {scheme}://bucket/path")]
    # The certificate of S3's virtual hosts covers one more label only.
    if "." in url.netloc and scheme not in _ANY_BUCKET_NAME:
        return [invalid(path, store, "the bucket's name cannot have dots, because it is read over HTTPS")]
    return []


def validate_config_store(cluster: Cluster) -> Problems:
    """The stores are of a kind that there is. Of type Other, because kops finds this without naming a field."""
    store = cluster.spec.config_store
    found: Problems = []
    for key, url in (("base", store.base), ("keypairs", store.keypairs), ("secrets", store.secrets)):
        scheme, separator, _rest = (url or "").partition("://")
        if separator and scheme not in STORES:
            kinds = ", ".join(f"{kind}://" for kind in STORES if kind != "memfs")
            found.append(
                other(f"spec.configStore.{key}", f"must begin with one of {kinds}{did_you_mean(scheme, STORES)}", url)
            )
        elif url:
            # A path that is relative would be another directory in each place from which a run starts.
            found += validate_store_url(url, f"spec.configStore.{key}", STORES)
    return found


def validate_azure_accounts(cluster: Cluster) -> Problems:
    """All azureblob:// stores of a cluster are in the storage account of its configStore.base."""
    spec = cluster.spec
    base = spec.config_store.base or ""
    canonical = ""
    if base.startswith(_AZURE):
        canonical = _azure_account(base)
        if not canonical:
            return [invalid("spec.configStore.base", base, f"must be {_AZURE}account/container/path")]
    others = [
        ("spec.configStore.keypairs", spec.config_store.keypairs or ""),
        ("spec.configStore.secrets", spec.config_store.secrets or ""),
    ]
    others += [
        (f"spec.etcdClusters[{index}].backups.backupStore", etcd.backups.backup_store or "")
        for index, etcd in enumerate(spec.etcd_clusters)
        if etcd.backups is not None
    ]
    found: Problems = []
    for path, store in others:
        if not store.startswith(_AZURE):
            continue
        account = _azure_account(store)
        if not account:
            found.append(invalid(path, store, f"must be {_AZURE}account/container/path"))
        elif not canonical:
            found.append(invalid(path, store, f"needs configStore.base to be {_AZURE} as well"))
        elif account != canonical:
            found.append(invalid(path, store, f"must be in storage account {canonical}, where configStore.base is"))
    return found


def _azure_account(text: str) -> str:
    """The storage account of an azureblob:// URL; "" when it names no account or no container."""
    url = parse_url(text)
    has_container = url is not None and url.path.lstrip("/").split("/")[0]
    return url.netloc if url is not None and has_container else ""
