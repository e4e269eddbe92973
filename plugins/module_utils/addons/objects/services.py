# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Services, and the webhooks that are called through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from .core import Labels, kubernetes_object


def service(
    name: str,
    namespace: str,
    ports: Sequence[dict[str, Any]],
    selector: Labels,
    labels: Optional[Labels] = None,
    **spec: Any,
) -> dict[str, Any]:
    """A Service. spec: other fields of its specification, such as clusterIP."""
    specification = {**spec, "ports": list(ports), "selector": dict(selector)}
    return kubernetes_object("v1", "Service", name, namespace=namespace, labels=labels, spec=specification)


def port(number: int, target: int | str | None = None, name: str = "", protocol: str = "") -> dict[str, Any]:
    """A port of a Service. target: the port of its pods; None: the API server's default, the same number."""
    optional = {"name": name or None, "protocol": protocol or None, "targetPort": target}
    return {"port": number, **{key: value for key, value in optional.items() if value is not None}}


def webhook(
    name: str, service: tuple[str, str], path: str, rules: Sequence[dict[str, Any]], **more: Any
) -> dict[str, Any]:
    """A webhook of a webhook_configuration.

    service: namespace and name of the Service that is called. rules: see webhook_rule. more: such as failurePolicy.
    """
    namespace, called = service
    client = {"service": {"name": called, "namespace": namespace, "path": path}}
    reviews = {"admissionReviewVersions": ["v1"], "sideEffects": "None"}
    return {"name": name, "clientConfig": client, "rules": list(rules), **reviews, **more}


def webhook_rule(groups: str, versions: str, operations: str, resources: str, **more: Any) -> dict[str, Any]:
    """What a webhook is asked about; several are separated by spaces, and the group of the core is "core"."""
    named = ["" if group == "core" else group for group in groups.split()]
    what = {"apiVersions": versions.split(), "operations": operations.split(), "resources": resources.split()}
    return {"apiGroups": named, **what, **more}


def webhook_configuration(
    kind: str,
    name: str,
    webhooks: Sequence[dict[str, Any]],
    *,
    labels: Optional[Labels] = None,
    annotations: Optional[Labels] = None,
) -> dict[str, Any]:
    """The webhooks that the API server calls before it stores objects. kind: Mutating or Validating."""
    return kubernetes_object(
        "admissionregistration.k8s.io/v1",
        f"{kind}WebhookConfiguration",
        name,
        labels=labels,
        annotations=annotations,
        webhooks=list(webhooks),
    )


def api_service(group: str, version: str, service: tuple[str, str], *, labels: Labels, **spec: Any) -> dict[str, Any]:
    """An APIService: a group of the API that a Service of the cluster serves.

    service: its namespace and name. spec: groupPriorityMinimum, versionPriority and others.
    """
    namespace, called = service
    served = {"group": group, "version": version, "service": {"name": called, "namespace": namespace}}
    return kubernetes_object(
        "apiregistration.k8s.io/v1", "APIService", f"{version}.{group}", labels=labels, spec={**spec, **served}
    )
