# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: kube apiserver as v1alpha3 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import kube_apiserver as hub_kube_apiserver
from ..fields import api_type, without


@without(
    "allow_privileged",
    "authorization_rbac_super_user",
    "basic_auth_file",
    "etcd_ca_file",
    "etcd_cert_file",
    "etcd_key_file",
    "etcd_quorum_read",
    "experimental_encryption_provider_config",
    "kubelet_client_certificate",
    "kubelet_client_key",
    "oidc_client_id",
    "oidc_groups_claim",
    "oidc_groups_prefix",
    "oidc_issuer_url",
    "oidc_required_claim",
    "oidc_username_claim",
    "oidc_username_prefix",
    "proxy_client_cert_file",
    "proxy_client_key_file",
    "requestheader_client_ca_file",
    "tls_cert_file",
    "tls_private_key_file",
)
@api_type
class KubeAPIServerConfig(hub_kube_apiserver.KubeAPIServerConfig):
    """``Cluster.spec.kubeAPIServer``."""
