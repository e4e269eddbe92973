# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes objects of the core that several addons have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Labels = Mapping[str, str]


def kubernetes_object(
    api_version: str,
    kind: str,
    name: str,
    *,
    namespace: str = "",
    labels: Labels | None = None,
    annotations: Mapping[str, str] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """An object: more holds its other fields, such as spec. No namespace: of the whole cluster."""
    metadata: dict[str, Any] = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if labels:
        metadata["labels"] = dict(labels)
    if annotations:
        metadata["annotations"] = dict(annotations)
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


def service_account(name: str, namespace: str, labels: Labels | None = None, **more: Any) -> dict[str, Any]:
    """A ServiceAccount. more: such as automountServiceAccountToken."""
    return kubernetes_object("v1", "ServiceAccount", name, namespace=namespace, labels=labels, **more)


def config_map(name: str, namespace: str, labels: Labels, data: Mapping[str, str]) -> dict[str, Any]:
    """A ConfigMap."""
    return kubernetes_object("v1", "ConfigMap", name, namespace=namespace, labels=labels, data=dict(data))


def secret(name: str, namespace: str, texts: Mapping[str, str | None], **more: Any) -> dict[str, Any]:
    """A Secret of texts; None is an empty one, as kops' templates write it. more: such as type."""
    return kubernetes_object("v1", "Secret", name, namespace=namespace, stringData=dict(texts), **more)


def dns_ports(*, targets: bool = False) -> list[dict[str, Any]]:
    """The ports of a DNS service; targets: name the pods' ports as well."""
    target = {"targetPort": 53} if targets else {}
    return [
        {"name": "dns", "port": 53, "protocol": "UDP", **target},
        {"name": "dns-tcp", "port": 53, "protocol": "TCP", **target},
    ]


def block_text(text: str) -> str:
    """A text as kops' templates embed it: of the line ends at its end, one stays."""
    return text.rstrip("\n") + ("\n" if text.endswith("\n") else "")
