# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pods of the cluster autoscaler."""

from __future__ import annotations

from typing import Any

from ....api.clouds import AWS, HETZNER
from ....api.components import ClusterAutoscalerConfig
from ...context import AddonContext
from ...hetzner.autoscaled_groups import cluster_config_checksum, reads_cluster_config
from ...objects.pods import (
    container_ports,
    control_plane_tolerations,
    expression,
    http_probe,
    on_control_plane,
    preferred_nodes,
    requests,
    spread,
    variables,
)
from ...objects.workloads import deployment
from .groups import node_groups
from .names import APP, LABELS, NAME, NAMESPACE, PORT


def autoscaler(context: AddonContext, config: ClusterAutoscalerConfig) -> dict[str, Any]:
    """The Deployment: on the control plane, or anywhere if its pods have a role of their own."""
    annotations = {"prometheus.io/port": str(PORT), "prometheus.io/scrape": "true"}
    pod = _pod(context, config)
    if context.cloud is HETZNER:
        annotations["checksum/hcloud-cluster-config"] = cluster_config_checksum(context)
        reads_cluster_config(pod)
    more: dict[str, Any] = {"replicas": context.controller_replicas}
    if not context.uses_service_account_roles:
        # The replicas use the same port of their hosts: one ends before the next one starts.
        more["strategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0}}
    return deployment(
        NAME,
        NAMESPACE,
        pod,
        selector=APP,
        labels=LABELS,
        pod_labels={**APP, **LABELS},
        pod_annotations={**annotations, **config.pod_annotations},
        **more,
    )


def _pod(context: AddonContext, config: ClusterAutoscalerConfig) -> dict[str, Any]:
    alive = http_probe(
        "/health-check",
        "http",
        scheme="HTTP",
        periodSeconds=10,
        timeoutSeconds=1,
        successThreshold=1,
        failureThreshold=3,
    )
    container = {
        "name": NAME,
        "image": config.image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["./cluster-autoscaler", *_arguments(context, config)],
        "livenessProbe": alive,
        "ports": container_ports({"http": (PORT, "TCP")}),
        "resources": requests(cpu=config.cpu_request or "100m", memory=config.memory_request or "300Mi"),
    }
    if context.cloud is AWS:
        container["env"] = variables({"AWS_REGION": context.region})
    return {
        "priorityClassName": "system-cluster-critical",
        "dnsPolicy": "ClusterFirst",
        "containers": [container],
        "serviceAccountName": NAME,
        "topologySpreadConstraints": spread(APP),
        **_placement(context),
    }


def _placement(context: AddonContext) -> dict[str, Any]:
    if context.uses_service_account_roles:
        no_spot = expression("node-role.kubernetes.io/spot-worker", "DoesNotExist")
        return {"affinity": {"nodeAffinity": preferred_nodes(no_spot)}}
    return {
        "affinity": on_control_plane(old_label=True),
        "hostNetwork": True,
        "tolerations": control_plane_tolerations(),
    }


def _arguments(context: AddonContext, config: ClusterAutoscalerConfig) -> list[str]:
    options: dict[str, Any] = {
        "balance-similar-node-groups": config.balance_similar_node_groups,
        "emit-per-nodegroup-metrics": config.emit_per_nodegroup_metrics,
        "cloud-provider": context.cloud.name,
        **({"aws-use-static-instance-list": config.aws_use_static_instance_list} if context.cloud is AWS else {}),
        "expander": config.expander,
    }
    tuned: dict[str, Any] = {
        "ignore-daemonsets-utilization": config.ignore_daemon_sets_utilization,
        "scale-down-utilization-threshold": config.scale_down_utilization_threshold,
        "skip-nodes-with-custom-controller-pods": config.skip_nodes_with_custom_controller_pods,
        "skip-nodes-with-local-storage": config.skip_nodes_with_local_storage,
        "skip-nodes-with-system-pods": config.skip_nodes_with_system_pods,
        "scale-down-delay-after-add": config.scale_down_delay_after_add,
        "scale-down-unneeded-time": config.scale_down_unneeded_time,
        "scale-down-unready-time": config.scale_down_unready_time,
        "new-pod-scale-up-delay": config.new_pod_scale_up_delay,
        "max-node-provision-time": config.max_node_provision_time,
        "cordon-node-before-terminating": config.cordon_node_before_terminating is not False,
    }
    return [
        *_flags(options),
        *(f"--nodes={group}" for group in node_groups(context)),
        *_flags(tuned),
        "--logtostderr=true",
        "--stderrthreshold=info",
        "--v=4",
    ]


def _flags(options: dict[str, Any]) -> list[str]:
    texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in options.items()}
    return [f"--{name}={text}" for name, text in texts.items()]
