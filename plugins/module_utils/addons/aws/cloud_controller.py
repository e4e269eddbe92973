# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud controller manager of AWS (aws-cloud-controller.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import AWS
from ...api.cluster import Cluster
from ...iam.policy import Policy, actions
from ..cloud_controllers import CONFIG, cloud_controller_arguments, manager_of
from ..conditions import always, on_cloud
from ..context import AddonContext
from ..definition import AddonDefinition, ServiceAccountRole
from ..objects.core import service_account
from ..objects.pods import host_path, mount, on_control_plane, requests, selinux_options, toleration, variables
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, role_binding, rule
from ..objects.workloads import daemon_set

NAME, NAMESPACE = "aws-cloud-controller-manager", "kube-system"
_ROLE = "system:cloud-controller-manager"
_APP = {"k8s-app": NAME}
_VOLUME = "cloudconfig"

_ANYWHERE = (
    *actions("autoscaling", "DescribeAutoScalingGroups DescribeTags"),
    *actions(
        "ec2",
        "DescribeInstances DescribeRegions DescribeAvailabilityZones DescribeRouteTables DescribeSecurityGroups"
        " DescribeSubnets DescribeVpcs DescribeInstanceTopology",
    ),
    *actions(
        "elasticloadbalancing",
        "DescribeLoadBalancers DescribeLoadBalancerAttributes DescribeListeners DescribeLoadBalancerPolicies"
        " DescribeTargetGroups DescribeTargetGroupAttributes DescribeTargetHealth",
    ),
    "iam:CreateServiceLinkedRole",
    "kms:DescribeKey",
)
_ON_OWNED = (
    *actions(
        "ec2",
        "ModifyInstanceAttribute AuthorizeSecurityGroupIngress DeleteSecurityGroup RevokeSecurityGroupIngress",
    ),
    *actions(
        "elasticloadbalancing",
        "AttachLoadBalancerToSubnets ApplySecurityGroupsToLoadBalancer CreateLoadBalancerListeners"
        " CreateLoadBalancerPolicy ConfigureHealthCheck DeleteLoadBalancer DeleteLoadBalancerListeners"
        " DetachLoadBalancerFromSubnets DeregisterInstancesFromLoadBalancer ModifyLoadBalancerAttributes"
        " RegisterInstancesWithLoadBalancer SetLoadBalancerPoliciesForBackendServer AddTags DeleteListener"
        " DeleteTargetGroup ModifyListener ModifyTargetGroup ModifyTargetGroupAttributes RegisterTargets"
        " DeregisterTargets SetLoadBalancerPoliciesOfListener",
    ),
)
_CREATES = actions("elasticloadbalancing", "CreateLoadBalancer CreateListener CreateTargetGroup")


def _manage_load_balancers(context: AddonContext, policy: Policy) -> None:
    """Describe instances, make load balancers of Services, and for kubenet a route to each node's pods."""
    policy.anywhere.update(_ANYWHERE)
    policy.on_owned.update(_ON_OWNED)
    aws = context.cluster.spec.cloud_provider.aws
    if aws is not None and aws.nlb_security_group_mode == "Managed":
        policy.on_owned.add("elasticloadbalancing:SetSecurityGroups")
    policy.creating_owned.update(_CREATES)
    policy.create_ec2(["CreateSecurityGroup"], ["security-group"])
    if context.cluster.spec.networking.kubenet is not None:
        policy.on_owned.update(("ec2:CreateRoute", "ec2:DeleteRoute"))


def _build(context: AddonContext) -> list[dict[str, Any]]:
    # kops names the group of the core API here.
    account = {"apiGroup": "", **account_subject(NAME, NAMESPACE)}
    reader = "extension-apiserver-authentication-reader"
    return [
        daemon_set(
            NAME,
            NAMESPACE,
            _pod(context.cluster),
            selector=_APP,
            labels=_APP,
            updateStrategy={"type": "RollingUpdate"},
        ),
        service_account(NAME, NAMESPACE),
        role_binding("cloud-controller-manager:apiserver-authentication-reader", NAMESPACE, reader, account),
        cluster_role(_ROLE, None, _RULES),
        cluster_role_binding(_ROLE, _ROLE, account),
    ]


_RULES = (
    rule("", "events", "create patch update"),
    rule("", "nodes", "*"),
    rule("", "nodes/status", "patch"),
    rule("", "services", "list patch update watch"),
    rule("", "services/status", "list patch update watch"),
    rule("", "serviceaccounts", "create get"),
    rule("", "persistentvolumes", "get list update watch"),
    rule("", "endpoints", "create get list watch update"),
    rule("coordination.k8s.io", "leases", "create get list watch update"),
    rule("", "secrets", "list watch"),
    rule("", "serviceaccounts/token", "create", "node-controller service-controller route-controller"),
)


def _pod(cluster: Cluster) -> dict[str, Any]:
    manager = manager_of(cluster)
    security = selinux_options(cluster)
    container = {
        "name": NAME,
        "image": manager.image or "",
        "imagePullPolicy": "IfNotPresent",
        "args": cloud_controller_arguments(cluster),
        # It starts before kube-proxy translates the Service's address.
        "env": variables({"KUBERNETES_SERVICE_HOST": "127.0.0.1"}),
        "resources": requests(cpu=manager.cpu_request or "200m"),
        "volumeMounts": [mount(_VOLUME, CONFIG, readOnly=True)],
    }
    return {
        "affinity": on_control_plane(),
        "tolerations": [toleration()],
        **({"securityContext": security} if security else {}),
        "serviceAccountName": NAME,
        "hostNetwork": True,
        "priorityClassName": "system-cluster-critical",
        "containers": [container],
        "volumes": [host_path(_VOLUME, CONFIG, "")],
    }


ADDON = AddonDefinition(
    name="aws-cloud-controller.addons.k8s.io",
    condition=on_cloud(AWS),
    build=_build,
    id="k8s-1.18",
    service_accounts=(ServiceAccountRole(NAME, _manage_load_balancers, on_control_plane=always),),
    initializes_nodes=True,
)
