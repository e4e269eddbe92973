# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-proxy as a static pod on every node (kube_proxy.go of nodeup)."""

from __future__ import annotations

from typing import Any

from ....api.components import KubeProxyConfig
from ....api.flags import options
from ....exchange.distributions import DISTRIBUTIONS
from ....statestore.pki import Subject
from ..certificates import Certificate
from ..context import LOOPBACK, NODE_NAME, NodeContext
from ..draft import Draft, on
from ..pods import StaticPod, logged
from ..system import hosts

KUBECONFIG = "/var/lib/kube-proxy/kubeconfig"
_CONNECTIONS_PER_CORE = 131072
_NFTABLES = "nftables"


def build(context: NodeContext, draft: Draft) -> None:
    """The pod and its kubeconfig; nothing where kube-proxy is switched off."""
    proxy = context.kube_proxy()
    if proxy is None:
        return
    draft.certificate(
        Certificate(
            "kube-proxy",
            Subject("system:kube-proxy"),
            kubeconfig=KUBECONFIG,
            server=context.api_url,
            key_mode="0400",
        )
    )
    draft.log_file("/var/log/kube-proxy.log")
    restart_on = [] if context.is_control_plane else hosts.restart_reasons(draft)
    # Next to an API server there are more urgent images to pull.
    last = context.is_control_plane
    # interrupts=False: the kernel keeps the rules while kube-proxy restarts.
    if (proxy.proxy_mode or "iptables") != "iptables":
        draft.static_pod(pod(context, proxy), restart_on, last=last, interrupts=False)
        return
    # iptables is no choice on the distributions that do not have it any more.
    others = [row.name for row in DISTRIBUTIONS if _NFTABLES not in row.traits]
    draft.static_pod(pod(context, proxy), restart_on, on(distribution=others), last=last, interrupts=False)
    proxy.proxy_mode = _NFTABLES
    draft.static_pod(pod(context, proxy), restart_on, on(trait=_NFTABLES), last=last, interrupts=False)


def pod(context: NodeContext, proxy: KubeProxyConfig) -> dict[str, Any]:
    """The manifest."""
    if not proxy.master:
        # Next door on a control plane, so that its DNS, which needs kube-proxy, is not needed for kube-proxy.
        host = LOOPBACK if context.is_control_plane else context.api_internal_name
        proxy.master = f"https://{host}"
    proxy.hostname_override = proxy.hostname_override or NODE_NAME
    if proxy.conntrack_max_per_core is None:
        proxy.conntrack_max_per_core = _CONNECTIONS_PER_CORE
    flags = sorted([*options(proxy), f"--kubeconfig={KUBECONFIG}", "--oom-score-adj=-998"])
    command, arguments = logged("kube-proxy", flags)
    made = StaticPod(
        "kube-proxy",
        proxy.image or "",
        command,
        arguments,
        priority="system-node-critical",
        labels={"k8s-app": "kube-proxy", "tier": "node", "kubernetes.io/managed-by": "nodeup"},
        requests={"cpu": proxy.cpu_request, "memory": proxy.memory_request},
        limits={"cpu": proxy.cpu_limit, "memory": proxy.memory_limit},
        more={"securityContext": {"privileged": True}},
    )
    made.mount("logfile", "/var/log/kube-proxy.log", writable=True)
    made.mount("kubeconfig", "/var/lib/kube-proxy")
    made.mount("modules", "/lib/modules")
    made.mount("ssl-certs-hosts", "/usr/share/ca-certificates", inside="/etc/ssl/certs")
    # Who changes iptables takes this lock, on the host as in the pod.
    made.mount("iptableslock", "/run/xtables.lock", writable=True, kind="FileOrCreate")
    return made.manifest(context)
