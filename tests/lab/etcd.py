# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What etcd itself says of its members, asked on a control plane."""

from __future__ import annotations

import base64
import functools
import json
from collections.abc import Callable
from typing import Any

from ansible_collections.kubeops.kops.tests.lab import running

_PORTS = {"main": 4001, "events": 4002}


def voters(etcd: str, host: str) -> list[str]:
    """The names of the members that vote, sorted. etcd: "main" or "events"."""
    members = _asked(etcd, host, "member", "list")["members"]
    return sorted(member.get("name", "(not started)") for member in members if not member.get("isLearner"))


def healthy(etcd: str, host: str) -> int:
    """How many members say that they are healthy. Raises RuntimeError when one is not."""
    return len([each for each in _asked(etcd, host, "endpoint", "health", "--cluster") if each["health"]])


def value(etcd: str, key: str, host: str, kubectl: Callable[..., str] | None = None) -> bytes:
    """What is stored at a key. kubectl: of another cluster than that of hosts."""
    (found,) = _asked(etcd, host, "get", key, kubectl=kubectl)["kvs"]
    return base64.b64decode(found["value"])


def members(etcd: str, node: str, kubectl: Callable[..., str]) -> dict[str, int]:
    """Name -> identifier of the members, asked of a node of any cluster."""
    return {
        each.get("name", ""): each["ID"] for each in _asked(etcd, node, "member", "list", kubectl=kubectl)["members"]
    }


def _asked(etcd: str, host: str, *words: str, kubectl: Callable[..., str] | None = None) -> Any:
    kubectl = kubectl or functools.partial(running.kubectl, host=host)
    pki = f"/etc/kubernetes/pki/etcd-{etcd}"
    options = (
        f"--endpoints=https://127.0.0.1:{_PORTS[etcd]}",
        f"--cacert={pki}/clients-ca.crt",
        f"--cert={pki}/server.crt",
        f"--key={pki}/server.key",
        "--write-out=json",
    )
    pod = f"etcd-{etcd}-{host}"
    # It runs before there is an API server. The kubelet shows such a pod with its next look at it, up to 90 s later.
    kubectl("wait", "--namespace=kube-system", "--for=create", "--timeout=120s", f"pod/{pod}")
    said = kubectl("exec", "--namespace=kube-system", pod, "--", "/usr/local/bin/etcdctl", *options, *words)
    return json.loads(said)
