# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node whose machine has ended without a shutdown: its pods and volumes are given free.

Its kubelet never confirms that its pods have ended, so they hold their names and volumes. The taint tells the
controllers of Kubernetes that nothing runs there any more (non-graceful node shutdown, since Kubernetes 1.28).
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ..client import KubernetesClient
from .eviction import controller_of, is_static, title
from .taints import add_taint

TAINT = {"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}
_STORAGE = "storage.k8s.io/v1"


def held_by(client: KubernetesClient, node: str) -> list[str]:
    """What only a kubelet, or this taint, gives free: pods that have to end elsewhere, and attached volumes."""
    pods = client.list(client.kind("v1", "Pod").path(), fieldSelector=f"spec.nodeName={node}")
    held = [f"pod {title(pod)}" for pod in pods if not is_static(pod) and _moves(pod)]
    attached = client.list(client.kind(_STORAGE, "VolumeAttachment").path())
    return held + [f"volume {_volume(each)}" for each in attached if each["spec"].get("nodeName") == node]


def give_free(
    client: KubernetesClient, node: str, tell: Callable[[str], None], seconds: float = 60, pause: float = 1
) -> None:
    """Give free what a node holds whose machine has ended, and wait for it so long. Raises KubernetesError."""
    held = held_by(client, node)
    if not held:
        return
    tell(f"{node}: its machine has ended; giving free {', '.join(held)}")
    add_taint(client, node, TAINT)
    end = time.monotonic() + seconds
    while (held := held_by(client, node)) and time.monotonic() + pause < end:
        time.sleep(pause)
    if held:
        tell(f"{node}: still there after {seconds:g} s: {', '.join(held)}")


def _moves(pod: dict[str, object]) -> bool:
    controller = controller_of(pod)
    return controller is None or controller.get("kind") != "DaemonSet"


def _volume(attachment: dict[str, dict[str, dict[str, str]]]) -> str:
    return str(attachment["spec"].get("source", {}).get("persistentVolumeName") or attachment["metadata"].get("name"))
