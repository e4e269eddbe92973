# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""external-dns, which publishes the DNS records in dns-controller's place (external-dns.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import AWS, GCE, OPENSTACK
from ...api.cluster import ExternalDNSConfig
from ...api.questions import uses_none_dns
from ...base.errors import KopsError
from ..context import AddonContext
from ..definition import AddonDefinition, ServiceAccountRole
from ..gce.project import project_of
from ..objects.core import service_account
from ..objects.pods import container_ports, http_probe, on_control_plane, requests, variables
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from ..objects.services import port, service
from ..objects.workloads import deployment
from .hosted_zone import change_records

_ADDON = "external-dns.addons.k8s.io"
_NAME, _NAMESPACE = "external-dns", "kube-system"
_IMAGE = "registry.k8s.io/external-dns/external-dns:v0.14.1"
# Of the labels: kops did not change it with the image.
_VERSION = "v0.13.1"
_ROLE = "kops:external-dns"
_USER = 65534
_LABELS = {"k8s-addon": _ADDON}
_APP = {"k8s-app": _NAME}
_POD_LABELS = {**_LABELS, **_APP, "version": _VERSION}
_RULES = (
    rule("", "services endpoints pods", "get watch list"),
    rule(("extensions", "networking.k8s.io"), "ingresses", "get watch list"),
    rule("", "nodes", "list watch"),
)


def _publishes(context: AddonContext) -> bool:
    external = context.cluster.spec.external_dns
    return not uses_none_dns(context.cluster) and external is not None and external.provider == "external-dns"


def _build(context: AddonContext) -> list[dict[str, Any]]:
    return [
        deployment(
            _NAME,
            _NAMESPACE,
            _pod(context),
            selector=_APP,
            labels=_POD_LABELS,
            pod_labels=_POD_LABELS,
            replicas=1,
            strategy={"type": "Recreate"},
        ),
        service(_NAME, _NAMESPACE, [port(80, "http", "http", "TCP")], _APP, _LABELS, type="ClusterIP"),
        service_account(_NAME, _NAMESPACE, _LABELS),
        cluster_role(_ROLE, _LABELS, _RULES),
        cluster_role_binding(_ROLE, _ROLE, account_subject(_NAME, _NAMESPACE), _LABELS),
    ]


def _pod(context: AddonContext) -> dict[str, Any]:
    container = {
        "name": _NAME,
        "image": _IMAGE,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "args": _arguments(context),
        # It starts before kube-proxy translates the Service's address.
        "env": variables({"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}),
        "ports": container_ports({"http": (7979, "TCP")}),
        "livenessProbe": _probe(delay=10, failures=2),
        "readinessProbe": _probe(delay=5, failures=6),
        "resources": requests(cpu="50m", memory="50Mi"),
    }
    taints = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master", "node.kubernetes.io/not-ready")
    return {
        "affinity": on_control_plane(old_label=True),
        "priorityClassName": "system-cluster-critical",
        "serviceAccountName": _NAME,
        "securityContext": {"fsGroup": _USER},
        "tolerations": [{"key": taint, "effect": "NoSchedule"} for taint in taints],
        # Nodes need the records before the cluster's DNS runs.
        "dnsPolicy": "Default",
        "hostNetwork": True,
        "containers": [container],
    }


def _probe(*, delay: int, failures: int) -> dict[str, Any]:
    return http_probe(
        "/healthz",
        "http",
        initialDelaySeconds=delay,
        periodSeconds=10,
        timeoutSeconds=5,
        failureThreshold=failures,
        successThreshold=1,
    )


def _arguments(context: AddonContext) -> list[str]:
    cluster = context.cluster
    external = cluster.spec.external_dns or ExternalDNSConfig()
    return [
        *_provider(context),
        "--events",
        *([] if external.watch_ingress is False else ["--source=ingress"]),
        "--source=pod",
        "--source=service",
        "--compatibility=kops-dns-controller",
        "--registry=txt",
        f"--txt-owner-id=kops-{cluster.metadata.name}",
        f"--zone-id-filter={cluster.spec.dns_zone or ''}",
        *([f"--namespace={external.watch_namespace}"] if external.watch_namespace else []),
    ]


def _provider(context: AddonContext) -> list[str]:
    """Which service of the cloud has the zone. KopsError: the cloud has none that kops uses."""
    if context.cloud is AWS:
        return [f"--provider={AWS.name}"]
    if context.cloud is OPENSTACK:
        return ["--provider=designate"]
    if context.cloud is GCE:
        return ["--provider=google", f"--google-project={project_of(context.cluster)}"]
    raise KopsError(f"spec.externalDNS.provider: external-dns publishes no records in {context.cloud.title}")


ADDON = AddonDefinition(
    name=_ADDON,
    condition=_publishes,
    build=_build,
    id="k8s-1.19",
    # Without roles of its own, dns-controller's permissions are there.
    service_accounts=(ServiceAccountRole(_NAME, change_records),),
)
