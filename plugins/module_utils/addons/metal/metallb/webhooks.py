# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The webhook that checks MetalLB's objects. The controller serves it, and makes its certificate itself."""

from __future__ import annotations

from typing import Any

from ...objects.core import kubernetes_object
from ...objects.services import port, service, webhook, webhook_configuration, webhook_rule
from .names import CONTROLLER, NAMESPACE, WEBHOOK_SECRET, WEBHOOK_SERVICE

# Kind -> version and operations that are checked.
_CHECKED = {
    "bgppeer": ("v1beta2", "CREATE UPDATE"),
    "bfdprofile": ("v1beta1", "CREATE DELETE"),
    "bgpadvertisement": ("v1beta1", "CREATE UPDATE"),
    "community": ("v1beta1", "CREATE UPDATE"),
    "ipaddresspool": ("v1beta1", "CREATE UPDATE"),
    "l2advertisement": ("v1beta1", "CREATE UPDATE"),
}


def webhooks() -> list[dict[str, Any]]:
    """What the API server calls, and the Secret that the controller fills; it does not make the Secret itself."""
    return [
        kubernetes_object("v1", "Secret", WEBHOOK_SECRET, namespace=NAMESPACE),
        service(WEBHOOK_SERVICE, NAMESPACE, [port(443, 9443)], {"component": CONTROLLER}),
        webhook_configuration(
            "Validating",
            "metallb-webhook-configuration",
            [_webhook(kind, version, operations) for kind, (version, operations) in _CHECKED.items()],
        ),
    ]


def _webhook(kind: str, version: str, operations: str) -> dict[str, Any]:
    plural = "communities" if kind == "community" else f"{kind}s"
    return webhook(
        f"{kind}{'s' if kind == 'bgppeer' else ''}validationwebhook.metallb.io",
        (NAMESPACE, WEBHOOK_SERVICE),
        f"/validate-metallb-io-{version}-{kind}",
        [webhook_rule("metallb.io", version, operations, plural)],
        failurePolicy="Fail",
    )
