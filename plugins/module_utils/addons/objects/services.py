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
