# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster gets if nothing but its zones is given: its parts are made for each other.

Each part is compared with kops elsewhere; here it is what one of them needs of another: metadata and rights, ports,
ranges, taints and labels, names, the queue.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, Account

ZONE = "us-east-1a"
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
# Programs that call AWS with the role of their instance, and what they ask for (from the documentation of each).
CALLING_AWS = {
    "aws-cloud-controller-manager": {
        *("ec2:DescribeInstances", "ec2:DescribeAvailabilityZones", "ec2:DescribeRegions", "ec2:DescribeRouteTables"),
        *("ec2:DescribeSecurityGroups", "ec2:DescribeSubnets", "ec2:DescribeVpcs", "ec2:ModifyInstanceAttribute"),
        *("ec2:AuthorizeSecurityGroupIngress", "ec2:RevokeSecurityGroupIngress", "ec2:CreateSecurityGroup"),
        *("elasticloadbalancing:CreateLoadBalancer", "elasticloadbalancing:DescribeLoadBalancers"),
        *("elasticloadbalancing:RegisterTargets", "elasticloadbalancing:DeregisterTargets"),
    },
    "ebs-csi-controller": {
        *("ec2:AttachVolume", "ec2:DetachVolume", "ec2:CreateVolume", "ec2:DeleteVolume", "ec2:ModifyVolume"),
        *("ec2:DescribeVolumes", "ec2:DescribeVolumesModifications", "ec2:DescribeInstances", "ec2:CreateTags"),
        "ec2:DescribeAvailabilityZones",
    },
    "aws-node-termination-handler": {
        *("sqs:ReceiveMessage", "sqs:DeleteMessage", "autoscaling:CompleteLifecycleAction", "ec2:DescribeInstances"),
        *("autoscaling:DescribeAutoScalingInstances", "autoscaling:DescribeTags"),
    },
}


@pytest.fixture()
def made(account: Account) -> Account:
    account.create(zones=[ZONE])
    account.update()
    return account


def workloads(stored: dict[str, str]) -> dict[str, dict[str, Any]]:
    """The pods of addons by the name of their workload."""
    texts = [text for name, text in stored.items() if name.startswith("addons/") and text.startswith("apiVersion:")]
    found = [each for text in texts for each in yaml.safe_load_all(text) if each]
    return {
        each["metadata"]["name"]: each["spec"]["template"]["spec"]
        for each in found
        if each["kind"] in ("DaemonSet", "Deployment")
    }


def node_config(stored: dict[str, str], role: str) -> dict[str, Any]:
    (text,) = [text for name, text in stored.items() if re.match(rf"igconfig/{role}/.*/nodeconfig/", name)]
    found: dict[str, Any] = json.loads(text)
    return found


def tolerates(pod: dict[str, Any], taint: str) -> bool:
    return any(each.get("key") in (None, taint) for each in pod.get("tolerations") or ())


def test_the_parts_of_a_default_cluster_fit_each_other(made: Account) -> None:
    stored = made.stored()
    pods = workloads(stored)
    assert pods.keys() == {
        *CALLING_AWS,
        *("cilium", "cilium-operator", "coredns", "coredns-autoscaler", "ebs-csi-node"),
    }
    # The metadata service is one hop away: of pods, only those with the network of their host reach it.
    ec2 = made.client("ec2")
    for template in ec2.describe_launch_template_versions(Versions=["$Latest"])["LaunchTemplateVersions"]:
        assert template["LaunchTemplateData"]["MetadataOptions"]["HttpPutResponseHopLimit"] == 1
    rights = actions_of(made, f"masters.{NAME}")
    for name, actions in CALLING_AWS.items():
        assert pods[name]["hostNetwork"] is True, name
        assert CONTROL_PLANE in json.dumps(pods[name]["affinity"]), name
        assert tolerates(pods[name], CONTROL_PLANE), name
        assert actions - rights == set(), name

    # Until nodes have addresses and a network, these have to run.
    for name in ("aws-cloud-controller-manager", "cilium", "cilium-operator"):
        assert tolerates(pods[name], "node.cloudprovider.kubernetes.io/uninitialized"), name
        assert tolerates(pods[name], "node.kubernetes.io/not-ready"), name
    # Without kube-proxy the network reaches the API by a name that nodes know without DNS.
    servers = {
        each["value"] for each in pods["cilium"]["containers"][0]["env"] if each["name"].endswith("SERVICE_HOST")
    }
    assert servers == {f"api.internal.{NAME}"}
    worker, control_plane = node_config(stored, "node"), node_config(stored, "control-plane")
    assert "API_HOSTS" in worker["facts"]
    hosts = [file["content"] for file in control_plane["files"] if file["path"] == "/etc/hosts"]
    assert hosts == [f"127.0.0.1 api.internal.{NAME}\n"]
    for config in (worker, control_plane):
        (flags,) = [file["content"] for file in config["files"] if file["path"] == "/etc/sysconfig/kubelet"]
        assert "--cloud-provider=external" in flags

    # One for each family of distributions, with the directories of authorities that it has.
    managers = [pod["content"] for pod in control_plane["staticPods"] if pod["name"] == "kube-controller-manager"]
    arguments = pods["aws-cloud-controller-manager"]["containers"][0]["args"]
    for argument in ("--cluster-cidr=100.96.0.0/11", f"--cluster-name={NAME}", "--configure-cloud-routes=false"):
        assert argument in arguments
        assert all(argument in manager for manager in managers)
    assert managers
    assert all("--cloud-provider=external" in manager for manager in managers)
    mounted = [each["hostPath"]["path"] for each in pods["aws-cloud-controller-manager"]["volumes"]]
    assert set(mounted) <= {file["path"] for file in control_plane["files"]}


def test_what_is_terminated_reaches_the_termination_handler(made: Account) -> None:
    pod = workloads(made.stored())["aws-node-termination-handler"]
    (url,) = [each["value"] for each in pod["containers"][0]["env"] if each["name"] == "QUEUE_URL"]
    queues = made.client("sqs").list_queues()["QueueUrls"]
    assert [each.rpartition("/")[2] for each in queues] == [url.rpartition("/")[2]]
    events = made.client("events")
    kinds = set()
    for rule in events.list_rules()["Rules"]:
        kinds |= set(json.loads(rule["EventPattern"])["detail-type"])
        (target,) = events.list_targets_by_rule(Rule=rule["Name"])["Targets"]
        assert target["Arn"].endswith(f":{url.rpartition('/')[2]}")
    assert {"EC2 Instance-terminate Lifecycle Action", "EC2 Spot Instance Interruption Warning"} <= kinds
    scaling = made.client("autoscaling")
    for group in scaling.describe_auto_scaling_groups()["AutoScalingGroups"]:
        assert "aws-node-termination-handler/managed" in {tag["Key"] for tag in group["Tags"]}
        hooks = scaling.describe_lifecycle_hooks(AutoScalingGroupName=group["AutoScalingGroupName"])["LifecycleHooks"]
        assert {hook["LifecycleTransition"] for hook in hooks} == {"autoscaling:EC2_INSTANCE_TERMINATING"}


def test_ports_that_nodes_need_are_open(made: Account) -> None:
    """From workers to the load balancer, from there to control planes, and what Cilium sends between nodes."""
    opened = open_ports(made)
    masters, nodes, balancer = f"masters.{NAME}", f"nodes.{NAME}", f"api-elb.{NAME}"
    for port in (443, 3988):
        assert allows(opened, nodes, balancer, "tcp", port)
        assert allows(opened, balancer, masters, "tcp", port)
    for source, target in ((nodes, masters), (masters, nodes), (nodes, nodes), (masters, masters)):
        assert allows(opened, source, target, "udp", 8472)  # VXLAN
        assert allows(opened, source, target, "tcp", 4240)  # health of Cilium
    for etcd in (2380, 2381, 4001, 4002):
        assert allows(opened, masters, masters, "tcp", etcd)
    for etcd in (2380, 2381, 4001, 4002):
        assert not allows(opened, nodes, masters, "tcp", etcd)


Opened = list[tuple[str, str, str, int, int]]


def open_ports(account: Account) -> Opened:
    """Source, target, protocol, first and last port of each rule between groups."""
    groups = account.client("ec2").describe_security_groups()["SecurityGroups"]
    names = {group["GroupId"]: group["GroupName"] for group in groups}
    return [
        (
            names[pair["GroupId"]],
            group["GroupName"],
            rule["IpProtocol"],
            rule.get("FromPort", 0),
            rule.get("ToPort", 65535),
        )
        for group in groups
        for rule in group["IpPermissions"]
        for pair in rule["UserIdGroupPairs"]
    ]


def allows(opened: Opened, source: str, target: str, protocol: str, port: int) -> bool:
    return any(
        (source, target) == (each[0], each[1])
        and each[2] in ("-1", protocol)
        and (each[2] == "-1" or each[3] <= port <= each[4])
        for each in opened
    )


def actions_of(account: Account, role: str) -> set[str]:
    iam = account.client("iam")
    found = set()
    for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
        for statement in iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]["Statement"]:
            actions = statement["Action"]
            found |= {actions} if isinstance(actions, str) else set(actions)
    return found
