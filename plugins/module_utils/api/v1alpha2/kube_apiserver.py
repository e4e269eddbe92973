# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: kube apiserver as v1alpha2 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import kube_apiserver as hub_kube_apiserver
from ..fields import api_type, field
from ..scalars import Duration


@api_type
class KubeAPIServerConfig(hub_kube_apiserver.KubeAPIServerConfig):
    """``Cluster.spec.kubeAPIServer``."""

    etcd_ca_file: str | None = field(plain=True)
    oidc_username_claim: str | None = None
    oidc_username_prefix: str | None = None
    oidc_groups_claim: str | None = None
    oidc_groups_prefix: str | None = None
    oidc_issuer_url: str | None = field(key="oidcIssuerURL")
    oidc_client_id: str | None = field(key="oidcClientID")
    oidc_required_claim: list[str] = field(default_factory=list)
    authorization_webhook_cache_authorized_ttl: Duration | None = None
    authorization_webhook_cache_unauthorized_ttl: Duration | None = None
    authorization_rbac_super_user: str | None = None
