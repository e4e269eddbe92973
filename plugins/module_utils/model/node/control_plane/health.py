# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node waits for before it counts as done, and the log to look into when that does not come."""

from __future__ import annotations

from ...ports import KUBE_PROXY_HEALTH_CHECK, KUBELET_HEALTH_CHECK
from ..context import CA_FILE, LOOPBACK, NodeContext
from ..draft import Draft
from ..runtime.containerd import UNIT as CONTAINERD_UNIT
from ..runtime.kubelet import UNIT as KUBELET_UNIT
from . import etcd, keepalived, kube_apiserver, kube_controller_manager, kube_scheduler

# Seconds. Static pods begin with the pull of their images.
_UNIT_DEADLINE, _POD_DEADLINE = 60, 300


def build(context: NodeContext, draft: Draft) -> None:
    """Checks in the order in which parts depend on each other."""
    for unit in (CONTAINERD_UNIT, KUBELET_UNIT):
        draft.check(unit, "unit", unit, {"unit": unit}, _UNIT_DEADLINE)
    url = f"http://{LOOPBACK}:{KUBELET_HEALTH_CHECK}/healthz"
    draft.check("kubelet", "http", url, {"unit": KUBELET_UNIT}, _UNIT_DEADLINE)
    if context.is_control_plane:
        for cluster in etcd.clusters(context):
            name = str(cluster.name)
            url = f"http://{LOOPBACK}:{etcd.HEALTH_PORTS[name]}/health"
            draft.check(f"etcd-{name}", "http", url, {"file": etcd.log_file(name)}, _POD_DEADLINE)
    if context.has_api_server:
        _build_api_server(context, draft)
    if context.is_control_plane:
        for module in (kube_controller_manager, kube_scheduler):
            name = module.LOG.rpartition("/")[2].removesuffix(".log")
            url = f"https://{LOOPBACK}:{module.PORT}/healthz"
            draft.check(name, "http", url, {"file": module.LOG}, _POD_DEADLINE)
    if context.is_control_plane and context.virtual_address:
        draft.check(keepalived.UNIT, "unit", keepalived.UNIT, {"unit": keepalived.UNIT}, _UNIT_DEADLINE)
    proxy = context.kube_proxy()
    if proxy is not None:
        # Until it has heard of its node, kube-proxy answers that it is not well: so only that it answers counts.
        target = f"{LOOPBACK}:{KUBE_PROXY_HEALTH_CHECK}"
        draft.check("kube-proxy", "tcp", target, {"file": "/var/log/kube-proxy.log"}, _POD_DEADLINE)


def _build_api_server(context: NodeContext, draft: Draft) -> None:
    url = f"https://{LOOPBACK}:{kube_apiserver.port(context)}/readyz"
    client = f"{kube_apiserver.DIRECTORY}/{kube_apiserver.KUBELET_CLIENT}"
    draft.check(
        "kube-apiserver",
        "http",
        url,
        {"file": kube_apiserver.LOG},
        _POD_DEADLINE,
        ca=CA_FILE,
        clientCertificate=f"{client}.crt",
        clientKey=f"{client}.key",
    )
