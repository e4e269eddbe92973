# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of cloud objects: kops' own, to the letter, so that a cluster moves between the two with nothing recreated.

Source: pkg/model/names.go and upup/pkg/fi/cloudup/awsup/aws_utils.go of kops.
"""

from __future__ import annotations

from ...api.cloud_names import truncate
from ...api.instance_group import InstanceGroup
from ...base.errors import KopsError
from .. import ssh_keys

LOAD_BALANCER_NAME_LENGTH = 32
EVENT_RULE_PREFIX_LENGTH = 40

_SECURITY_GROUP_PREFIXES = {"ControlPlane": "masters", "APIServer": "masters", "Node": "nodes", "Bastion": "bastion"}
_GROUP_INFIXES = {"ControlPlane": ".masters", "APIServer": ".apiservers", "Node": "", "Bastion": ""}


def security_group(role: str, cluster: str) -> str:
    """The security group that instances of a role share."""
    return f"{_SECURITY_GROUP_PREFIXES[role]}.{cluster}"


def load_balancer_security_group(prefix: str, cluster: str) -> str:
    """The security group of a load balancer; prefix is "api" or "bastion"."""
    return f"{prefix}-elb.{cluster}"


def autoscaling_group(group: InstanceGroup, cluster: str) -> str:
    """The autoscaling group and the launch template of an instance group."""
    return f"{group.metadata.name}{_GROUP_INFIXES[str(group.spec.role)]}.{cluster}"


def load_balancer(prefix: str, cluster: str) -> str:
    """The Name tag of a network load balancer, by which it is found."""
    return f"{prefix}.{cluster}"


def name32(prefix: str, cluster: str) -> str:
    """The name proper of a load balancer or target group, which AWS limits to 32 characters.

    A name that is cut behind a hyphen has two of them before its hash. AWS takes that, as no hyphen is at an end.
    """
    return truncate(f"{prefix}-{cluster.replace('.', '-')}", LOAD_BALANCER_NAME_LENGTH, always_hash=True)


def listener(prefix: str, port: int, cluster: str) -> str:
    """A listener of a load balancer."""
    return f"{load_balancer(prefix, cluster)}-{port}"


def subnet(name: str, cluster: str) -> str:
    """A subnet of the spec, in the cloud."""
    return f"{name}.{cluster}"


def route_table(kind: str, zone: str, cluster: str) -> str:
    """The route table of a zone's private or public subnets; kind is "private" or "public"."""
    return f"{kind}-{zone}.{cluster}"


def etcd_volume(member: str, etcd_cluster: str, cluster: str) -> str:
    """The volume of a member of an etcd cluster."""
    return f"{member}.etcd-{etcd_cluster}.{cluster}"


def event_rule(event: str, cluster: str) -> str:
    """The EventBridge rule for one kind of event."""
    return f"{truncate(cluster, EVENT_RULE_PREFIX_LENGTH)}-{event}"


def last_segment(arn: str, what: str) -> str:
    """The name at the end of an ARN ("arn:...:instance-profile/name"); raises KopsError when there is none."""
    name = arn.rpartition("/")[2]
    if not name:
        raise KopsError(f"{what}: {arn!r} does not end with a name; it is an ARN such as arn:aws:iam::1:role/name")
    return name


def external_target_group(arn: str) -> str:
    """The name inside the ARN of a target group that is not ours; raises KopsError when it is no such ARN."""
    parts = arn.split(":", 5)
    resource = parts[5].split("/") if len(parts) == 6 else []
    if len(resource) != 3 or resource[0] != "targetgroup":
        raise KopsError(f"spec.externalLoadBalancers: {arn!r} is not the ARN of a target group")
    return resource[1]


def ssh_key(public_key: str, cluster: str) -> str:
    """The key pair made from the cluster's SSH public key."""
    return f"kubernetes.{cluster}-{ssh_keys.fingerprint(public_key)}"
