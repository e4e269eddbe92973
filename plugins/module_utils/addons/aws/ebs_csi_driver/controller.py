# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller of the driver of EBS volumes, which makes, attaches, resizes and snapshots them."""

from __future__ import annotations

from typing import Any

from ....api.questions import runs_control_plane_only
from ...any_cloud import snapshot_controller
from ...context import AddonContext
from ...objects.pods import (
    config_map_variable,
    container_ports,
    empty_dir,
    expression,
    http_probe,
    mount,
    node_affinity,
    on_control_plane,
    on_linux,
    preferably_apart,
    preferred_nodes,
    secret_variable,
    spread,
    toleration,
    variables,
)
from ...objects.services import port, service
from ...objects.workloads import deployment
from .parts import (
    APP,
    CONTROLLER,
    CONTROLLER_ACCOUNT,
    NAMESPACE,
    SEALED,
    driver,
    labels,
    liveness_probe,
    settings,
    sidecar,
)

_SOCKETS = "/var/lib/csi/sockets/pluginproxy/"
_ADDRESS = f"{_SOCKETS}csi.sock"
_WORKERS = ("--kube-api-qps=20", "--kube-api-burst=100", "--worker-threads=100")
# It follows changes of a volume's class by a name that Kubernetes had for them before.
_CHANGES_BY_ANNOTATION = {"ENABLE_VAC_FALLBACK": "true"}
_SECURITY = {**SEALED, "seccompProfile": {"type": "RuntimeDefault"}}
# Part of the controller -> port of its metrics.
_METRICS = {
    "": 3301,
    "-provisioner": 3302,
    "-attacher": 3303,
    "-resizer": 3304,
    "-liveness-probe": 3305,
    "-snapshotter": 3306,
    "-volumemodifier": 3307,
}


def metrics() -> list[dict[str, Any]]:
    """The Services by which Prometheus finds the metrics of each part."""
    return [_metrics(f"{CONTROLLER}{part}", number) for part, number in _METRICS.items()]


def _metrics(name: str, number: int) -> dict[str, Any]:
    app = {"app": CONTROLLER}
    made = service(name, NAMESPACE, [port(number, number, "metrics")], app, {"app": name}, type="ClusterIP")
    made["metadata"]["annotations"] = {"prometheus.io/scrape": "true", "prometheus.io/port": str(number)}
    return made


def controller(context: AddonContext) -> dict[str, Any]:
    """The Deployment."""
    return deployment(
        CONTROLLER,
        NAMESPACE,
        _pod(context),
        selector={"app": CONTROLLER, **APP},
        labels=labels(context),
        pod_labels={"app": CONTROLLER, **labels(context)},
        pod_annotations=settings(context).pod_annotations,
        replicas=context.controller_replicas,
        revisionHistoryLimit=10,
        strategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}},
    )


def _pod(context: AddonContext) -> dict[str, Any]:
    return {
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "serviceAccountName": CONTROLLER_ACCOUNT,
        "priorityClassName": "system-cluster-critical",
        "affinity": _affinity(context),
        "topologySpreadConstraints": spread({"app": CONTROLLER, **APP}),
        **_placement(context),
        "securityContext": {"fsGroup": 1000, "runAsGroup": 1000, "runAsNonRoot": True, "runAsUser": 1000},
        "containers": [
            _driver(context),
            _provisioner(context),
            _attacher(),
            *([_snapshotter()] if snapshot_controller.ADDON.condition(context) else []),
            _resizer(),
            liveness_probe(
                "--probe-timeout=60s",
                "--metrics-address=0.0.0.0:3305",
                volumeMounts=[mount("socket-dir", "/csi")],
                ports=container_ports({"metrics-lp": (3305, "TCP")}),
            ),
        ],
        "volumes": [empty_dir("socket-dir")],
    }


def _affinity(context: AddonContext) -> dict[str, Any]:
    linux = on_linux()
    if context.uses_service_account_roles:
        # kops writes the term twice.
        affinity = node_affinity([linux], [linux])
    else:
        affinity = on_control_plane(linux, old_label=True)
    own_nodes = expression("eks.amazonaws.com/compute-type", "NotIn", "fargate", "auto", "hybrid")
    affinity["nodeAffinity"].update(preferred_nodes(own_nodes))
    return {**affinity, **preferably_apart("app", CONTROLLER)}


def _placement(context: AddonContext) -> dict[str, Any]:
    """On the control plane, whose role the pods use, unless they have a role of their own."""
    if not context.uses_service_account_roles:
        return {"hostNetwork": True, "tolerations": [toleration()]}
    tolerations = [toleration("CriticalAddonsOnly"), toleration(effect="NoExecute", tolerationSeconds=300)]
    if runs_control_plane_only(context.cluster):
        tolerations += [toleration(f"node-role.kubernetes.io/{name}") for name in ("master", "control-plane")]
    return {"tolerations": tolerations}


def _driver(context: AddonContext) -> dict[str, Any]:
    health: dict[str, Any] = {"initialDelaySeconds": 10, "timeoutSeconds": 60, "periodSeconds": 10}
    return driver(
        context,
        [
            "controller",
            "--endpoint=$(CSI_ENDPOINT)",
            f"--k8s-tag-cluster-id={context.cluster.metadata.name}",
            f"--extra-tags={context.cloud_labels}",
            "--http-endpoint=0.0.0.0:3301",
            "--batching=true",
            "--logging-format=text",
            "--v=5",
        ],
        f"unix://{_ADDRESS}",
        env=[
            secret_variable("AWS_ACCESS_KEY_ID", "aws-secret", "key_id", optional=True),
            secret_variable("AWS_SECRET_ACCESS_KEY", "aws-secret", "access_key", optional=True),
            config_map_variable("AWS_EC2_ENDPOINT", "aws-meta", "endpoint", optional=True),
            config_map_variable("AWS_SAGEMAKER_ENDPOINT", "aws-meta", "sagemaker_endpoint", optional=True),
        ],
        volumeMounts=[mount("socket-dir", _SOCKETS)],
        ports=container_ports({"healthz": (9808, "TCP"), "metrics": (3301, "TCP")}),
        livenessProbe=http_probe("/healthz", "healthz", **health, failureThreshold=10),
        readinessProbe=http_probe("/healthz", "healthz", **health, failureThreshold=5),
        securityContext=_SECURITY,
    )


def _provisioner(context: AddonContext) -> dict[str, Any]:
    spec = settings(context)
    rate = "20" if spec.kube_api_qps is None else spec.kube_api_qps
    burst = 100 if spec.kube_api_burst is None else spec.kube_api_burst
    return _sidecar(
        "csi-provisioner",
        "v6.2.0",
        ("metrics-prov", 3302),
        [
            "--timeout=60s",
            "--csi-address=$(ADDRESS)",
            "--v=5",
            "--feature-gates=Topology=true",
            "--extra-create-metadata",
            "--leader-election=true",
            "--default-fstype=ext4",
            f"--kube-api-qps={rate}",
            f"--kube-api-burst={burst}",
            "--worker-threads=100",
            "--retry-interval-max=30m",
            "--feature-gates=VolumeAttributesClass=false",
        ],
        **_CHANGES_BY_ANNOTATION,
    )


def _attacher() -> dict[str, Any]:
    return _sidecar(
        "csi-attacher",
        "v4.11.0",
        ("metrics-attach", 3303),
        [
            "--timeout=6m",
            "--csi-address=$(ADDRESS)",
            "--v=5",
            "--leader-election=true",
            *_WORKERS,
            "--retry-interval-max=5m",
            "--feature-gates=MutableCSINodeAllocatableCount=true",
        ],
    )


def _snapshotter() -> dict[str, Any]:
    return _sidecar(
        "csi-snapshotter",
        "v8.5.0",
        ("metrics-snap", 3306),
        [
            "--csi-address=$(ADDRESS)",
            "--leader-election=true",
            "--v=5",
            "--extra-create-metadata",
            *_WORKERS,
            "--retry-interval-max=30m",
        ],
    )


def _resizer() -> dict[str, Any]:
    return _sidecar(
        "csi-resizer",
        "v2.1.0",
        ("metrics-resizer", 3304),
        [
            "--timeout=60s",
            "--extra-modify-metadata",
            "--csi-address=$(ADDRESS)",
            "--v=5",
            "--handle-volume-inuse-error=false",
            "--leader-election=true",
            "--kube-api-qps=20",
            "--kube-api-burst=100",
            "--workers=100",
            "--retry-interval-max=30m",
            "--feature-gates=VolumeAttributesClass=false",
        ],
        **_CHANGES_BY_ANNOTATION,
    )


def _sidecar(name: str, version: str, metrics: tuple[str, int], args: list[str], **environment: str) -> dict[str, Any]:
    """A program that watches objects and has the driver do what they ask for. metrics: name and number of its port."""
    port_name, number = metrics
    return sidecar(
        name,
        f"{name}:{version}",
        [*args, f"--http-endpoint=0.0.0.0:{number}"],
        env=variables({"ADDRESS": _ADDRESS, **environment}),
        volumeMounts=[mount("socket-dir", _SOCKETS)],
        ports=container_ports({port_name: (number, "TCP")}),
        securityContext=_SECURITY,
    )
