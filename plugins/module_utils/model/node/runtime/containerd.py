# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""containerd on a node: its unit, options and files (containerd.go of nodeup)."""

from __future__ import annotations

import json

from ....api.flags import option_text
from ....exchange.distributions import REDHAT
from ..context import NodeContext
from ..draft import Draft, on
from ..files.binaries import CONTAINERD_BINARIES, RUNC, WITH_RUNTIME, WITHOUT_RUNTIME
from ..system import egress_proxy, volumes
from ..system.firewall import boot_script_unit
from ..systemd import unit_text
from .containerd_config import CNI_TEMPLATE, REGISTRIES, config_toml, registry_hosts, uses_kubenet
from .toml import toml_text

SOCKET = "/run/containerd/containerd.sock"
UNIT = "containerd.service"
_CONFIG = "/etc/containerd/config.toml"
_ENVIRONMENT = "/etc/sysconfig/containerd"
_COMMAND = f'{CONTAINERD_BINARIES}/containerd -c {_CONFIG} "$CONTAINERD_OPTS"'
# Drop-in of a unit that is part of the distribution.
_OURS = "10-kops.conf"
_START = (
    f"[Service]\nEnvironmentFile={_ENVIRONMENT}\nEnvironmentFile=-/etc/environment\nExecStart=\nExecStart={_COMMAND}\n"
)
_MASQUERADE_PATH = "/opt/kops/bin/cni-iptables-setup"
# Run at every boot: pods reach the outside with their node's address. {cidr} is not translated.
_MASQUERADE = """#!/bin/bash
iptables -w -t nat -N IP-MASQ 2> /dev/null || iptables -w -t nat -F IP-MASQ
rule=(POSTROUTING -m comment --comment "ip-masq" -m addrtype ! --dst-type LOCAL -j IP-MASQ)
iptables -w -t nat -C "${{rule[@]}}" 2> /dev/null || iptables -w -t nat -A "${{rule[@]}}"
iptables -w -t nat -A IP-MASQ -d {cidr} -m comment --comment "ip-masq: pods among themselves" -j RETURN
iptables -w -t nat -A IP-MASQ -m comment --comment "ip-masq: out of the cluster" -j MASQUERADE
"""


def build(context: NodeContext, draft: Draft) -> None:
    """Everything of containerd, unless it is installed by other means (containerd.skipInstall)."""
    if context.containerd.skip_install:
        return
    reasons, drop_ins = (
        ["download:containerd", "download:runc"],
        {**egress_proxy.drop_ins(context), **volumes.awaited(context)},
    )
    draft.file(_CONFIG, config_toml(context), when=WITHOUT_RUNTIME)
    draft.file(_CONFIG, config_toml(context, of_distribution=True), when=WITH_RUNTIME)
    draft.directory("/etc/sysconfig")
    draft.file(_ENVIRONMENT, f"CONTAINERD_OPTS={option_text(context.containerd)}\n")
    draft.file("/etc/crictl.yaml", f"runtime-endpoint: unix://{SOCKET}\n")
    # containerd reads these whenever it pulls.
    for registry, hosts in registry_hosts(context).items():
        draft.file(f"{REGISTRIES}/{registry}/hosts.toml", hosts)
    if uses_kubenet(context):
        _build_kubenet(context, draft)
    if context.gvisor_platform:
        runsc = toml_text({"runsc_config": {"platform": context.gvisor_platform}})
        draft.file("/etc/containerd/runsc.toml", runsc)
    if context.containerd.selinux_enabled:
        others = [name for name in WITHOUT_RUNTIME["family"] if name != REDHAT]
        draft.unit(UNIT, _unit(context), restart_on=reasons, drop_ins=drop_ins, when=on(family=others))
        draft.unit(UNIT, _unit(context, relabels=True), restart_on=reasons, drop_ins=drop_ins, when=on(family=REDHAT))
    else:
        draft.unit(UNIT, _unit(context), restart_on=reasons, drop_ins=drop_ins, when=WITHOUT_RUNTIME)
    # The distribution's own unit, with our configuration.
    files = [f"file:{path}" for path in (_CONFIG, _ENVIRONMENT)]
    draft.unit(UNIT, restart_on=files, drop_ins={_OURS: _START, **drop_ins}, when=WITH_RUNTIME)
    if slice_name := context.kubelet().runtime_cgroups:
        draft.unit(*slice_unit(slice_name), enabled=False)


def slice_unit(cgroup: str) -> tuple[str, str]:
    """Name and content of the slice that is a cgroup of a component."""
    unit = [("Documentation", "man:systemd.special(7)"), ("Before", "slices.target"), ("DefaultDependencies", "no")]
    return f"{cgroup.strip('/')}.slice", unit_text({"Unit": unit})


def _unit(context: NodeContext, *, relabels: bool = False) -> str:
    programs = (RUNC, f"{CONTAINERD_BINARIES}/containerd*")
    service = [("ExecStartPre", f"/bin/sh -c 'restorecon -v {path}'") for path in programs if relabels]
    service += [
        ("EnvironmentFile", _ENVIRONMENT),
        ("EnvironmentFile", "-/etc/environment"),
        ("ExecStartPre", "-/sbin/modprobe overlay"),
        ("ExecStart", _COMMAND),
        ("Type", "notify"),
        # The cgroups below are containerd's, and its containers outlive it.
        ("Delegate", "yes"),
        ("KillMode", "process"),
        ("Restart", "always"),
        ("RestartSec", "5"),
        ("LimitNPROC", "infinity"),
        ("LimitCORE", "infinity"),
        ("LimitNOFILE", "1048576"),
        ("TasksMax", "infinity"),
        ("OOMScoreAdjust", "-999"),
    ]
    if cgroup := context.kubelet().runtime_cgroups:
        service.append(("Slice", slice_unit(cgroup)[0]))
    return unit_text(
        {
            "Unit": [
                ("Description", "containerd container runtime"),
                ("Documentation", "https://containerd.io"),
                ("After", "network.target dbus.service"),
            ],
            "Service": service,
            "Install": [("WantedBy", "multi-user.target")],
        }
    )


def _build_kubenet(context: NodeContext, draft: Draft) -> None:
    """Networking by containerd itself: a template that it fills in with the node's range, and masquerading."""
    destinations = ["0.0.0.0/0", *(["::/0"] if context.is_ipv6_only else [])]
    plugin = {
        "type": "ptp",
        "ipam": {
            "type": "host-local",
            "ranges": [[{"subnet": "{{.PodCIDR}}"}]],
            "routes": [{"dst": destination} for destination in destinations],
        },
    }
    ports = {"type": "portmap", "capabilities": {"portMappings": True}}
    template = {"cniVersion": "1.0.0", "name": "k8s-pod-network", "plugins": [plugin, ports]}
    draft.file(CNI_TEMPLATE, json.dumps(template, indent=4) + "\n")
    cidr = context.cluster.spec.networking.non_masquerade_cidr
    if cidr and not cidr.endswith("/0"):
        draft.file(_MASQUERADE_PATH, _MASQUERADE.format(cidr=cidr), "0755")
        unit = boot_script_unit("Configure iptables for kubernetes CNI", _MASQUERADE_PATH)
        draft.unit("cni-iptables-setup.service", unit)
