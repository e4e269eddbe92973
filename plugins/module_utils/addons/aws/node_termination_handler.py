# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The node termination handler, which drains nodes that AWS is about to end (node-termination-handler.aws of kops).

It reads a queue of the cluster, or the metadata of each node.
"""

from __future__ import annotations

from typing import Any

from ...api.cloud_names import truncate
from ...api.cluster import Cluster
from ...api.components import NodeTerminationHandlerSpec
from ...iam.account import Account
from ...iam.policy import Policy, actions
from ..context import AddonContext
from ..definition import AddonDefinition, ServiceAccountRole
from ..objects.core import service_account
from ..objects.pods import (
    container_ports,
    expression,
    field_variable,
    host_path,
    http_probe,
    mount,
    node_affinity,
    on_control_plane,
    requests,
    selinux_options,
    spread,
    toleration,
    variables,
)
from ..objects.policy import disruption_budget
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from ..objects.workloads import daemon_set, deployment

_NAME, _NAMESPACE = "aws-node-termination-handler", "kube-system"
_IMAGE = "public.ecr.aws/aws-ec2/aws-node-termination-handler"
_APP = {"app.kubernetes.io/name": _NAME, "app.kubernetes.io/instance": _NAME}
_K8S_APP = {"k8s-app": _NAME}
_SELECTOR = {**_APP, "kubernetes.io/os": "linux"}
# The pods that read the queue.
_READS_QUEUE = {"kops.k8s.io/nth-mode": "sqs"}
_UPTIME = "/proc/uptime"
_QUEUE_PREFIX_LENGTH = 75

_RULES = (
    rule("", "nodes", "get list patch update"),
    rule("", "pods", "list get"),
    rule("", "pods/eviction", "create"),
    rule("extensions", "daemonsets", "get"),
    rule("apps", "daemonsets", "get"),
    rule("", "events", "create patch"),
)
_ANYWHERE = (
    *actions("autoscaling", "DescribeAutoScalingInstances DescribeTags"),
    "ec2:DescribeInstances",
    *actions("sqs", "DeleteMessage ReceiveMessage"),
)


def termination_handler(cluster: Cluster) -> NodeTerminationHandlerSpec | None:
    """The handler's settings; None when it does not run."""
    aws = cluster.spec.cloud_provider.aws
    spec = aws.node_termination_handler if aws else None
    return spec if spec and spec.enabled else None


def uses_termination_queue(cluster: Cluster) -> bool:
    """Whether the handler reads a queue, rather than each node's metadata."""
    spec = termination_handler(cluster)
    return spec is not None and spec.enable_sqs_termination_draining is not False


def queue_name(cluster: str) -> str:
    """The queue that the handler reads. Names of queues have no periods and at most 80 characters."""
    return truncate(cluster.replace(".", "-"), _QUEUE_PREFIX_LENGTH) + "-nth"


def _read_queue(context: AddonContext, policy: Policy) -> None:
    """Read the queue of terminations and let them go on."""
    policy.anywhere.update(_ANYWHERE)
    policy.on_owned.add("autoscaling:CompleteLifecycleAction")


def _build(context: AddonContext) -> list[dict[str, Any]]:
    spec = termination_handler(context.cluster) or NodeTerminationHandlerSpec()
    labels = {
        **_APP,
        "app.kubernetes.io/version": spec.version or "",
        "app.kubernetes.io/part-of": _NAME,
    }
    objects = [
        service_account(_NAME, _NAMESPACE, {**labels, **_K8S_APP}),
        cluster_role(_NAME, labels, _RULES),
        cluster_role_binding(_NAME, _NAME, account_subject(_NAME, _NAMESPACE), labels),
    ]
    if not uses_termination_queue(context.cluster):
        return [*objects, _on_each_node(context, spec, labels)]
    read = {**_APP, **_READS_QUEUE}
    budget = disruption_budget(_NAME, _NAMESPACE, read, _APP, maxUnavailable=1)
    return [*objects, _queue_reader(context, spec, labels), budget]


def _queue_reader(context: AddonContext, spec: NodeTerminationHandlerSpec, labels: dict[str, str]) -> dict[str, Any]:
    component = {"app.kubernetes.io/component": "deployment"}
    container = _container(
        spec,
        _queue_settings(context, spec),
        securityContext=_security(),
        ports=container_ports({"liveness-probe": (8080, "TCP"), "metrics": (9092, "TCP")}),
        livenessProbe=http_probe("/healthz", 8080, initialDelaySeconds=5, periodSeconds=5),
    )
    pod = {
        **_placement(context),
        "serviceAccountName": _NAME,
        "securityContext": {"fsGroup": 1000},
        "priorityClassName": "system-cluster-critical",
        "containers": [container],
        "topologySpreadConstraints": spread({**_APP, **_READS_QUEUE}),
    }
    return deployment(
        _NAME,
        _NAMESPACE,
        pod,
        selector=_SELECTOR,
        labels={**labels, **_K8S_APP, **component},
        pod_labels={**_SELECTOR, **_K8S_APP, **component, **_READS_QUEUE},
        replicas=context.controller_replicas,
    )


def _placement(context: AddonContext) -> dict[str, Any]:
    """On the control plane, whose role the pods use, unless they have a role of their own."""
    if context.uses_service_account_roles:
        return {}
    tolerations = [toleration(f"node-role.kubernetes.io/{name}") for name in ("control-plane", "master")]
    return {"affinity": on_control_plane(old_label=True), "hostNetwork": True, "tolerations": tolerations}


def _on_each_node(context: AddonContext, spec: NodeTerminationHandlerSpec, labels: dict[str, str]) -> dict[str, Any]:
    component = {"app.kubernetes.io/component": "daemonset"}
    container = _container(
        spec,
        _metadata_settings(spec),
        securityContext={**_security(user=False), **selinux_options(context.cluster)},
        volumeMounts=[mount("uptime", _UPTIME, readOnly=True)],
    )
    pod = {
        "serviceAccountName": _NAME,
        "securityContext": {"fsGroup": 1000},
        "priorityClassName": "system-node-critical",
        "hostNetwork": True,
        "dnsPolicy": "ClusterFirstWithHostNet",
        "containers": [container],
        "volumes": [host_path("uptime", _UPTIME)],
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "affinity": node_affinity([expression("eks.amazonaws.com/compute-type", "NotIn", "fargate")]),
        "tolerations": [toleration()],
    }
    return daemon_set(
        _NAME,
        _NAMESPACE,
        pod,
        selector=_SELECTOR,
        labels={**labels, **_K8S_APP, **component},
        pod_labels={**_SELECTOR, **_K8S_APP, **component},
        updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%"}},
    )


def _security(user: bool = True) -> dict[str, Any]:
    """user: whether it says which one; on each node, the image's own."""
    security = {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "runAsGroup": 1000,
        "runAsNonRoot": True,
    }
    return {**security, "runAsUser": 1000} if user else security


def _container(spec: NodeTerminationHandlerSpec, settings: dict[str, Any], **more: Any) -> dict[str, Any]:
    if spec.webhook_template:
        settings["WEBHOOK_TEMPLATE"] = spec.webhook_template
    if spec.webhook_url:
        settings["WEBHOOK_URL"] = spec.webhook_url
    environment = [
        field_variable("NODE_NAME", "spec.nodeName"),
        field_variable("POD_NAME", "metadata.name"),
        field_variable("NAMESPACE", "metadata.namespace"),
        *variables({name: _text(value) for name, value in settings.items()}),
    ]
    limits = {"memory": spec.memory_limit} if spec.memory_limit is not None else None
    return {
        "name": _NAME,
        "image": f"{_IMAGE}:{spec.version}",
        "imagePullPolicy": "IfNotPresent",
        "env": environment,
        "resources": requests(limits=limits, cpu=spec.cpu_request, memory=spec.memory_request),
        **more,
    }


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _queue_settings(context: AddonContext, spec: NodeTerminationHandlerSpec) -> dict[str, Any]:
    domain = "amazonaws.com.cn" if "cn-" in context.region else "amazonaws.com"
    queue = queue_name(str(context.cluster.metadata.name))
    return {
        **_logging(spec, probes=True),
        "CHECK_TAG_BEFORE_DRAINING": True,
        "MANAGED_TAG": spec.managed_asg_tag,
        "USE_PROVIDER_ID": True,
        **_draining(spec),
        "COMPLETE_LIFECYCLE_ACTION_DELAY_SECONDS": -1,
        "ENABLE_SQS_TERMINATION_DRAINING": True,
        "QUEUE_URL": f"https://sqs.{context.region}.{domain}/{Account.of(context.account).id}/{queue}",
        "DELETE_SQS_MSG_IF_NODE_NOT_FOUND": bool(spec.delete_sqs_msg_if_node_not_found),
        "WORKERS": 10,
        "HEARTBEAT_INTERVAL": -1,
        "HEARTBEAT_UNTIL": -1,
        "SQS_MSG_VISIBILITY_TIMEOUT_SEC": 20,
    }


def _metadata_settings(spec: NodeTerminationHandlerSpec) -> dict[str, Any]:
    return {
        **_logging(spec, probes=False),
        "METADATA_TRIES": 3,
        **_draining(spec),
        "ENABLE_SPOT_INTERRUPTION_DRAINING": spec.enable_spot_interruption_draining is not False,
        "ENABLE_ASG_LIFECYCLE_DRAINING": True,
        "ENABLE_SCHEDULED_EVENT_DRAINING": spec.enable_scheduled_event_draining is not False,
        "ENABLE_REBALANCE_MONITORING": bool(spec.enable_rebalance_monitoring),
        "ENABLE_REBALANCE_DRAINING": bool(spec.enable_rebalance_draining),
        "ENABLE_SQS_TERMINATION_DRAINING": False,
        "UPTIME_FROM_FILE": _UPTIME,
    }


def _logging(spec: NodeTerminationHandlerSpec, *, probes: bool) -> dict[str, Any]:
    return {
        "ENABLE_PROBES_SERVER": probes,
        "PROBES_SERVER_PORT": 8080,
        "PROBES_SERVER_ENDPOINT": "/healthz",
        "LOG_LEVEL": "info",
        "JSON_LOGGING": True,
        "LOG_FORMAT_VERSION": 2,
        "ENABLE_PROMETHEUS_SERVER": bool(spec.prometheus_enable),
        "PROMETHEUS_SERVER_PORT": 9092,
    }


def _draining(spec: NodeTerminationHandlerSpec) -> dict[str, Any]:
    return {
        "DRY_RUN": False,
        "CORDON_ONLY": False,
        "TAINT_NODE": bool(spec.taint_node),
        "ENABLE_OUT_OF_SERVICE_TAINT": bool(spec.enable_out_of_service_taint),
        "EXCLUDE_FROM_LOAD_BALANCERS": spec.exclude_from_load_balancers is not False,
        "DELETE_LOCAL_DATA": True,
        "IGNORE_DAEMON_SETS": True,
        "POD_TERMINATION_GRACE_PERIOD": spec.pod_termination_grace_period,
        "NODE_TERMINATION_GRACE_PERIOD": 120,
        "EMIT_KUBERNETES_EVENTS": True,
    }


ADDON = AddonDefinition(
    name="node-termination-handler.aws",
    condition=lambda context: termination_handler(context.cluster) is not None,
    build=_build,
    id="k8s-1.11",
    pruned=True,
    service_accounts=(
        ServiceAccountRole(
            _NAME,
            _read_queue,
            on_control_plane=lambda context: uses_termination_queue(context.cluster),
        ),
    ),
)
