# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificate authorities of a cluster (pkg/model/pki.go of kops)."""

from __future__ import annotations

from ..cloud.tasks.keypair import Keypair
from .context import ModelContext

KUBERNETES_CA, SERVICE_ACCOUNT = "kubernetes-ca", "service-account"
_ALWAYS = (KUBERNETES_CA, "apiserver-aggregator-ca", SERVICE_ACCOUNT)
_DISCOVERY = "discovery-ca"


def build(context: ModelContext) -> None:
    """The authorities that every cluster has, and the one of a discovery service."""
    discovery = context.cluster.spec.service_account_issuer_discovery
    has_service = discovery is not None and discovery.discovery_service is not None and discovery.discovery_service.url
    for name in (*_ALWAYS, *([_DISCOVERY] if has_service else [])):
        ensure_authority(context, name)


def ensure_authority(context: ModelContext, name: str) -> Keypair:
    """A certificate authority of that name."""
    return context.ensure(
        Keypair(name, context.layers.cluster, base=context.keypair_base, subject=f"cn={name}", type="ca")
    )
