# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The load balancers of the AWS account."""

from __future__ import annotations

from ansible_collections.kubeops.kops.tests.lab.cloud import account
from ansible_collections.kubeops.kops.tests.lab.cloud.balancers import Balancer, Target
from ansible_collections.kubeops.kops.tests.lab.cloud.instances import Instance


def read(instances: dict[str, Instance]) -> list[Balancer]:
    """All of them; their targets are those of the instances that run."""
    api = account.client("elbv2")
    targets = _targets(instances)
    groups = {each["TargetGroupArn"]: each for each in account.pages("elbv2", "describe_target_groups", "TargetGroups")}
    found = []
    for balancer in account.pages("elbv2", "describe_load_balancers", "LoadBalancers"):
        arn, listeners = balancer["LoadBalancerArn"], {}
        for listener in api.describe_listeners(LoadBalancerArn=arn)["Listeners"]:
            group = groups.get(listener["DefaultActions"][0].get("TargetGroupArn", ""))
            if group:
                check = group.get("HealthCheckPath", "") if group.get("HealthCheckProtocol") == "HTTPS" else ""
                addresses = targets.get(group["TargetGroupArn"], {})
                listeners[listener["Port"]] = Target(group["Port"], check or "", dict(addresses))
        found.append(Balancer(balancer["LoadBalancerName"], balancer["DNSName"], _addresses(arn), listeners))
    return found


def _targets(instances: dict[str, Instance]) -> dict[str, dict[str, str]]:
    """Target group -> instance id -> address, of what scaling groups hold."""
    found: dict[str, dict[str, str]] = {}
    for group in account.pages("autoscaling", "describe_auto_scaling_groups", "AutoScalingGroups"):
        names = [each["InstanceId"] for each in group["Instances"]]
        present = {name: instances[name].address for name in names if name in instances and instances[name].runs}
        for arn in group.get("TargetGroupARNs", ()):
            found.setdefault(arn, {}).update(present)
    return found


def _addresses(arn: str) -> list[str]:
    """The private addresses of a load balancer's network interfaces."""
    description = "ELB " + arn.rpartition(":loadbalancer/")[2].replace("app/", "net/")
    wanted = [{"Name": "description", "Values": [description]}]
    found = account.pages("ec2", "describe_network_interfaces", "NetworkInterfaces", Filters=wanted)
    return sorted(each["PrivateIpAddress"] for each in found)
