# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A workload for clusters of the lab: a web server on every node, with a Service."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from ansible_collections.kubeops.kops.tests.lab import binaries

# Runs kubectl with these arguments, and perhaps stdin; returns what it printed.
Kubectl = Callable[..., str]
NAME = "web"
NODE_PORT = 30080
_LABELS = {"app": NAME}
_OBJECTS: list[dict[str, Any]] = [
    {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": NAME},
        "spec": {
            "selector": {"matchLabels": _LABELS},
            "template": {
                "metadata": {"labels": _LABELS},
                "spec": {
                    "terminationGracePeriodSeconds": 1,
                    "tolerations": [{"operator": "Exists"}],
                    "containers": [
                        {
                            "name": NAME,
                            "image": f"registry.k8s.io/e2e-test-images/agnhost:{binaries.VERSIONS['agnhost']}",
                            "args": ["netexec", "--http-port=8080"],
                            "readinessProbe": {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 1},
                        }
                    ],
                },
            },
        },
    },
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": NAME},
        "spec": {
            "type": "NodePort",
            "selector": _LABELS,
            "ports": [{"port": 80, "targetPort": 8080, "nodePort": NODE_PORT}],
        },
    },
]


def start(kubectl: Kubectl) -> dict[str, dict[str, str]]:
    """Run it, and wait for it. Returns node -> {"name", "address"} of its pod."""
    objects = json.dumps({"apiVersion": "v1", "kind": "List", "items": _OBJECTS})
    kubectl("apply", "--filename=-", stdin=objects)
    kubectl("rollout", "status", f"daemonset/{NAME}", "--timeout=120s")
    pods = json.loads(kubectl("get", "pods", "--selector=app=web", "--output=json"))["items"]
    return {
        pod["spec"]["nodeName"]: {"name": pod["metadata"]["name"], "address": pod["status"]["podIP"]} for pod in pods
    }


def dial(kubectl: Kubectl, pod: str, target: str, port: int, tries: int = 1) -> list[str]:
    """Let a pod request host names over HTTP. Returns the names that answered; a connection alone does not count."""
    path = f"dial?host={target}&port={port}&protocol=http&request=hostname&tries={tries}"
    answer = kubectl("get", "--raw", f"/api/v1/namespaces/default/pods/{pod}:8080/proxy/{path}")
    return list(json.loads(answer).get("responses") or [])


def eventually(ask: Callable[[], Any], seconds: float = 60) -> Any:
    """The first answer that is not empty, and no error. Raises AssertionError when there is none in time."""
    deadline, said = time.monotonic() + seconds, ""
    while time.monotonic() < deadline:
        try:
            if answer := ask():
                return answer
        except (RuntimeError, ValueError, OSError) as error:
            said = str(error)
        time.sleep(0.5)
    raise AssertionError(f"nothing came within {seconds:.0f} s; the last error: {said or 'none'}")
