# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What other ways to make a Kubernetes node leave on a machine, and what removes it.

The paths are those that the tools' own scripts remove: kubeadm reset, reset.yml of kubespray, the uninstall scripts of
k3s and RKE2. So a machine on which they were run is clean.
"""

from __future__ import annotations

import fnmatch
import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...exchange.distributions import FAMILIES
from .drop_ins import DropIn, find_drop_ins
from .machine import MANIFESTS, Machine

_DROP_INS = ("/etc/systemd/system/kubelet.service.d", "/usr/lib/systemd/system/kubelet.service.d")
_RKE2_UNITS = ("/etc/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system")


@dataclass(frozen=True)
class Tool:
    """A tool that makes nodes. traces: paths by which it is recognised. removal: what removes them.

    removes: patterns of what the removal takes away besides; "*" stands for "/" as well.
    """

    name: str
    removal: str
    traces: tuple[str, ...]
    removes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Loaded:
    """Files that our kubelet and containerd would use, whoever wrote them. effect: what that means for the node."""

    effect: str
    patterns: tuple[str, ...]


_UNKNOWN = "rm, or move it to another directory"
# kubespray comes before kubeadm, which it runs.
TOOLS = (
    Tool(
        "kubespray",
        "kubespray's playbook reset.yml",
        (
            *("/etc/kubernetes/kubelet.env", "/etc/kubernetes/kubeadm-config.yaml", "/etc/etcd.env"),
            *("/etc/systemd/system/etcd.service", "/etc/systemd/system/k8s-certs-renew.timer"),
        ),
        ("/etc/kubernetes/*", "/etc/cni/*", "/var/lib/kubelet/*", "/var/lib/etcd/*"),
    ),
    Tool(
        "kubeadm",
        "kubeadm reset",
        (
            *("/etc/kubernetes/admin.conf", "/etc/kubernetes/kubelet.conf", "/etc/kubernetes/bootstrap-kubelet.conf"),
            *("/etc/kubernetes/manifests/etcd.yaml", "/etc/kubernetes/manifests/kube-apiserver.yaml"),
            *(
                "/etc/kubernetes/manifests/kube-controller-manager.yaml",
                "/etc/kubernetes/manifests/kube-scheduler.yaml",
            ),
            *("/etc/kubernetes/pki/*", "/var/lib/kubelet/kubeadm-flags.env", "/var/lib/etcd/member"),
        ),
        (f"{MANIFESTS}/*",),
    ),
    Tool(
        "the package kubeadm",
        "apt-get purge kubeadm (or rm, if the file is of no package)",
        tuple(f"{directory}/10-kubeadm.conf" for directory in _DROP_INS),
    ),
    Tool(
        "a k3s server",
        "k3s-uninstall.sh",
        ("/etc/systemd/system/k3s.service", "/var/lib/rancher/k3s/server"),
        ("/var/lib/rancher/k3s/*",),
    ),
    Tool(
        "a k3s agent",
        "k3s-agent-uninstall.sh",
        ("/etc/systemd/system/k3s-agent.service", "/var/lib/rancher/k3s/agent"),
    ),
    Tool(
        "RKE2",
        "rke2-uninstall.sh",
        (
            *(f"{directory}/rke2-{role}.service" for directory in _RKE2_UNITS for role in ("server", "agent")),
            *("/etc/rancher/rke2", "/var/lib/rancher/rke2"),
        ),
        ("/etc/cni/*",),
    ),
)
LOADED = (
    Loaded("the kubelet would run this pod", (f"{MANIFESTS}/*",)),
    Loaded(
        "pods could get this network instead of the cluster's",
        ("/etc/cni/net.d/*.conf", "/etc/cni/net.d/*.conflist", "/etc/cni/net.d/*.json"),
    ),
)
# Units of the node that other tools put drop-ins beside.
_UNITS = ("containerd.service", "kubelet.service")


def find_foreign(machine: Machine) -> list[dict[str, Any]]:
    """What a machine that is no node of this collection has of others.

    Each: paths; tool, that made them, and removal, what removes them; for files of unknown origin the tool is "", and
    effect says what they would do.
    """
    loaded = {
        path: each.effect
        for each in LOADED
        for path in _present(machine, each.patterns)
        if os.path.isfile(machine.path(path))
    }
    loaded |= {each.path: _effect(each) for each in _drop_ins(machine) if each.commands}
    found: list[dict[str, Any]] = []
    taken: set[str] = set()
    for tool in TOOLS:
        traces = [path for path in _present(machine, tool.traces) if path not in taken]
        if not traces:
            continue
        more = [path for path in (*loaded, *_present(machine, _all_traces())) if _matches(path, tool.removes)]
        paths = sorted({*traces, *more} - taken)
        taken.update(paths)
        found.append({"tool": tool.name, "paths": paths, "effect": "", "removal": tool.removal})
    for path, effect in loaded.items():
        if path not in taken:
            found.append({"tool": "", "paths": [path], "effect": effect, "removal": _UNKNOWN})
    return found


def find_settings(machine: Machine) -> list[dict[str, Any]]:
    """Drop-ins that change neither what the node's units run nor whether they start, but may change how they work.

    Each: path, unit, settings (names), proxy (whether the unit's downloads go through one).
    """
    return [
        {"path": each.path, "unit": each.unit, "settings": each.unusual, "proxy": each.has_proxy}
        for each in _drop_ins(machine)
        if each.unusual and not each.commands
    ]


def _drop_ins(machine: Machine) -> Iterator[DropIn]:
    has_runtime = FAMILIES[machine.distribution.family].runtime
    for unit in _UNITS:
        for each in find_drop_ins(machine, unit):
            # Where containerd is part of the distribution, so are these.
            if not (has_runtime and each.is_of_distribution):
                yield each


def _effect(drop_in: DropIn) -> str:
    return f"it changes what {drop_in.unit} runs, or whether it starts ({', '.join(drop_in.commands)})"


def _all_traces() -> Iterator[str]:
    return (pattern for tool in TOOLS for pattern in tool.traces)


def _present(machine: Machine, patterns: Iterable[str]) -> list[str]:
    """Paths of the machine that exist, sorted for each pattern; hidden files are none that a program loads."""
    root = machine.path("/")
    return [
        "/" + os.path.relpath(path, root)
        for pattern in patterns
        for path in sorted(glob.glob(glob.escape(root) + pattern.lstrip("/")))
    ]


def _matches(path: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)
