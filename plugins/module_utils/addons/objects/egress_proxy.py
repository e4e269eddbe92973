# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The egress proxy, for pods that reach the world through it (ProxyEnv in template_functions.go of kops)."""

from __future__ import annotations

from ...api.cluster import Cluster


def proxy_variables(cluster: Cluster) -> dict[str, str]:
    """The environment variables of a pod for spec.networking.egressProxy, sorted by name; none without a proxy."""
    proxy = cluster.spec.networking.egress_proxy
    if proxy is None:
        return {}
    found: dict[str, str] = {}
    host, port = proxy.http_proxy.host, proxy.http_proxy.port
    if host:
        url = f"http://{host}:{port}" if port else f"http://{host}"
        found.update(http_proxy=url, https_proxy=url)
    if proxy.excludes:
        found.update(no_proxy=proxy.excludes, NO_PROXY=proxy.excludes)
    return dict(sorted(found.items()))
