# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Data that a node created at run time: of the kubelet, of containers, of etcd, of networks, and logs."""

from __future__ import annotations

import errno
import glob
import os
import shutil
import stat
from functools import partial

from ...base.errors import KopsError
from ...base.report import Step
from ..context import Phase
from ..system import atomic
from . import mounts as wipe_mounts
from .scope import Scope

# Directories that are removed with their content; subdirectories before their parents.
_OF_PODS = (
    *("/var/lib/kubelet", "/var/log/pods", "/var/log/containers", "/usr/libexec/kubernetes", "/srv/sshproxy"),
    *("/etc/cni/net.d", "/opt/cni/bin", "/run/flannel"),
    *("/var/lib/cni/networks", "/var/lib/cni/results", "/var/lib/cni/cache", "/var/lib/cni/flannel", "/var/lib/cni"),
    *(
        "/var/lib/kops/etcd-backups",
        "/var/lib/kops/etcd-drill-backups",
        "/var/lib/kops/etcd-drill",
        "/var/lib/kube-router",
        "/var/lib/calico",
        "/run/calico",
        "/run/nodeagent",
        "/var/lib/cni-kindnet",
        "/var/log/calico",
        "/run/cilium",
        # What holds the programs of Cilium at interfaces and control groups.
        "/sys/fs/bpf/cilium",
    ),
)
_OF_CONTAINERD = ("/var/lib/containerd", "/run/containerd", "/run/nri", "/opt/containerd")
# Everything with these names.
_NAMED_OF_PODS = (
    *("/run/netns/cni-*", "/etc/systemd/logind.conf.d/99-kubelet.conf", "/etc/sysctl.d/99-zzz-override_cilium.conf"),
    *("/var/log/kube-apiserver*.log*", "/var/log/kube-controller-manager.log*", "/var/log/kube-scheduler.log*"),
    *("/var/log/kube-proxy.log*", "/var/log/etcd.log*", "/var/log/etcd-events.log*", "/var/log/etcd-cilium.log*"),
    *("/var/log/etcd-leases.log*", "/sys/fs/bpf/tc/globals/cilium_*"),
)
# Directories that are removed if they are empty. Most are the places of CA certificates on other distributions: the
# control plane's pods mount all of them, and missing ones are created.
_UNLESS_USED = (
    *("/sys/fs/bpf/tc/globals", "/sys/fs/bpf/tc"),
    *("/run/netns", "/etc/cni", "/etc/systemd/logind.conf.d", "/etc/pki/ca-trust", "/etc/pki/tls", "/etc/pki"),
    *("/etc/openssl", "/usr/local/openssl", "/usr/share/ssl", "/usr/ssl", "/var/ssl"),
)
# Directories that we created here hold what our programs log: that of spec.kubeAPIServer.auditLogPath.
_LOGS = "/var/log/"
# Removing a directory is tried again if its content changes meanwhile.
_ATTEMPTS = 5
_NAMED_OF_CLUSTER = "/mnt/disks/{}--*"


def find(scope: Scope) -> list[str]:
    """All paths that a wipe could remove."""
    return [path for paths in _look(scope).values() for path in paths]


def find_modes(scope: Scope) -> list[str]:
    """Mode and path of existing directories: a program that fills one may also change its mode."""
    places = [place for place in (*_OF_PODS, *_OF_CONTAINERD) if os.path.isdir(scope.path(place))]
    return [f"{stat.S_IMODE(os.stat(scope.path(place)).st_mode):04o} {place}" for place in places]


def removed_paths(scope: Scope) -> list[str]:
    """Paths that the wipe removes."""
    return [path for paths in _going(scope).values() for path in paths]


def plan(scope: Scope) -> Phase:
    """Plan the removal of data: one step for each directory with all its content."""
    steps = [Step(f"data:{place}", True, "\n".join(paths), None) for place, paths in _going(scope).items()]
    now = set(find_modes(scope))
    steps += [
        Step(f"directory:{text[5:]}", True, None, {"mode": text[:4]}) for text in _modes(scope) if text not in now
    ]
    return Phase(steps, partial(_remove, scope))


def _look(scope: Scope) -> dict[str, list[str]]:
    """Directory -> its existing content."""
    found: dict[str, list[str]] = {}
    for place in (*(_OF_PODS if scope.kubelet else ()), *(_OF_CONTAINERD if scope.containerd else ())):
        real = scope.path(place)
        if os.path.isdir(real) and not os.path.islink(real):
            found[place] = [*(f"{place}/{name}" for name in sorted(os.listdir(real))), place]
    for place in sorted(scope.directories, key=len, reverse=True) if scope.kubelet else ():
        if place.startswith(_LOGS) and os.path.isdir(scope.path(place)):
            found[place] = [*(f"{place}/{name}" for name in sorted(os.listdir(scope.path(place)))), place]
    named = (*_NAMED_OF_PODS, _NAMED_OF_CLUSTER.format(glob.escape(scope.cluster))) if scope.kubelet else ()
    for pattern in named:
        found.update({path: [path] for path in scope.find(pattern)})
    found.update({path: [path] for path in (_UNLESS_USED if scope.kubelet else ()) if os.path.isdir(scope.path(path))})
    return found


def _going(scope: Scope) -> dict[str, list[str]]:
    """Directory -> the content that is removed. A directory with something mounted on it stays, empty."""
    points = set(wipe_mounts.mounted(scope)).difference(scope.ours("mounts", wipe_mounts.find(scope)))
    ours = {
        place: [path for path in scope.ours("data", paths) if path != place or place not in points]
        for place, paths in _look(scope).items()
    }
    for place in _UNLESS_USED:
        inside = [f"{place}/{name}" for name in os.listdir(scope.path(place))] if ours.get(place) else []
        if not all(ours.get(path) for path in inside):
            del ours[place]
    return {place: paths for place, paths in ours.items() if paths}


def _remove(scope: Scope) -> None:
    for paths in _going(scope).values():
        for path in paths:
            _remove_one(scope, path)
    for text in _modes(scope):
        os.chmod(scope.path(text[5:]), int(text[:4], 8))


def _modes(scope: Scope) -> list[str]:
    """Mode and path of the remaining directories, as they were."""
    return [text for text in sorted(scope.found.get("modes", ())) if os.path.isdir(scope.path(text[5:]))]


def _remove_one(scope: Scope, path: str) -> None:
    """Remove a file, or a directory with its content. Never removes the content of a mount."""
    real = scope.path(path)
    inside = [point for point in wipe_mounts.mounted(scope) if point == path or point.startswith(f"{path}/")]
    if inside:
        raise KopsError(f"{path} is not removed because of these mounts: {', '.join(inside)}")
    if os.path.islink(real) or not os.path.isdir(real):
        atomic.remove(real)
        return
    for attempt in range(_ATTEMPTS):
        try:
            shutil.rmtree(real)
        except FileNotFoundError:
            pass
        except OSError as error:
            if error.errno != errno.ENOTEMPTY or attempt == _ATTEMPTS - 1:
                raise KopsError(f"{path} cannot be removed: {error.strerror} ({error.filename})") from error
        if not os.path.lexists(real):
            return
