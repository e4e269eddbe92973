# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-scheduler as a static pod, and its configuration file (kube_scheduler.go of nodeup, pkg/model/components)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ....api import codec
from ....api.components import KubeSchedulerConfig
from ....api.flags import options
from ....base.errors import KopsError
from ..context import SRV, NodeContext
from ..draft import Draft, yaml_text
from ..pods import elected_pod, proxy_environment
from .kube_controller_manager import bind_address, client_certificate, serving_certificate

PORT = 10259
LOG = "/var/log/kube-scheduler.log"
_NAME = "kube-scheduler"
_DIRECTORY = f"{SRV}/{_NAME}"
_STATE = f"/var/lib/{_NAME}"
_KUBECONFIG = f"{_STATE}/kubeconfig"
_CONFIG = f"{_STATE}/config.yaml"
_KIND, _GROUP = "KubeSchedulerConfiguration", "kubescheduler.config.k8s.io"


def build(context: NodeContext, draft: Draft) -> None:
    """The pod, its kubeconfig and its configuration."""
    configured = context.cluster.spec.kube_scheduler
    scheduler = codec.copy(configured) if configured else KubeSchedulerConfig()
    draft.directory(_DIRECTORY)
    if scheduler.tls_cert_file is None:
        draft.certificate(serving_certificate(context, _NAME, _DIRECTORY))
        scheduler.tls_cert_file, scheduler.tls_private_key_file = f"{_DIRECTORY}/server.crt", f"{_DIRECTORY}/server.key"
    draft.certificate(client_certificate(context, _NAME, _KUBECONFIG))
    draft.file(_CONFIG, yaml_text(configuration(context, scheduler)), "0400")
    draft.log_file(LOG)
    draft.static_pod(_pod(context, scheduler), last=True)


def configuration(context: NodeContext, scheduler: KubeSchedulerConfig) -> dict[str, Any]:
    """The configuration file: that of the cluster's additional objects if there is one, with our connection."""
    given = [
        obj.data for obj in context.additional_objects if obj.kind == _KIND and obj.api_version.startswith(f"{_GROUP}/")
    ]
    if len(given) > 1:
        raise KopsError(f"cluster {context.name} has several objects of kind {_KIND}; at most one is allowed")
    config: dict[str, Any] = dict(given[0]) if given else {"apiVersion": f"{_GROUP}/v1", "kind": _KIND}
    config.pop("metadata", None)
    connection = {**(config.get("clientConnection") or {}), "kubeconfig": _KUBECONFIG}
    if scheduler.burst:
        connection["burst"] = scheduler.burst
    if scheduler.qps is not None:
        connection["qps"] = _number(scheduler.qps.value)
    # The option of the command line counts for nothing where there is a file.
    profiling = config.get("enableProfiling", bool(scheduler.enable_profiling))
    return {**config, "clientConnection": connection, "enableProfiling": profiling}


def _number(value: Decimal) -> int | float:
    return int(value) if value == int(value) else float(value)


def _pod(context: NodeContext, scheduler: KubeSchedulerConfig) -> dict[str, Any]:
    flags = options(scheduler)
    flags.append(f"--config={_CONFIG}")
    # Without the API server's authentication data, no request could be authorized.
    flags += ["--authentication-tolerate-lookup-failure=false", "--authentication-skip-lookup=false"]
    flags += [f"--{kind}-kubeconfig={_KUBECONFIG}" for kind in ("authentication", "authorization")]
    flags += bind_address(context)
    environment = proxy_environment(context)
    if scheduler.max_persistent_volumes is not None:
        environment.append({"name": "KUBE_MAX_PD_VOLS", "value": str(scheduler.max_persistent_volumes)})
    pod = elected_pod(_NAME, scheduler, flags, PORT, environment)
    pod.mount("varlibkubescheduler", _STATE)
    pod.mount("srvscheduler", _DIRECTORY)
    pod.mount("logfile", LOG, writable=True)
    return pod.manifest(context)
