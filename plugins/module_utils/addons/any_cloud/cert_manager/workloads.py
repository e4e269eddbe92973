# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pods of cert-manager, on the control plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....api.clouds import AWS
from ....api.components import CertManagerConfig
from ...context import AddonContext
from ...objects.pods import (
    container_ports,
    control_plane_tolerations,
    field_variable,
    http_probe,
    on_control_plane,
    variables,
)
from ...objects.workloads import deployment
from .components import CA_INJECTOR, CONTROLLER, METRICS_PORT, NAMESPACE, VERSION, WEBHOOK, Component

_IMAGES = "quay.io/jetstack/cert-manager-"
_ELECTION = f"--leader-election-namespace={NAMESPACE}"
_OWN_NAMESPACE = "$(POD_NAMESPACE)"
_METRICS = {"http-metrics": METRICS_PORT}


def deployments(context: AddonContext) -> list[dict[str, Any]]:
    """The Deployments of the three programs."""
    return [_ca_injector(), _controller(context), _webhook()]


def _ca_injector() -> dict[str, Any]:
    return _deployment(CA_INJECTOR, "cainjector", [_ELECTION], _METRICS)


def _controller(context: AddonContext) -> dict[str, Any]:
    config = context.cluster.spec.cert_manager or CertManagerConfig()
    arguments = [
        f"--cluster-resource-namespace={_OWN_NAMESPACE}",
        _ELECTION,
        f"--acme-http01-solver-image={_IMAGES}acmesolver:{VERSION}",
        "--max-concurrent-challenges=60",
        "--enable-certificate-owner-ref=true",
    ]
    if config.default_issuer:
        arguments += [
            f"--default-issuer-name={config.default_issuer}",
            "--default-issuer-kind=ClusterIssuer",
            "--default-issuer-group=cert-manager.io",
        ]
    arguments += [f"--feature-gates={name}={str(on).lower()}" for name, on in sorted(config.feature_gates.items())]
    # Without it, the solver of DNS challenges does not find the STS endpoint of its region.
    region = {"AWS_REGION": context.region} if context.cloud is AWS else {}
    alive = http_probe(
        "/livez",
        "http-healthz",
        scheme="HTTP",
        initialDelaySeconds=10,
        periodSeconds=10,
        timeoutSeconds=15,
        successThreshold=1,
        failureThreshold=8,
    )
    ports = {**_METRICS, "http-healthz": 9403}
    made = _deployment(CONTROLLER, "controller", arguments, ports, {"livenessProbe": alive}, region)
    if config.nameservers:
        dns = {"dnsPolicy": "None", "dnsConfig": {"nameservers": list(config.nameservers)}}
        made["spec"]["template"]["spec"].update(dns)
    return made


def _webhook() -> dict[str, Any]:
    arguments = [
        "--secure-port=10250",
        f"--dynamic-serving-ca-secret-namespace={_OWN_NAMESPACE}",
        "--dynamic-serving-ca-secret-name=cert-manager-webhook-ca",
        *(
            f"--dynamic-serving-dns-names={WEBHOOK.name}{domain}"
            for domain in ("", f".{_OWN_NAMESPACE}", f".{_OWN_NAMESPACE}.svc")
        ),
    ]
    probes = {
        "livenessProbe": _checked("/livez", delay=60, period=10),
        "readinessProbe": _checked("/healthz", delay=5, period=5),
    }
    return _deployment(WEBHOOK, "webhook", arguments, {"https": 10250, "healthcheck": 6080, **_METRICS}, probes)


def _checked(path: str, *, delay: int, period: int) -> dict[str, Any]:
    return http_probe(
        path,
        "healthcheck",
        scheme="HTTP",
        initialDelaySeconds=delay,
        periodSeconds=period,
        timeoutSeconds=1,
        successThreshold=1,
        failureThreshold=3,
    )


def _deployment(
    component: Component,
    program: str,
    arguments: Sequence[str],
    ports: Mapping[str, int],
    probes: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    container = {
        "name": f"cert-manager-{program}",
        "image": f"{_IMAGES}{program}:{VERSION}",
        "imagePullPolicy": "IfNotPresent",
        "args": ["--v=2", *arguments],
        "ports": container_ports({name: (number, "TCP") for name, number in ports.items()}),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "env": [field_variable("POD_NAMESPACE", "metadata.namespace"), *variables(environment or {})],
        **(probes or {}),
    }
    pod = {
        "serviceAccountName": component.name,
        "enableServiceLinks": False,
        "priorityClassName": "system-cluster-critical",
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container],
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "affinity": on_control_plane(old_label=True),
        "tolerations": control_plane_tolerations(),
    }
    scraped = {
        "prometheus.io/path": "/metrics",
        "prometheus.io/scrape": "true",
        "prometheus.io/port": str(METRICS_PORT),
    }
    labels = component.labels
    return deployment(
        component.name,
        NAMESPACE,
        pod,
        selector=component.selector,
        labels=labels,
        pod_labels=labels,
        pod_annotations=scraped,
        replicas=1,
    )
