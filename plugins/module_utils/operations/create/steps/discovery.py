# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Discovery store of a new cluster: its documents let others verify service account tokens."""

from __future__ import annotations

from ....api.clouds import AWS
from ....api.cluster import ServiceAccountIssuerDiscoveryConfig
from ..draft import Draft
from .basics import below


def add_discovery(draft: Draft) -> None:
    """Write the discovery store, and on AWS that service accounts get IAM roles of their own."""
    options, spec = draft.options, draft.cluster.spec
    if not options.discovery_store:
        return
    spec.service_account_issuer_discovery = ServiceAccountIssuerDiscoveryConfig(
        discovery_store=below(options.discovery_store, options.name)
    )
    if draft.cloud is AWS and spec.iam:
        spec.service_account_issuer_discovery.enable_awsoidc_provider = True
        spec.iam.use_service_account_external_permissions = True
