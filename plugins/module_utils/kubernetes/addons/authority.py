# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificate authority that an addon has of its own (needsPKI in kops' index of addons).

kops' channels program makes its key and certificate. Here cert-manager, which such an addon needs in any case, makes
them in the cluster, so that the key is never anywhere else. Names are kops': an authority that kops made is kept.
"""

from __future__ import annotations

from typing import Any

from ..client import KubernetesClient, Object

NAMESPACE = "kube-system"
_API = "cert-manager.io/v1"
# Ten years, as kops' own.
_DURATION = "87600h"


def authority_objects(client: KubernetesClient, name: str) -> list[Object]:
    """The Issuer with the addon's name, and what makes its Secret (name-ca) unless kops made it."""
    secret = f"{name}-ca"
    signing = _object("Issuer", name, {"ca": {"secretName": secret}})
    certificate = client.find(f"/apis/{_API}/namespaces/{NAMESPACE}/certificates/{secret}")
    if certificate is None and client.find(f"/api/v1/namespaces/{NAMESPACE}/secrets/{secret}") is not None:
        return [signing]
    itself = f"{name}-selfsigned"
    wanted = {
        "secretName": secret,
        "commonName": name,
        "dnsNames": [name],
        "isCA": True,
        "duration": _DURATION,
        "issuerRef": {"kind": "Issuer", "name": itself},
    }
    return [_object("Issuer", itself, {"selfSigned": {}}), _object("Certificate", secret, wanted), signing]


def _object(kind: str, name: str, spec: dict[str, Any]) -> Object:
    return {"apiVersion": _API, "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec}
