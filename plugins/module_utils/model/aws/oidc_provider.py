# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The IAM identity provider for service-account tokens (pkg/model/awsmodel/oidc_provider.go of kops)."""

from __future__ import annotations

from ...cloud.aws.tasks.iam_oidc_provider import IAMOIDCProvider
from ..context import ModelContext
from . import tags

AUDIENCE = "amazonaws.com"
# SHA-1 of the root certificates that sign S3's endpoints.
S3_ROOT_THUMBPRINTS = ("9e99a48a9960b14926bb7f3b02e22da2b0ab7280", "a9d53002e97e00e043244f3d170d6f4c414104fd")


def build(context: ModelContext) -> None:
    """The provider, when spec.serviceAccountIssuerDiscovery asks for it."""
    discovery = context.cluster.spec.service_account_issuer_discovery
    if discovery is None or not discovery.enable_awsoidc_provider:
        return
    api_server = context.cluster.spec.kube_api_server
    context.add(
        IAMOIDCProvider(
            context.name,
            context.layers.security,
            url=api_server.service_account_issuer if api_server else None,
            client_ids=[AUDIENCE, *discovery.additional_audiences],
            thumbprints=list(S3_ROOT_THUMBPRINTS),
            tags=tags.of_object(context.cluster, context.name),
        )
    )
