# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Authentication by IAM identities (authentication.aws of kops)."""

from __future__ import annotations

from typing import Any

from ...api.cluster import AWSAuthenticationSpec
from ...api.scalars import Quantity
from ..conditions import authentication
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import kubernetes_object, service_account
from ..objects.pods import (
    config_map_volume,
    host_path,
    http_probe,
    mount,
    requests,
    selinux_options,
    toleration,
)
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from ..objects.workloads import daemon_set
from ..upstream import files_in_repository

_NAME, _NAMESPACE = "aws-iam-authenticator", "kube-system"
_VERSION = "v0.6.20"
_IMAGE = f"public.ecr.aws/eks-distro/kubernetes-sigs/aws-iam-authenticator:{_VERSION}-eks-1-30-7"
_GROUP = "iamauthenticator.k8s.aws"
_APP = {"k8s-app": _NAME}
_CONFIG, _STATE, _OUTPUT = f"/etc/{_NAME}/", f"/var/{_NAME}", f"/etc/kubernetes/{_NAME}/"
# Where the API server looks for what the authenticator writes.
_ON_HOST = f"/srv/kubernetes/{_NAME}/"
_ROLE = "node-role.kubernetes.io"
_RULES = (
    rule(_GROUP, "iamidentitymappings", "get list watch"),
    rule(_GROUP, "iamidentitymappings/status", "patch update"),
    rule("", "events", "create update patch"),
    rule("", "configmaps", "list watch"),
    rule("", "configmaps", "get", "aws-auth"),
)


def _build(context: AddonContext) -> list[dict[str, Any]]:
    chosen = context.cluster.spec.authentication
    spec = (chosen and chosen.aws) or AWSAuthenticationSpec()
    mappings = spec.identity_mappings if "CRD" in (spec.backend_mode or "") else []
    return [
        cluster_role(_NAME, None, _RULES),
        service_account(_NAME, _NAMESPACE),
        cluster_role_binding(_NAME, _NAME, account_subject(_NAME, _NAMESPACE)),
        _daemon_set(context, spec),
        *(
            kubernetes_object(
                f"{_GROUP}/v1alpha1",
                "IAMIdentityMapping",
                f"iam-identity-mapping-{number}",
                labels=_APP,
                spec={
                    "arn": mapping.arn,
                    "username": mapping.username,
                    **({"groups": mapping.groups} if mapping.groups else {}),
                },
            )
            for number, mapping in enumerate(mappings)
        ),
    ]


def _daemon_set(context: AddonContext, spec: AWSAuthenticationSpec) -> dict[str, Any]:
    made = daemon_set(
        _NAME, _NAMESPACE, _pod(context, spec), selector=_APP, labels=_APP, updateStrategy={"type": "RollingUpdate"}
    )
    made["metadata"]["annotations"] = {"seccomp.security.alpha.kubernetes.io/pod": "runtime/default"}
    return made


def _reads_file(spec: AWSAuthenticationSpec) -> bool:
    """Whether it reads the mappings of identities from a ConfigMap, which the user makes."""
    return not spec.backend_mode or "MountedFile" in spec.backend_mode


def _pod(context: AddonContext, spec: AWSAuthenticationSpec) -> dict[str, Any]:
    role = "api-server" if "APIServerNodes" in context.features else "control-plane"
    security = selinux_options(context.cluster)
    taints = [{"effect": "NoSchedule", "key": f"{_ROLE}/{name}"} for name in ("master", "control-plane", "api-server")]
    return {
        "serviceAccountName": _NAME,
        "hostNetwork": True,
        "nodeSelector": {f"{_ROLE}/{role}": ""},
        "priorityClassName": "system-node-critical",
        **({"securityContext": security} if security else {}),
        "tolerations": [
            *taints,
            toleration("node.cloudprovider.kubernetes.io/uninitialized"),
            toleration("CriticalAddonsOnly"),
        ],
        "containers": [_container(context, spec)],
        "volumes": [
            *([config_map_volume("config", _NAME)] if _reads_file(spec) else []),
            host_path("output", _ON_HOST),
            host_path("state", _ON_HOST),
        ],
    }


def _container(context: AddonContext, spec: AWSAuthenticationSpec) -> dict[str, Any]:
    limits = {"memory": _or(spec.memory_limit, "20Mi")}
    if spec.cpu_limit is not None:
        limits["cpu"] = spec.cpu_limit
    return {
        "name": _NAME,
        "image": spec.image or _IMAGE,
        "args": _arguments(context, spec),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "runAsUser": 10000,
            "runAsGroup": 10000,
        },
        "resources": requests(limits=limits, memory=_or(spec.memory_request, "20Mi"), cpu=_or(spec.cpu_request, "10m")),
        "livenessProbe": http_probe("/healthz", 21362, scheme="HTTPS", host="127.0.0.1"),
        "volumeMounts": [
            *([mount("config", _CONFIG)] if _reads_file(spec) else []),
            mount("state", f"{_STATE}/"),
            mount("output", _OUTPUT),
        ],
    }


def _or(quantity: Quantity | None, default: str) -> str:
    return default if quantity is None else quantity


def _arguments(context: AddonContext, spec: AWSAuthenticationSpec) -> list[str]:
    arguments = ["server"]
    if _reads_file(spec):
        arguments.append(f"--config={_CONFIG}config.yaml")
    if spec.cluster_id or not _reads_file(spec):
        # Otherwise the file says it.
        arguments.append(f"--cluster-id={spec.cluster_id or context.cluster.metadata.name}")
    arguments += [f"--state-dir={_STATE}", "--kubeconfig-pregenerated=true"]
    return [*arguments, f"--backend-mode={spec.backend_mode}"] if spec.backend_mode else arguments


def _definitions(context: AddonContext) -> list[str]:
    return files_in_repository(f"kubernetes-sigs/{_NAME}", _VERSION, "deploy", ["iamidentitymapping.yaml"])


ADDON = AddonDefinition(
    name="authentication.aws",
    condition=authentication("aws"),
    build=_build,
    upstream=_definitions,
    id="k8s-1.12",
    selector={"role.kubernetes.io/authentication": "1"},
)
