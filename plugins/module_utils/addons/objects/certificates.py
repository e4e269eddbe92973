# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates that cert-manager issues, for webhooks of addons."""

from __future__ import annotations

from typing import Any, Optional

from .core import Labels, kubernetes_object

_API = "cert-manager.io/v1"


def self_signed_issuer(name: str, namespace: str, labels: Optional[Labels] = None) -> dict[str, Any]:
    """An Issuer whose certificates sign themselves."""
    return kubernetes_object(_API, "Issuer", name, namespace=namespace, labels=labels, spec={"selfSigned": {}})


def certificate(
    name: str, namespace: str, secret: str, issuer: str, labels: Optional[Labels] = None, **spec: Any
) -> dict[str, Any]:
    """A Certificate that an Issuer of its namespace signs. secret: where it is kept. spec: dnsNames and others."""
    specification = {**spec, "issuerRef": {"kind": "Issuer", "name": issuer}, "secretName": secret}
    return kubernetes_object(_API, "Certificate", name, namespace=namespace, labels=labels, spec=specification)
