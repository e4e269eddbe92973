# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel of a node: modules and settings (sysctls.go of nodeup, loadKernelModules in command.go)."""

from __future__ import annotations

from dataclasses import dataclass

from ....exchange.distributions import rows_with
from ..context import NodeContext
from ..draft import Draft, on

# Setting -> value, on every node. What a kernel does not have is left out: they tune, nothing depends on them.
_TUNING = {
    # Databases and search engines map many files.
    "vm.max_map_count": "1048576",
    "kernel.softlockup_panic": "1",
    "kernel.softlockup_all_cpu_backtrace": "1",
    "net.core.somaxconn": "32768",
    "net.core.rmem_max": "16777216",
    "net.core.wmem_max": "16777216",
    "net.ipv4.tcp_wmem": "4096 87380 16777216",
    "net.ipv4.tcp_rmem": "4096 87380 16777216",
    "net.ipv4.tcp_max_syn_backlog": "8096",
    "net.ipv4.tcp_slow_start_after_idle": "0",
    "net.ipv4.tcp_tw_reuse": "1",
    "net.core.netdev_max_backlog": "16384",
    "fs.file-max": "2097152",
    "fs.inotify.max_user_instances": "8192",
}
# With protectKernelDefaults the kubelet does not start under any other values.
_KUBELET = {"vm.overcommit_memory": "1", "kernel.panic": "10", "kernel.panic_on_oops": "1"}
_NODE_PORTS = "30000-32767"
# A filter on the way back drops what Cilium routes.
_CILIUM = {
    "net.ipv4.conf.all.rp_filter": "0",
    "net.ipv4.conf.lxc*.rp_filter": "0",
    "net.ipv4.conf.cilium_*.rp_filter": "0",
}


def build(context: NodeContext, draft: Draft) -> None:
    """Modules and settings."""
    bridging = "nfnetlink_queue" if context.cluster.spec.networking.kindnet is not None else "br_netfilter"
    for module in ("overlay", bridging):
        draft.add("kernelModules", {"name": module})
    for module, names in rows_with("modules").items():
        draft.add("kernelModules", {"name": module}, on(distribution=names))
    if context.is_ipv6_only:
        # With forwarding, this distribution takes no route from its router any more, unless each interface says so.
        draft.add("sysctls", {"key": "net.ipv6.conf.ens*.accept_ra", "value": "2"}, on(distribution="debian-11"))
    own = _own(context)
    needed = {**_KUBELET, **_forwarding(context)}
    for key, value in {**_tuning(context), **needed, **dict.fromkeys(own, "")}.items():
        if key in own:
            own[key].add(draft)
        else:
            draft.add("sysctls", {"key": key, "value": value, "required": key in needed})


def _tuning(context: NodeContext) -> dict[str, str]:
    server = context.cluster.spec.kube_api_server
    reserved = (server.service_node_port_range if server else None) or _NODE_PORTS
    settings = {**_TUNING, "net.ipv4.ip_local_reserved_ports": reserved, **context.cloud.sysctls}
    return {**settings, **(_CILIUM if context.cluster.spec.networking.cilium is not None else {})}


def _forwarding(context: NodeContext) -> dict[str, str]:
    return {"net.ipv6.conf.all.forwarding" if context.is_ipv6_only else "net.ipv4.ip_forward": "1"}


@dataclass(frozen=True)
class _Own:
    """A setting of the user. path, group: of its line, as Draft.asked_by has them."""

    key: str
    value: str
    required: bool
    path: str
    group: str

    def add(self, draft: Draft) -> None:
        with draft.asked_by(self.path, self.group):
            draft.add("sysctls", {"key": self.key, "value": self.value, "required": self.required})


def build_own(context: NodeContext, draft: Draft) -> None:
    """The user's settings alone."""
    for setting in _own(context).values():
        setting.add(draft)


def _own(context: NodeContext) -> dict[str, _Own]:
    """The user's settings by their keys. The cluster's count, as kops writes them last.

    As in sysctl.d(5), one that the kernel need not have begins with a hyphen.
    """
    found = {}
    for level, group in ((context.group, str(context.group.metadata.name)), (context.cluster, "")):
        for index, line in enumerate(level.spec.sysctl_parameters):
            # One without "=" is refused by validation.
            if "=" not in line or line.lstrip().startswith(("#", ";")):
                continue
            text, _equals, value = (part.strip() for part in line.partition("="))
            key = text.removeprefix("-").lstrip()
            found[key] = _Own(key, value, key == text, f"spec.sysctlParameters[{index}]", group)
    return found
