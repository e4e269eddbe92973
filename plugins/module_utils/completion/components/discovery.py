# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of where the keys of service account tokens are published."""

from __future__ import annotations

from ...api.cluster import Cluster, ClusterSpec
from ...api.kube_apiserver import KubeAPIServerConfig
from ...api.questions import is_ipv6_only
from ...statestore.vfs.public_urls import bucket_of, public_url
from ..context import Context
from ..filling import fill
from ..problems import invalid, required

_DISCOVERY = "spec.serviceAccountIssuerDiscovery"
_EVERYBODY = ("0.0.0.0/0", "::/0")


def complete(cluster: Cluster, context: Context) -> None:
    """spec.kubeAPIServer: audiences, service account issuer and the URL of its keys.

    Raises ValidationError for a discovery store that has no public URL.
    """
    server = cluster.spec.kube_api_server = cluster.spec.kube_api_server or KubeAPIServerConfig()
    fill(server, api_audiences=["kubernetes.svc.default"])
    if server.service_account_issuer is None:
        server.service_account_issuer = _issuer(cluster, context)
    server.service_account_jwksuri = f"{server.service_account_issuer}/openid/v1/jwks"


def _issuer(cluster: Cluster, context: Context) -> str:
    spec = cluster.spec
    discovery = spec.service_account_issuer_discovery
    if discovery and discovery.discovery_store:
        return _public_url(discovery.discovery_store, cluster, context)
    if discovery and discovery.discovery_service:
        if not discovery.discovery_service.url:
            raise required(f"{_DISCOVERY}.discoveryService.url", "must be given")
        return discovery.discovery_service.url
    if _serves_keys_publicly(spec) and spec.api.public_name:
        return f"https://{spec.api.public_name}"
    return f"https://api.internal.{context.cluster_name}"


def _serves_keys_publicly(spec: ClusterSpec) -> bool:
    server = spec.kube_api_server
    return bool(server and server.anonymous_auth) and any(cidr in _EVERYBODY for cidr in spec.api.access)


def _public_url(store: str, cluster: Cluster, context: Context) -> str:
    region = context.settings.bucket_regions.get(bucket_of(store), context.region)
    found = public_url(store, region=region, dual_stack=is_ipv6_only(cluster))
    if not found:
        raise invalid(
            f"{_DISCOVERY}.discoveryStore", "must be an s3:// or gs:// URL, which others can read from", store
        )
    return found
