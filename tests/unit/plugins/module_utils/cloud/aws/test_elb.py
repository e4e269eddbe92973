# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load balancers, target groups and listeners against moto's server."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.elb import REVISION_TAG, revision_name
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.network_load_balancer import (
    NetworkLoadBalancer,
    NetworkLoadBalancerAccessLog,
    SubnetMapping,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.network_load_balancer_listener import (
    NetworkLoadBalancerListener,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.security_group import SecurityGroup
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.subnet import Subnet
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.target_group import (
    CONNECTION_TERMINATION,
    DEREGISTRATION_DELAY,
    PRESERVE_CLIENT_IP,
    TargetGroup,
    describe_attributes,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc import VPC
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import PlanError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import TerraformTarget
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import TryAgainLater

from .conftest import CLUSTER

API = f"api.{CLUSTER}"
# What the load balancer of the tests has in its subnets.
INSIDE = ["10.0.0.4", "10.0.1.4"]
GROUP = "tcp-demo-example-com-abcdef"
READS_OF_AN_UNCHANGED_BALANCER = [
    "elbv2.DescribeListeners",
    "elbv2.DescribeLoadBalancerAttributes",
    "elbv2.DescribeLoadBalancers",
    "elbv2.DescribeTags",
    "elbv2.DescribeTargetGroupAttributes",
    "elbv2.DescribeTargetGroups",
]


def owned(name: str, **more: str) -> dict[str, str]:
    return {"Name": name, "KubernetesCluster": CLUSTER, f"kubernetes.io/cluster/{CLUSTER}": "owned", **more}


class Balanced:
    """A network with an API load balancer, its target group and listener; fresh objects, as each run has them."""

    def __init__(self, zones: str = "ab") -> None:
        self.vpc = VPC(CLUSTER, cidr="10.0.0.0/16", tags=owned(CLUSTER))
        self.subnets = [
            Subnet(
                f"us-east-1{zone}.{CLUSTER}",
                short_name=f"us-east-1{zone}",
                vpc=self.vpc,
                availability_zone=f"us-east-1{zone}",
                cidr=f"10.0.{number}.0/24",
                tags=owned(f"us-east-1{zone}.{CLUSTER}"),
            )
            for number, zone in enumerate("abc")
        ]
        self.security_group = SecurityGroup(
            f"api-elb.{CLUSTER}", vpc=self.vpc, description="api", tags=owned(f"api-elb.{CLUSTER}")
        )
        self.balancer = NetworkLoadBalancer(
            API,
            load_balancer_base_name="api-demo-example-com-123456",
            subnet_mappings=[SubnetMapping(subnet=subnet) for subnet in self.subnets[: len(zones)]],
            security_groups=[self.security_group],
            scheme="internet-facing",
            type="network",
            vpc=self.vpc,
            cross_zone_load_balancing=False,
            access_log=NetworkLoadBalancerAccessLog(enabled=False),
            tags=owned(API),
        )
        self.group = TargetGroup(
            GROUP,
            vpc=self.vpc,
            tags=owned(GROUP),
            port=443,
            protocol="TCP",
            attributes={CONNECTION_TERMINATION: "true", DEREGISTRATION_DELAY: "30"},
            interval=10,
            healthy_threshold=2,
            unhealthy_threshold=2,
            health_check_protocol="TCP",
            shared=False,
            network_load_balancer=self.balancer,
        )
        self.listener = NetworkLoadBalancerListener(
            f"{API}-443", network_load_balancer=self.balancer, port=443, target_group=self.group
        )

    @property
    def network(self) -> list:
        return [self.vpc, *self.subnets, self.security_group]

    @property
    def tasks(self) -> list:
        return [*self.network, self.balancer, self.group, self.listener]


def elb_calls(calls) -> list[str]:
    return sorted(call for call in calls if call.startswith("elbv2."))


def test_a_load_balancer_is_made_and_found_again_with_few_calls(run, calls) -> None:
    created = run(Balanced().tasks)
    made = {f"NetworkLoadBalancer/{API}", f"TargetGroup/{GROUP}", f"NetworkLoadBalancerListener/{API}-443"}
    assert made <= {key for key, action in created.actions.items() if action == "create"}
    assert created.tasks[f"NetworkLoadBalancer/{API}"].dns_name
    calls.clear()
    assert run(Balanced().tasks).actions == {}
    assert elb_calls(calls) == READS_OF_AN_UNCHANGED_BALANCER


def test_nothing_is_asked_of_a_network_that_does_not_exist(run, calls) -> None:
    run(Balanced().tasks, apply=False)
    assert elb_calls(calls) == []


def changed() -> Balanced:
    wanted = Balanced(zones="abc")
    wanted.balancer.cross_zone_load_balancing = True
    wanted.balancer.access_log = NetworkLoadBalancerAccessLog(enabled=True, s3_bucket_name="logs", s3_bucket_prefix="a")
    wanted.balancer.tags["team"] = wanted.group.tags["team"] = "a"
    wanted.group.attributes[DEREGISTRATION_DELAY] = "60"
    wanted.group.healthy_threshold = wanted.group.unhealthy_threshold = 3
    wanted.group.health_check_protocol, wanted.group.health_check_path = "HTTPS", "/healthz"
    return wanted


def test_changes_are_made_in_place(run, cloud) -> None:
    run(Balanced().tasks)
    arn = cloud.client("elbv2").describe_load_balancers()["LoadBalancers"][0]["LoadBalancerArn"]
    result = run(changed().tasks)
    assert result.changes[f"NetworkLoadBalancer/{API}"].keys() == {
        "access_log",
        "cross_zone_load_balancing",
        "subnet_mappings",
        "tags",
    }
    assert run(changed().tasks).actions == {}
    (balancer,) = cloud.client("elbv2").describe_load_balancers()["LoadBalancers"]
    assert balancer["LoadBalancerArn"] == arn
    assert len(balancer["AvailabilityZones"]) == 3
    back = Balanced(zones="abc")
    assert set(run(back.tasks).actions.values()) == {"update"}
    assert run(Balanced(zones="abc").tasks).actions == {}


def test_security_groups_are_replaced(run, cloud) -> None:
    run(Balanced().tasks)
    wanted = Balanced()
    other = SecurityGroup(f"other.{CLUSTER}", vpc=wanted.vpc, description="other", tags=owned(f"other.{CLUSTER}"))
    wanted.balancer.security_groups = [other]
    run([*wanted.tasks, other])
    (balancer,) = cloud.client("elbv2").describe_load_balancers()["LoadBalancers"]
    assert balancer["SecurityGroups"] == [other.id]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda wanted: setattr(wanted.balancer, "scheme", "internal"), "scheme: internet-facing -> internal"),
        (lambda wanted: wanted.balancer.subnet_mappings.pop(), "cannot leave a subnet"),
        (lambda wanted: wanted.balancer.subnet_mappings.clear(), "has no subnets"),
        (
            lambda wanted: setattr(wanted.balancer.subnet_mappings[0], "allocation_id", "eipalloc-1"),
            "cannot change its address",
        ),
        (lambda wanted: setattr(wanted.group, "port", 444), "port: 443 -> 444"),
        (
            lambda wanted: setattr(wanted.balancer, "access_log", NetworkLoadBalancerAccessLog(enabled=True)),
            "no bucket",
        ),
    ],
)
def test_what_aws_cannot_change_is_refused_before_anything_is_written(run, calls, change, message) -> None:
    run(Balanced().tasks)
    wanted = Balanced()
    change(wanted)
    calls.clear()
    with pytest.raises(PlanError, match=message):
        run(wanted.tasks)
    assert calls.writes == []


def test_a_listener_follows_its_target_group_in_place(run, cloud) -> None:
    run(Balanced().tasks)
    (balancer,) = cloud.client("elbv2").describe_load_balancers()["LoadBalancers"]

    def listener() -> dict:
        return cloud.client("elbv2").describe_listeners(LoadBalancerArn=balancer["LoadBalancerArn"])["Listeners"][0]

    def elsewhere() -> Balanced:
        wanted = Balanced()
        wanted.group.name = wanted.group.tags["Name"] = "other-demo-example-com-abcdef"
        return wanted

    before = listener()
    result = run(elsewhere().tasks)
    assert result.changes[f"NetworkLoadBalancerListener/{API}-443"].keys() == {"target_group"}
    assert run(elsewhere().tasks).actions == {}
    assert listener()["ListenerArn"] == before["ListenerArn"]
    assert listener()["DefaultActions"] != before["DefaultActions"]


def test_a_listener_gets_a_certificate_and_loses_it(run, cloud) -> None:
    certificate = cloud.client("acm").request_certificate(DomainName=API)["CertificateArn"]

    def secured() -> Balanced:
        wanted = Balanced()
        wanted.listener.ssl_certificate_id = certificate
        wanted.listener.ssl_policy = "ELBSecurityPolicy-2016-08"
        return wanted

    run(Balanced().tasks)
    result = run(secured().tasks)
    assert result.changes[f"NetworkLoadBalancerListener/{API}-443"].keys() == {"ssl_certificate_id", "ssl_policy"}
    assert run(secured().tasks).actions == {}
    assert run(Balanced().tasks).changes[f"NetworkLoadBalancerListener/{API}-443"].keys() == {"ssl_certificate_id"}
    assert run(Balanced().tasks).actions == {}


def test_a_balancer_made_without_security_groups_gets_a_new_revision(run, cloud) -> None:
    old = Balanced()
    old.balancer.security_groups = []
    run(old.tasks)
    result = run(Balanced().tasks, delete=False)
    assert result.actions == {
        f"NetworkLoadBalancer/{API}": "create",
        f"TargetGroup/{GROUP}": "create",
        f"NetworkLoadBalancerListener/{API}-443": "create",
    }
    elb = cloud.client("elbv2")
    names = {balancer["LoadBalancerName"]: balancer for balancer in elb.describe_load_balancers()["LoadBalancers"]}
    assert len(names) == 2
    # The old ones stay, until they are pruned: load balancers first, because groups in use cannot go.
    kept = run(Balanced().tasks, delete=False)
    assert kept.actions == {}
    assert [(deletion.kind, deletion.deferred) for deletion in kept.deletions] == [
        ("network-load-balancer", True),
        ("target-group", True),
    ]
    run(Balanced().tasks)
    (balancer,) = elb.describe_load_balancers()["LoadBalancers"]
    (group,) = elb.describe_target_groups()["TargetGroups"]
    answer = elb.describe_tags(ResourceArns=[balancer["LoadBalancerArn"], group["TargetGroupArn"]])
    revisions = [
        tag["Value"] for found in answer["TagDescriptions"] for tag in found["Tags"] if tag["Key"] == REVISION_TAG
    ]
    assert len(revisions) == 2 and len(set(revisions)) == 1
    assert run(Balanced().tasks).deletions == []


def test_names_of_revisions_are_kops_names() -> None:
    # Computed by kops' truncate.TruncateString with MaxLength 32 and AlwaysAddHash.
    assert len(revision_name("api-demo-example-com-123456-1700000000")) == 32
    assert revision_name("short").startswith("short-")


def test_a_killed_run_is_completed(run, cloud, calls) -> None:
    """The balancer exists, its attributes are not set; the group exists without attributes; no listener."""
    first = Balanced()
    run(first.network)
    first.balancer._create_load_balancer(cloud)
    first.group._create_group(cloud)
    wanted = Balanced()
    wanted.balancer.cross_zone_load_balancing = True
    assert run(wanted.tasks).actions == {
        f"NetworkLoadBalancer/{API}": "update",
        f"TargetGroup/{GROUP}": "update",
        f"NetworkLoadBalancerListener/{API}-443": "create",
    }
    assert (calls.of("CreateLoadBalancer"), calls.of("CreateTargetGroup")) == (1, 1)


def test_objects_of_other_clusters_are_not_ours(run, cloud) -> None:
    run(Balanced().tasks)
    for found in cloud.client("elbv2").describe_load_balancers()["LoadBalancers"]:
        tags = [{"Key": "KubernetesCluster", "Value": "other.example.com"}]
        cloud.client("elbv2").add_tags(ResourceArns=[found["LoadBalancerArn"]], Tags=tags)
        cloud.client("elbv2").remove_tags(
            ResourceArns=[found["LoadBalancerArn"]], TagKeys=[f"kubernetes.io/cluster/{CLUSTER}"]
        )
    assert run(Balanced().tasks, apply=False).actions[f"NetworkLoadBalancer/{API}"] == "create"


def test_creating_waits_until_aws_has_set_the_balancer_up(run, cloud, calls, monkeypatch) -> None:
    wanted = Balanced()
    run(wanted.network)
    wanted.balancer.wait_until_active = True
    elb = cloud.client("elbv2")
    described = elb.describe_load_balancers
    states = iter(["provisioning", "active"])

    def describe(**given):
        answer = described(**given)
        answer["LoadBalancers"][0]["State"] = {"Code": next(states)}
        return answer

    # moto's load balancers are active at once.
    monkeypatch.setattr(elb, "describe_load_balancers", describe)
    wanted.balancer.create(cloud)
    with pytest.raises(TryAgainLater, match="still setting up"):
        wanted.balancer.wait(cloud)
    wanted.balancer.create(cloud)
    wanted.balancer.wait(cloud)
    assert calls.of("CreateLoadBalancer") == 1


def test_addresses_are_the_name_and_what_the_interfaces_have(run, cloud) -> None:
    wanted = Balanced()
    run(wanted.tasks)
    balancer = wanted.balancer
    assert balancer.addresses(cloud) == [balancer.dns_name]
    assert balancer.addresses(cloud, with_interfaces=True) == sorted([*INSIDE, str(balancer.dns_name)])


def test_nodes_are_told_the_addresses_inside_of_the_network_and_no_others_are_asked_for(run, cloud, calls) -> None:
    first = Balanced()
    first.balancer.wait_until_active = True
    run(first.tasks)
    assert first.balancer.node_addresses == INSIDE
    again = Balanced()
    again.balancer.wait_until_active = True
    calls.clear()
    assert run(again.tasks).actions == {}
    assert again.balancer.node_addresses == INSIDE
    assert calls.count("ec2.DescribeNetworkInterfaces") == 1
    calls.clear()
    run(Balanced().tasks)
    assert "ec2.DescribeNetworkInterfaces" not in calls


def test_a_shared_target_group_is_only_verified(run, cloud, calls) -> None:
    wanted = Balanced()
    run(wanted.network)
    arn = cloud.client("elbv2").create_target_group(Name="theirs", Port=80, Protocol="TCP", VpcId=wanted.vpc.id)[
        "TargetGroups"
    ][0]["TargetGroupArn"]
    calls.clear()
    assert run([TargetGroup("theirs", arn=arn, shared=True)]).actions == {}
    assert calls == ["elbv2.DescribeTargetGroups"]
    with pytest.raises(PlanError, match="gone that the specification names does not exist"):
        run([TargetGroup("gone", arn="arn:aws:elasticloadbalancing:us-east-1:1:targetgroup/gone", shared=True)])


def test_a_listener_without_a_target_is_refused() -> None:
    with pytest.raises(KopsError, match="needs a load balancer and a target group"):
        NetworkLoadBalancerListener("x").find(None)


def test_the_address_family_follows_from_the_subnets() -> None:
    dual = Subnet("a", ipv6_cidr="2001:db8::/64")
    single = Subnet("b")
    assert NetworkLoadBalancer("x", subnet_mappings=[SubnetMapping(subnet=dual)]).ip_address_type == "dualstack"
    both = [SubnetMapping(subnet=dual), SubnetMapping(subnet=single)]
    assert NetworkLoadBalancer("x", subnet_mappings=both).ip_address_type == "ipv4"


def test_terraform_names_shared_objects_by_their_ids() -> None:
    wanted = Balanced()
    wanted.balancer.security_groups.append(SecurityGroup("theirs", id="sg-1", shared=True))
    wanted.balancer.subnet_mappings[0].allocation_id = "eipalloc-1"
    target = TerraformTarget(PROVIDERS[AWS], {"region": "us-test-1"})
    text = target.render([wanted.balancer, TargetGroup("theirs", arn="arn:x", shared=True)])["kubernetes.tf"].decode()
    assert 'security_groups                  = ["sg-1", aws_security_group.api-elb-demo-example-com.id]' in text
    assert 'allocation_id = "eipalloc-1"' in text
    assert "aws_lb_target_group" not in text


def test_targets_that_see_the_addresses_of_clients_stay_so(run, cloud) -> None:
    """AWS lets them, without listing it where nobody has set it: a group that kops has made needs no change."""
    run(Balanced().tasks)
    wanted = Balanced()
    wanted.group.attributes[PRESERVE_CLIENT_IP] = "true"
    assert run(wanted.tasks).actions == {}
    elb = cloud.client("elbv2")
    arn = elb.describe_target_groups()["TargetGroups"][0]["TargetGroupArn"]
    hidden = [{"Key": PRESERVE_CLIENT_IP, "Value": "false"}]
    elb.modify_target_group_attributes(TargetGroupArn=arn, Attributes=hidden)
    assert run(wanted.tasks).actions == {f"TargetGroup/{GROUP}": "update"}
    assert describe_attributes(cloud, arn)[PRESERVE_CLIENT_IP] == "true"
