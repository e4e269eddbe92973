# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of containerd."""

from __future__ import annotations

from ...api.cluster import Cluster
from ...api.containerd import ContainerdConfig, Runc
from ..assets import remap_image
from ..context import Context
from ..filling import fill

_VERSION, _RUNC_VERSION = "2.3.4", "1.4.3"
_SANDBOX_IMAGE = "registry.k8s.io/pause:3.10.1"
_NVIDIA_DRIVER_PACKAGE = "nvidia-driver-535-server"
NVIDIA_DEVICE_PLUGIN_IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.17.3"
_GVISOR_PLATFORM = "systrap"


def complete(cluster: Cluster, context: Context) -> None:
    """spec.containerd, with the runc that belongs to the default version."""
    spec = cluster.spec
    containerd = spec.containerd = spec.containerd or ContainerdConfig()
    if not containerd.version:
        containerd.version = _VERSION
        containerd.runc = Runc(version=_RUNC_VERSION)
    containerd.log_level = "info"
    if not containerd.sandbox_image:
        containerd.sandbox_image = remap_image(_SANDBOX_IMAGE, spec.assets)
    if containerd.nvidia_gpu and containerd.nvidia_gpu.enabled:
        fill(containerd.nvidia_gpu, package=_NVIDIA_DRIVER_PACKAGE, image=NVIDIA_DEVICE_PLUGIN_IMAGE)
    if containerd.gvisor and containerd.gvisor.enabled:
        fill(containerd.gvisor, platform=_GVISOR_PLATFORM)
