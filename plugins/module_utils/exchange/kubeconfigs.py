# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubeconfig files of a node's own clients (nodetasks/kubeconfig.go of kops), as kops' YAML library writes them."""

from __future__ import annotations

import base64

_KUBECONFIG = """\
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: {authorities}
    server: {server}
  name: local
contexts:
- context:
    cluster: local
    user: {user}
  name: service-account-context
current-context: service-account-context
kind: Config
users:
- name: {user}
  user:
    client-certificate-data: {certificate}
    client-key-data: {key}
"""
_WEBHOOK = """\
apiVersion: v1
clusters:
- cluster:
{authorities}    server: {server}
  name: {cluster}
contexts:
- context:
    cluster: {cluster}
    user: kube-apiserver
  name: webhook
current-context: webhook
kind: Config
users:
- name: kube-apiserver
  user: {{}}
"""


def kubeconfig_text(user: str, server: str, authorities: str, certificate: str, key: str) -> str:
    """A kubeconfig. user: a plain word. server: URL of the API server. authorities, certificate, key: PEM."""
    return _KUBECONFIG.format(
        user=user,
        server=server,
        authorities=_encoded(authorities),
        certificate=_encoded(certificate),
        key=_encoded(key),
    )


def webhook_text(server: str, cluster: str, authorities: str = "") -> str:
    """How the API server reaches a webhook that authenticates tokens. cluster: a plain word. authorities: PEM."""
    trusted = f"    certificate-authority-data: {_encoded(authorities)}\n" if authorities else ""
    return _WEBHOOK.format(server=server, cluster=cluster, authorities=trusted)


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
