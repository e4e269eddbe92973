# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mounts of pods: volumes, root filesystems, network namespaces."""

from __future__ import annotations

import fnmatch
import re
from functools import partial

from ...base.errors import KopsError
from ...base.report import Step
from ..context import Phase
from .pods import TASKS
from .scope import Scope

_OF_PODS = (
    *("/var/lib/kubelet/*", f"{TASKS}/*", "/run/containerd/io.containerd.grpc.v1.cri/*", "/run/netns/cni-*"),
    # Cilium's agent mounts it again if its unit has stopped.
    "/run/cilium/cgroupv2",
)
_OF_CONTAINERD = ("/run/containerd/*", "/var/lib/containerd/*")
_ESCAPED = re.compile(r"\\([0-7]{3})")


def mounted(scope: Scope) -> list[str]:
    """All mount points of the machine. A mount that is covered by another one comes first."""
    lines = scope.read("/proc/self/mountinfo").splitlines()
    points = [line.split(" ", 5)[4] for line in lines if line.count(" ") > 5]
    return [_ESCAPED.sub(lambda found: chr(int(found.group(1), 8)), point) for point in points]


def find(scope: Scope) -> list[str]:
    """Mount points that a wipe could unmount."""
    patterns = (*(_OF_PODS if scope.kubelet else ()), *(_OF_CONTAINERD if scope.containerd else ()))
    return [point for point in mounted(scope) if any(fnmatch.fnmatchcase(point, pattern) for pattern in patterns)]


def plan(scope: Scope) -> Phase:
    """Plan what to unmount."""
    steps = [Step(f"mount:{point}", True, "mounted", None) for point in dict.fromkeys(_left(scope))]
    return Phase(steps, partial(_unmount, scope))


def _unmount(scope: Scope) -> None:
    """Unmount, the last mount first. Busy mounts are detached lazily: only their users still see them."""
    points = _left(scope)[::-1]
    if points and scope.host.run("umount", "--", *points).code != 0:
        for point in _left(scope)[::-1]:
            scope.host.run("umount", "--lazy", "--", point)
    left = _left(scope)
    if left:
        raise KopsError(f"cannot be unmounted: {', '.join(left)}")


def _left(scope: Scope) -> list[str]:
    return scope.ours("mounts", find(scope))
