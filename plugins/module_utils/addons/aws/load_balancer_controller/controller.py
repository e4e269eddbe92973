# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Deployment of the AWS load balancer controller."""

from __future__ import annotations

from typing import Any

from ....api.components import LoadBalancerControllerSpec
from ...context import AddonContext
from ...objects.pods import (
    container_ports,
    control_plane_tolerations,
    field_variable,
    http_probe,
    mount,
    on_control_plane,
    preferably_apart,
    requests,
    secret_volume,
)
from ...objects.workloads import deployment
from .parts import APP, CERTIFICATE_SECRET, LABELS, NAME, NAMESPACE, SELECTOR, VERSION, WEBHOOK_PORT

_METRICS, _HEALTH = 9442, 61779
# In the container.
_CERTIFICATES = "/tmp/k8s-webhook-server/serving-certs"  # noqa: S108


def settings(context: AddonContext) -> LoadBalancerControllerSpec:
    """The controller's settings."""
    aws = context.cluster.spec.cloud_provider.aws
    return (aws and aws.load_balancer_controller) or LoadBalancerControllerSpec()


def controller(context: AddonContext) -> dict[str, Any]:
    """The Deployment."""
    more: dict[str, Any] = {}
    if not context.uses_service_account_roles:
        # Two of them have no place on the network of one host.
        more["strategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0}}
    return deployment(
        NAME,
        NAMESPACE,
        _pod(context),
        selector=SELECTOR,
        labels=LABELS,
        pod_labels={**SELECTOR, **APP},
        pod_annotations={"prometheus.io/port": str(_METRICS), "prometheus.io/scrape": "true"},
        replicas=1,
        revisionHistoryLimit=10,
        **more,
    )


def _pod(context: AddonContext) -> dict[str, Any]:
    return {
        **_placement(context),
        "containers": [_container(context, settings(context))],
        "priorityClassName": "system-cluster-critical",
        "securityContext": {"fsGroup": 65534},
        "serviceAccountName": NAME,
        "terminationGracePeriodSeconds": 10,
        "volumes": [secret_volume("cert", CERTIFICATE_SECRET, defaultMode=0o644)],
    }


def _placement(context: AddonContext) -> dict[str, Any]:
    """On the control plane, whose role the pods use, unless they have a role of their own."""
    if context.uses_service_account_roles:
        return {"affinity": preferably_apart("app.kubernetes.io/name", NAME)}
    return {
        "affinity": on_control_plane(old_label=True),
        "hostNetwork": True,
        "tolerations": control_plane_tolerations(),
    }


def _container(context: AddonContext, spec: LoadBalancerControllerSpec) -> dict[str, Any]:
    flags = {"waf": spec.enable_waf, "wafv2": spec.enable_wafv2, "shield": spec.enable_shield}
    return {
        "name": NAME,
        "image": f"public.ecr.aws/eks/{NAME}:{VERSION if spec.version is None else spec.version}",
        "imagePullPolicy": "IfNotPresent",
        "args": [
            f"--cluster-name={context.cluster.metadata.name}",
            "--ingress-class=alb",
            f"--aws-region={context.region}",
            f"--metrics-bind-addr=:{_METRICS}",
            *(f"--enable-{name}={str(bool(value)).lower()}" for name, value in flags.items()),
            f"--default-tags={context.cloud_labels}",
        ],
        "env": [field_variable("NODENAME", "spec.nodeName", apiVersion="v1")],
        "livenessProbe": _probe("/healthz", initialDelaySeconds=30),
        "readinessProbe": _probe("/readyz", initialDelaySeconds=10, successThreshold=1),
        "ports": container_ports({WEBHOOK_PORT: (9443, "TCP"), "metrics-server": (_METRICS, "TCP")}),
        "resources": _resources(spec),
        "securityContext": {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "runAsNonRoot": True},
        "volumeMounts": [mount("cert", _CERTIFICATES, readOnly=True)],
    }


def _probe(path: str, **more: int) -> dict[str, Any]:
    return {**http_probe(path, _HEALTH, scheme="HTTP", failureThreshold=2, timeoutSeconds=10), **more}


def _resources(spec: LoadBalancerControllerSpec) -> dict[str, Any]:
    """Texts, as in kops, also of whole numbers."""
    limits = {"cpu": str(spec.cpu_limit or "200m"), "memory": str(spec.memory_limit or "500Mi")}
    return requests(limits=limits, cpu=str(spec.cpu_request or "100m"), memory=str(spec.memory_request or "200Mi"))
