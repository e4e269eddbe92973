# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plugin by which pods ask for Nvidia GPUs, and their runtime class."""

from __future__ import annotations

from typing import Any

from ....completion.components.containerd import NVIDIA_DEVICE_PLUGIN_IMAGE
from ...context import AddonContext
from ...objects.core import kubernetes_object
from ...objects.pods import host_path, mount, selinux_options
from ...objects.workloads import daemon_set
from .gpu_nodes import RUNTIME, on_gpu_nodes

_VOLUME, _PATH = "device-plugin", "/var/lib/kubelet/device-plugins"


def device_plugin(context: AddonContext) -> list[dict[str, Any]]:
    """The DaemonSet and the RuntimeClass."""
    container = {
        "name": "nvidia-device-plugin-ctr",
        "image": _image(context),
        "args": ["--fail-on-init-error=false"],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            **selinux_options(context.cluster),
        },
        "volumeMounts": [mount(_VOLUME, _PATH)],
    }
    pod = {
        "containers": [container],
        "priorityClassName": "system-node-critical",
        "runtimeClassName": RUNTIME,
        "volumes": [host_path(_VOLUME, _PATH)],
        **on_gpu_nodes(),
    }
    name, app = "nvidia-device-plugin-daemonset", {"name": "nvidia-device-plugin-ds"}
    return [
        daemon_set(name, "kube-system", pod, selector=app, updateStrategy={"type": "RollingUpdate"}),
        kubernetes_object("node.k8s.io/v1", "RuntimeClass", RUNTIME, handler="nvidia", scheduling=on_gpu_nodes()),
    ]


def _image(context: AddonContext) -> str:
    """The cluster's image; kops makes no addon if only instance groups have GPUs, here it gets the default then."""
    containerd = context.cluster.spec.containerd
    gpu = containerd.nvidia_gpu if containerd else None
    return (gpu.image if gpu else None) or NVIDIA_DEVICE_PLUGIN_IMAGE
