# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who the API server believes, beside certificates and service accounts: OIDC and webhooks (kube_apiserver.go)."""

from __future__ import annotations

from ....api.kube_apiserver import KubeAPIServerConfig
from ....exchange.kubeconfigs import webhook_text
from ....statestore.pki import Subject
from ..certificates import Certificate
from ..context import LOOPBACK, NodeContext
from ..draft import Draft

WEBHOOK_CONFIG = "/etc/kubernetes/authn.config"
_AWS = "aws-iam-authenticator"
# The user as which its image runs.
_AWS_UID = 10000


def build(context: NodeContext, draft: Draft, server: KubeAPIServerConfig) -> None:
    """Options of the API server, and the files of webhooks. server: gets what spec.authentication says."""
    authentication = context.cluster.spec.authentication
    if authentication is None:
        return
    if (oidc := authentication.oidc) is not None:
        server.oidc_client_id = oidc.client_id
        server.oidc_groups_claim = ",".join(oidc.groups_claims) or None
        server.oidc_groups_prefix = oidc.groups_prefix
        server.oidc_issuer_url = oidc.issuer_url
        server.oidc_required_claim = sorted(f"{claim}={value}" for claim, value in oidc.required_claims.items())
        server.oidc_username_claim = oidc.username_claim
        server.oidc_username_prefix = oidc.username_prefix
    if authentication.kopeio is not None:
        draft.file(WEBHOOK_CONFIG, webhook_text(f"http://{LOOPBACK}:9001/hooks/authn", "webhook"))
    elif authentication.aws is not None:
        server.authentication_token_webhook_config_file = WEBHOOK_CONFIG
        draft.stored_file(WEBHOOK_CONFIG, f"webhook/{_AWS}")
        _build_aws(draft)


def uses_webhook(context: NodeContext) -> bool:
    """Whether the API server asks a webhook."""
    authentication = context.cluster.spec.authentication
    return authentication is not None and (authentication.kopeio is not None or authentication.aws is not None)


def _build_aws(draft: Draft) -> None:
    directory = f"/srv/kubernetes/{_AWS}"
    draft.user(_AWS, _AWS_UID, directory)
    draft.directory(directory)
    draft.certificate(
        Certificate(
            _AWS,
            Subject(_AWS),
            type="server",
            alternate_names=("localhost", LOOPBACK),
            directory=directory,
            certificate_file="cert.pem",
            key_file="key.pem",
            certificate_mode="0600",
            owner=_AWS,
        )
    )
