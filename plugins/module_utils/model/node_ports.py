# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ports of services of type NodePort (spec.kubeAPIServer.serviceNodePortRange)."""

from __future__ import annotations

from ..base.errors import KopsError
from .context import ModelContext

DEFAULT = (30000, 32767)


def node_port_range(context: ModelContext) -> tuple[int, int]:
    """First and last port of services of type NodePort ("28000-32767", "30000+2767"); KopsError when malformed."""
    api_server = context.cluster.spec.kube_api_server
    text = (api_server.service_node_port_range if api_server else None) or ""
    if not text:
        return DEFAULT
    separator = "+" if "+" in text else "-"
    first, _separator, last = text.partition(separator)
    try:
        return (int(first), int(first) + int(last)) if separator == "+" else (int(first), int(last or first))
    except ValueError as error:
        raise KopsError(
            f"spec.kubeAPIServer.serviceNodePortRange: {text!r} is not a range such as 30000-32767"
        ) from error
