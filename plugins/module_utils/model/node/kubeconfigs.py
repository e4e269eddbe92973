# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubeconfig files of the node's own clients (nodetasks/kubeconfig.go of kops)."""

from __future__ import annotations

import base64

from ...api.yaml.write import dump_plain


def kubeconfig_text(user: str, server: str, authorities: str, certificate: str, key: str) -> str:
    """A kubeconfig. server: URL of the API server. authorities, certificate, key: PEM."""
    context = "service-account-context"
    return dump_plain(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {"name": "local", "cluster": {"certificate-authority-data": _encoded(authorities), "server": server}}
            ],
            "contexts": [{"name": context, "context": {"cluster": "local", "user": user}}],
            "current-context": context,
            "users": [
                {
                    "name": user,
                    "user": {"client-certificate-data": _encoded(certificate), "client-key-data": _encoded(key)},
                }
            ],
        }
    )


def webhook_text(server: str, cluster: str, authorities: str = "") -> str:
    """How the API server reaches a webhook that authenticates tokens."""
    reached = {"server": server}
    if authorities:
        reached["certificate-authority-data"] = _encoded(authorities)
    return dump_plain(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": cluster, "cluster": reached}],
            "contexts": [{"name": "webhook", "context": {"cluster": cluster, "user": "kube-apiserver"}}],
            "current-context": "webhook",
            "users": [{"name": "kube-apiserver", "user": {}}],
        }
    )


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
