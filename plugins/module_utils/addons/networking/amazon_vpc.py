# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Amazon's network, in which pods have addresses of the VPC (networking.amazon-vpc-routed-eni of kops)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...api.networking import AmazonVPCNetworkingSpec
from ...api.questions import is_ipv6_only
from ...iam.policy import Policy, actions, allow
from ..conditions import network
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import config_map, service_account
from ..objects.pods import (
    expression,
    field_variable,
    host_path,
    mount,
    node_affinity,
    on_linux,
    requests,
    selinux_options,
    toleration,
    variables,
    xtables_lock,
)
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule, url_rule
from ..objects.workloads import daemon_set
from ..upstream import files_in_repository
from .selector import NETWORKING

_NAME, _NAMESPACE = "aws-node", "kube-system"
_VERSION = "v1.23.0"
_REGISTRY = "602401143452.dkr.ecr.us-west-2.amazonaws.com"
_IMAGE = f"{_REGISTRY}/amazon-k8s-cni:{_VERSION}"
_INIT_IMAGE = f"{_REGISTRY}/amazon-k8s-cni-init:{_VERSION}"
_POLICY_IMAGE = f"{_REGISTRY}/amazon/aws-network-policy-agent:v1.4.1"
_APP = {"k8s-app": _NAME}
_POD_LABELS = {"app.kubernetes.io/name": _NAME, "app.kubernetes.io/instance": "aws-vpc-cni", **_APP}
_LABELS = {**_POD_LABELS, "app.kubernetes.io/version": _VERSION}
_PLUGINS = mount("cni-bin-dir", "/host/opt/cni/bin")
_RUN, _LOGS, _BPF = "/var/run/aws-node", "/var/log/aws-routed-eni", "/sys/fs/bpf"
_CREATED = "DirectoryOrCreate"
_CONFIG = {
    "enable-windows-ipam": "false",
    "enable-network-policy-controller": "false",
    "enable-windows-prefix-delegation": "false",
    "warm-prefix-target": "0",
    "warm-ip-target": "1",
    "minimum-ip-target": "3",
    "branch-eni-cooldown": "60",
}
# What the agent is told unless spec.networking.amazonVPC.env says otherwise: the values of upstream's chart.
_SETTINGS = {
    "AWS_VPC_CNI_NODE_PORT_SUPPORT": "true",
    "AWS_VPC_ENI_MTU": "9001",
    "AWS_VPC_K8S_CNI_CONFIGURE_RPFILTER": "false",
    "AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG": "false",
    "AWS_VPC_K8S_CNI_EXTERNALSNAT": "false",
    "AWS_VPC_K8S_CNI_LOG_FILE": "/host/var/log/aws-routed-eni/ipamd.log",
    "AWS_VPC_K8S_CNI_LOGLEVEL": "DEBUG",
    "AWS_VPC_K8S_CNI_RANDOMIZESNAT": "prng",
    "AWS_VPC_K8S_CNI_VETHPREFIX": "eni",
    "AWS_VPC_K8S_PLUGIN_LOG_FILE": f"{_LOGS}/plugin.log",
    "AWS_VPC_K8S_PLUGIN_LOG_LEVEL": "DEBUG",
    "DISABLE_INTROSPECTION": "false",
    "DISABLE_METRICS": "false",
    "DISABLE_NETWORK_RESOURCE_PROVISIONING": "false",
    "ENABLE_POD_ENI": "false",
    "ENABLE_PREFIX_DELEGATION": "false",
    "ENABLE_SUBNET_DISCOVERY": "true",
    "NETWORK_POLICY_ENFORCING_MODE": "standard",
    "WARM_ENI_TARGET": "1",
    "WARM_PREFIX_TARGET": "1",
}
# The agent of policies runs, but enforces none: their controller is a part of EKS.
_POLICY_ARGUMENTS = (
    "--enable-ipv6=false",
    "--enable-network-policy=false",
    "--enable-cloudwatch-logs=false",
    "--enable-policy-event-logs=false",
    f"--log-file={_LOGS}/network-policy-agent.log",
    "--metrics-bind-addr=:8162",
    "--health-probe-bind-addr=:8163",
    "--conntrack-cache-cleanup-period=300",
    "--conntrack-cache-table-size=524288",
    "--log-level=debug",
)

_ANYWHERE = actions(
    "ec2",
    "AssignPrivateIpAddresses AttachNetworkInterface CreateNetworkInterface DeleteNetworkInterface DescribeInstances"
    " DescribeTags DescribeNetworkInterfaces DescribeInstanceTypes DescribeSecurityGroups DescribeSubnets"
    " DetachNetworkInterface ModifyNetworkInterfaceAttribute UnassignPrivateIpAddresses",
)


def _assign_addresses(context: AddonContext, policy: Policy, role: str) -> None:
    """Give pods addresses of the VPC."""
    policy.anywhere.update(_ANYWHERE)
    policy.statements.append(allow(["ec2:CreateTags"], [policy.arn("ec2:*:*:network-interface/*")]))


def _build(context: AddonContext) -> list[dict[str, Any]]:
    update = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}}
    return [
        service_account(_NAME, _NAMESPACE, _LABELS),
        config_map("amazon-vpc-cni", _NAMESPACE, _LABELS, _CONFIG),
        cluster_role(_NAME, _LABELS, _rules(_environment(context))),
        cluster_role_binding(_NAME, _NAME, account_subject(_NAME, _NAMESPACE), _LABELS),
        daemon_set(
            _NAME,
            _NAMESPACE,
            _pod(context),
            selector=_APP,
            labels=_LABELS,
            pod_labels=_POD_LABELS,
            updateStrategy=update,
        ),
    ]


def _spec(context: AddonContext) -> AmazonVPCNetworkingSpec:
    return context.cluster.spec.networking.amazon_vpc or AmazonVPCNetworkingSpec()


def _environment(context: AddonContext) -> dict[str, str]:
    """The settings of the agent: upstream's, the user's, then what the cluster decides."""
    own = {str(each.name): each.value or "" for each in _spec(context).env}
    ipv6, name = is_ipv6_only(context.cluster), context.cluster.metadata.name
    tags = f'{{"KubernetesCluster":"{name}","kubernetes.io/cluster/{name}":"owned"}}'
    decided = {"ENABLE_IPv4": _text(not ipv6), "ENABLE_IPv6": _text(ipv6), "ADDITIONAL_ENI_TAGS": tags}
    if ipv6:
        decided.update(ENABLE_PREFIX_DELEGATION="true", WARM_PREFIX_TARGET="1")
    return dict(sorted({**_SETTINGS, **own, **decided}.items()))


def _text(value: bool) -> str:
    return str(value).lower()


def _rules(environment: dict[str, str]) -> list[dict[str, Any]]:
    own, read = "networking.k8s.aws", "list watch get"
    pods = f"{read} patch" if environment.get("ANNOTATE_POD_IP") else read
    return [
        rule("crd.k8s.amazonaws.com", "eniconfigs", read),
        rule("", "namespaces", read),
        rule("", "pods", pods),
        rule("", "nodes", read),
        rule(("", "events.k8s.io"), "events", "create patch list"),
        rule(own, "policyendpoints clusterpolicyendpoints", "get list watch"),
        rule(own, "policyendpoints/status clusterpolicyendpoints/status", "get"),
        rule("vpcresources.k8s.aws", "cninodes", "get list watch patch"),
        url_rule(f"/apis/{own} /apis/{own}/*", "get"),
    ]


def _pod(context: AddonContext) -> dict[str, Any]:
    security = selinux_options(context.cluster)
    return {
        "priorityClassName": "system-node-critical",
        "serviceAccountName": _NAME,
        "hostNetwork": True,
        "initContainers": [_init(context)],
        "terminationGracePeriodSeconds": 10,
        "tolerations": [toleration()],
        **({"securityContext": security} if security else {}),
        "containers": [_agent(context), _policy_agent(context)],
        "volumes": [
            host_path("bpf-pin-path", _BPF),
            host_path("cni-bin-dir", "/opt/cni/bin"),
            host_path("cni-net-dir", "/etc/cni/net.d"),
            host_path("log-dir", _LOGS, _CREATED),
            host_path("run-dir", _RUN, _CREATED),
            xtables_lock(),
        ],
        "affinity": _affinity(),
    }


def _affinity() -> dict[str, Any]:
    return node_affinity(
        [
            on_linux(),
            expression("kubernetes.io/arch", "In", "amd64", "arm64"),
            expression("eks.amazonaws.com/compute-type", "NotIn", "fargate", "hybrid", "auto"),
        ]
    )


def _container(name: str, image: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "image": image, "imagePullPolicy": "IfNotPresent", "resources": requests(cpu="25m"), **more}


def _init(context: AddonContext) -> dict[str, Any]:
    return _container(
        "aws-vpc-cni-init",
        _spec(context).init_image or _INIT_IMAGE,
        env=variables({"DISABLE_TCP_EARLY_DEMUX": "false", "ENABLE_IPv6": _text(is_ipv6_only(context.cluster))}),
        securityContext={"privileged": True},
        volumeMounts=[_PLUGINS],
    )


def _agent(context: AddonContext) -> dict[str, Any]:
    return _container(
        _NAME,
        _spec(context).image or _IMAGE,
        ports=[{"containerPort": 61678, "name": "metrics"}],
        livenessProbe=_probe(60),
        readinessProbe=_probe(1),
        env=[
            *variables({**_environment(context), "VPC_CNI_VERSION": _VERSION}),
            field_variable("MY_NODE_NAME", "spec.nodeName", apiVersion="v1"),
            field_variable("MY_POD_NAME", "metadata.name", apiVersion="v1"),
            *variables({"CLUSTER_NAME": context.cluster.metadata.name}),
        ],
        securityContext={"capabilities": {"add": ["NET_ADMIN", "NET_RAW"]}},
        volumeMounts=[
            _PLUGINS,
            mount("cni-net-dir", "/host/etc/cni/net.d"),
            mount("log-dir", f"/host{_LOGS}"),
            mount("run-dir", _RUN),
            mount("xtables-lock", "/run/xtables.lock"),
        ],
    )


def _probe(delay: int) -> dict[str, Any]:
    address = f"-addr=unix://{_RUN}/ipamd.sock"
    command = ["/app/grpc-health-probe", address, "-connect-timeout=5s", "-rpc-timeout=5s"]
    return {"exec": {"command": command}, "initialDelaySeconds": delay, "timeoutSeconds": 10}


def _policy_agent(context: AddonContext) -> dict[str, Any]:
    return _container(
        "aws-eks-nodeagent",
        _spec(context).network_policy_agent_image or _POLICY_IMAGE,
        ports=[{"containerPort": 8162, "name": "agentmetrics"}],
        env=[field_variable("MY_NODE_NAME", "spec.nodeName", apiVersion="v1")],
        args=list(_POLICY_ARGUMENTS),
        securityContext={"capabilities": {"add": ["NET_ADMIN"]}, "privileged": True},
        volumeMounts=[_PLUGINS, mount("bpf-pin-path", _BPF), mount("log-dir", _LOGS), mount("run-dir", _RUN)],
    )


def _upstream(context: AddonContext) -> Sequence[str]:
    file = "customresourcedefinition.yaml"
    return files_in_repository("aws/amazon-vpc-cni-k8s", _VERSION, "charts/aws-vpc-cni/crds", [file])


ADDON = AddonDefinition(
    name="networking.amazon-vpc-routed-eni",
    condition=network("amazon_vpc"),
    build=_build,
    upstream=_upstream,
    id="k8s-1.16",
    selector=NETWORKING,
    needs_rolling_update="all",
    instance_permissions=_assign_addresses,
)
