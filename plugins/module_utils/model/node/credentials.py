# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials of the node that no single component owns (secrets.go and kubectl.go of nodeup)."""

from __future__ import annotations

from ...exchange.references import DOCKER_CONFIG
from ...exchange.settings import KUBECONFIG as ADMIN_KUBECONFIG
from ...statestore.keyset import KUBERNETES_CA
from ...statestore.pki import Subject
from .certificates import Certificate
from .context import CA_FILE, SRV, NodeContext
from .draft import Draft


def build(context: NodeContext, draft: Draft) -> None:
    """The cluster's authorities, logins to registries, and on API servers the kubeconfig of their administrator."""
    draft.directory(SRV)
    draft.authority(CA_FILE, KUBERNETES_CA, "0600")
    if "dockerconfig" in context.secret_names:
        draft.stored_file("/root/.docker/config.json", DOCKER_CONFIG)
    if context.has_api_server:
        draft.certificate(
            Certificate(
                "kubecfg",
                Subject("kubecfg", ("system:masters",)),
                kubeconfig=ADMIN_KUBECONFIG,
                server=context.api_url,
                key_mode="0400",
            )
        )
