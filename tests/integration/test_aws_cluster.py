# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The life of a cluster on AWS: created, unchanged, changed, deleted, with nothing left and nothing else touched."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec, manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.common import WarmPoolSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import MixedInstancesPolicySpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.networking import KindnetNetworkingSpec
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.cloud import AWSCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.looking import AWSLooking
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.manifests import sort_objects
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import (
    StoreOptions,
    put,
    remove_groups,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs import s3
from ansible_collections.kubeops.kops.tests.integration.conftest import BUCKET, NAME, STORE, Account

ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"]
NODES = f"nodes-{ZONES[0]}"

# Kind of cluster -> the options that it is created with.
CLUSTERS: dict[str, dict[str, Any]] = {
    "minimal": {"zones": ZONES[:1]},
    "ha": {"zones": ZONES, "control_plane_count": 3},
    "private": {"zones": ZONES, "control_plane_count": 3, "topology": "private", "bastion": True},
    "dns-public": {"zones": ZONES[:1], "dns": "public", "api_loadbalancer_type": "public"},
    "dns-public-private": {"zones": ZONES[:1], "dns": "public", "topology": "private"},
    "dns-without-balancer": {"zones": ZONES[:1], "dns": "public"},
    "dns-private": {"zones": ZONES[:1], "dns": "private", "topology": "private", "api_loadbalancer_type": "internal"},
    "ipv6": {"zones": ZONES[:1], "ipv6": True, "topology": "public"},
    "ipv6-private": {"zones": ZONES[:1], "ipv6": True, "topology": "private"},
    "groups": {"zones": ZONES[:1]},
    "network": {"zones": ZONES[:2], "network_cidr": ["10.20.0.0/16", "10.21.0.0/16"]},
}


def hosted_zone(account: Account, *, private: bool) -> None:
    """A zone of the cluster's domain, which the account had before."""
    options: dict[str, Any] = {}
    if private:
        vpc = account.client("ec2").describe_vpcs()["Vpcs"][0]["VpcId"]
        options = {
            "HostedZoneConfig": {"PrivateZone": True},
            "VPC": {"VPCRegion": "us-east-1", "VPCId": vpc},
        }
    account.client("route53").create_hosted_zone(Name="example.com", CallerReference="1", **options)


def store_groups_of_all_kinds(account: Account) -> None:
    """Beside the control plane: mixed instances, spot instances, a warm pool with its hook, volumes and labels."""
    store = ClusterStore.open(STORE, NAME)
    nodes = next(group for group in store.read()[1] if group.metadata.name == NODES)
    groups = {name: codec.copy(nodes) for name in (NODES, "spot", "warm")}
    mixed = groups[NODES].spec
    mixed.max_size = 3
    mixed.mixed_instances_policy = MixedInstancesPolicySpec(
        instances=["t3.medium", "t3.large"],
        on_demand_base=1,
        on_demand_above_base=0,
        spot_allocation_strategy="capacity-optimized",
    )
    groups["spot"].spec.max_price = "0.05"
    groups["spot"].spec.cloud_labels = {"team": "batch"}
    groups["warm"].spec.warm_pool = WarmPoolSpec(min_size=0, max_size=2, enable_lifecycle_hook=True)
    for name, group in groups.items():
        group.metadata.name = name
        group.spec.node_labels["kops.k8s.io/instancegroup"] = name
        store.write_group(group)


def store_groups_without_instances(account: Account) -> None:
    """moto cannot start an instance in a subnet that has IPv6 only."""
    for name in (NODES, f"control-plane-{ZONES[0]}"):
        account.change_group(name, min_size=0, max_size=0)


# What has to be done before, in the account or in the store. Account first: an inventory is taken in between.
IN_THE_ACCOUNT: dict[str, Callable[[Account], None]] = {
    "dns-public": lambda account: hosted_zone(account, private=False),
    "dns-public-private": lambda account: hosted_zone(account, private=False),
    "dns-without-balancer": lambda account: hosted_zone(account, private=False),
    "dns-private": lambda account: hosted_zone(account, private=True),
}
IN_THE_STORE: dict[str, Callable[[Account], None]] = {
    "groups": store_groups_of_all_kinds,
    "ipv6-private": store_groups_without_instances,
}


@pytest.mark.parametrize(
    "kind", [kind if kind in ("minimal", "ha") else pytest.param(kind, marks=pytest.mark.long) for kind in CLUSTERS]
)
def test_life_of_a_cluster(account: Account, kind: str) -> None:
    IN_THE_ACCOUNT.get(kind, lambda account: None)(account)
    untouched = account.inventory()
    account.create(**CLUSTERS[kind])
    IN_THE_STORE.get(kind, lambda account: None)(account)

    before = account.inventory()
    with account.server.recorded() as calls:
        planned = account.update(check=True)
    assert planned.changed
    assert account.writes(calls) == []
    assert account.inventory() == before

    applied = account.update()
    assert applied.plan.id == planned.plan.id
    assert account.untagged(before) == []
    CHECKS[kind](account)

    for check in (True, False):
        with account.server.recorded() as calls:
            again = account.update(check=check)
        assert again.plan.text().startswith("Nothing to do"), again.plan.text()
        assert not again.changed
        assert account.writes(calls) == []

    existing = account.inventory()
    with account.server.recorded() as calls:
        listed = account.delete(check=True)
    assert account.writes(calls) == []
    assert account.inventory() == existing
    deleted = account.delete()
    assert deleted.changed
    assert {each["id"] for each in listed.resources} <= {each["id"] for each in deleted.resources}
    assert account.inventory() == untouched
    with account.server.recorded() as calls:
        assert not account.delete().changed
    assert account.writes(calls) == []


# -- what is special about each kind ---------------------------------------------------------------------------------


def _subnets(account: Account) -> dict[str, Any]:
    """The cluster's subnets, by name without the cluster's."""
    found = account.client("ec2").describe_subnets(Filters=[{"Name": "tag:KubernetesCluster", "Values": [NAME]}])
    named = {_tag(subnet, "Name").removesuffix(f".{NAME}"): subnet for subnet in found["Subnets"]}
    return dict(sorted(named.items()))


def _groups(account: Account) -> dict[str, Any]:
    """The cluster's scaling groups, by name without the cluster's."""
    found = account.client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    return {group["AutoScalingGroupName"].removesuffix(f".{NAME}").removesuffix(".masters"): group for group in found}


def _template(account: Account, group: str) -> dict[str, Any]:
    """What the newest version of a group's launch template says."""
    name = next(name for name in account.inventory()["launch templates"] if name.startswith(f"{group}."))
    versions = account.client("ec2").describe_launch_template_versions(LaunchTemplateName=name, Versions=["$Latest"])
    data: dict[str, Any] = versions["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    return data


def _load_balancers(account: Account) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = account.client("elbv2").describe_load_balancers()["LoadBalancers"]
    return found


def _records(account: Account) -> list[str]:
    """The A and AAAA records of the account."""
    return [record for record in account.inventory()["DNS records"] if record.endswith((" A", " AAAA"))]


def _tag(item: dict[str, Any], key: str) -> str:
    return next((tag["Value"] for tag in item["Tags"] if tag["Key"] == key), "")


def _minimal(account: Account) -> None:
    assert set(_groups(account)) == {f"control-plane-{ZONES[0]}", NODES}
    assert list(_subnets(account)) == [ZONES[0]]
    assert len(account.inventory()["volumes"]) >= 2
    assert _records(account) == []


def _ha(account: Account) -> None:
    zones = {name: group["AvailabilityZones"] for name, group in _groups(account).items()}
    assert zones == {f"{role}-{zone}": [zone] for role in ("control-plane", "nodes") for zone in ZONES}
    names = {_tag(volume, "Name") for volume in account.client("ec2").describe_volumes()["Volumes"] if "Tags" in volume}
    members = {f"{zone[-1]}.etcd-{which}.{NAME}" for which in ("main", "events") for zone in ZONES}
    assert members <= names


def _private(account: Account) -> None:
    _ha_zones = {f"{kind}{zone}" for kind in ("", "utility-") for zone in ZONES}
    assert set(_subnets(account)) == _ha_zones
    assert len(account.inventory()["NAT gateways"]) == len(ZONES)
    assert "bastions" in _groups(account)
    interface = _template(account, NODES)["NetworkInterfaces"][0]
    assert not interface["AssociatePublicIpAddress"]
    # One for the API, one for the bastion.
    assert len(_load_balancers(account)) == 2


def _dns_public(account: Account) -> None:
    names = [
        f"api.{NAME}. A",
        f"api.{NAME}. AAAA",
        *(f"{name}.internal.{NAME}. A" for name in ("api", "kops-controller")),
    ]
    assert _records(account) == names
    assert [balancer["Scheme"] for balancer in _load_balancers(account)] == ["internet-facing"]


def _dns_without_balancer(account: Account) -> None:
    assert _records(account) == [f"{name}.{NAME}. A" for name in ("api", "api.internal", "kops-controller.internal")]
    assert _load_balancers(account) == []


def _dns_private(account: Account) -> None:
    assert f"api.{NAME}. A" in _records(account)
    assert [balancer["Scheme"] for balancer in _load_balancers(account)] == ["internal"]
    zone = account.client("route53").list_hosted_zones()["HostedZones"][0]["Id"]
    attached = {vpc["VPCId"] for vpc in account.client("route53").get_hosted_zone(Id=zone)["VPCs"]}
    assert _subnets(account)[ZONES[0]]["VpcId"] in attached


def _ipv6(account: Account) -> None:
    assert all(subnet["Ipv6CidrBlockAssociationSet"] for subnet in _subnets(account).values())


def _ipv6_private(account: Account) -> None:
    _ipv6(account)
    assert len(account.inventory()["egress-only gateways"]) == 1


def _all_kinds_of_groups(account: Account) -> None:
    groups = _groups(account)
    mixed = groups[NODES]["MixedInstancesPolicy"]
    assert [each["InstanceType"] for each in mixed["LaunchTemplate"]["Overrides"]] == ["t3.medium", "t3.large"]
    assert mixed["InstancesDistribution"]["OnDemandBaseCapacity"] == 1
    assert mixed["InstancesDistribution"]["SpotAllocationStrategy"] == "capacity-optimized"
    market = _template(account, "spot")["InstanceMarketOptions"]
    assert (market["MarketType"], market["SpotOptions"]["MaxPrice"]) == ("spot", "0.05")
    assert _tag(groups["spot"], "team") == "batch"
    autoscaling, warm = account.client("autoscaling"), f"warm.{NAME}"
    pool = autoscaling.describe_warm_pool(AutoScalingGroupName=warm)["WarmPoolConfiguration"]
    assert (pool["MinSize"], pool["MaxGroupPreparedCapacity"]) == (0, 2)
    hooks = autoscaling.describe_lifecycle_hooks(AutoScalingGroupName=warm)["LifecycleHooks"]
    assert "autoscaling:EC2_INSTANCE_LAUNCHING" in {hook["LifecycleTransition"] for hook in hooks}


def _network(account: Account) -> None:
    vpc = _subnets(account)[ZONES[0]]["VpcId"]
    found = account.client("ec2").describe_vpcs(VpcIds=[vpc])["Vpcs"][0]["CidrBlockAssociationSet"]
    assert {each["CidrBlock"] for each in found} == {"10.20.0.0/16", "10.21.0.0/16"}
    assert _subnets(account)[f"{ZONES[0]}-1"]["CidrBlock"] == "10.21.0.0/16"


CHECKS: dict[str, Callable[[Account], None]] = {
    "minimal": _minimal,
    "ha": _ha,
    "private": _private,
    "dns-public": _dns_public,
    "dns-public-private": _dns_public,
    "dns-without-balancer": _dns_without_balancer,
    "dns-private": _dns_private,
    "ipv6": _ipv6,
    "ipv6-private": _ipv6_private,
    "groups": _all_kinds_of_groups,
    "network": _network,
}


# -- changes ---------------------------------------------------------------------------------------------------------


def test_scaling_a_group_plans_and_writes_only_that(account: Account) -> None:
    account.create(zones=ZONES[:1])
    account.update()
    account.change_group(NODES, min_size=2, max_size=4)
    planned = account.update(check=True)
    assert [(entry["task"], entry["action"]) for entry in planned.plan.as_data()] == [
        (f"AutoscalingGroup/{NODES}.{NAME}", "update")
    ]
    assert planned.plan.as_data()[0]["before"] == {"max_size": 1, "min_size": 1}
    assert planned.plan.as_data()[0]["after"] == {"max_size": 4, "min_size": 2}
    account.update(plan_id=planned.plan.id)
    (group,) = account.client("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[f"{NODES}.{NAME}"])[
        "AutoScalingGroups"
    ]
    assert (group["MinSize"], group["MaxSize"]) == (2, 4)
    assert not account.update().changed


def test_shared_network_is_left_alone(account: Account) -> None:
    ec2 = account.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.20.0.0/16")["Vpc"]["VpcId"]
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(VpcId=vpc, InternetGatewayId=gateway)
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.20.1.0/24", AvailabilityZone=ZONES[0])["Subnet"]["SubnetId"]
    group = ec2.create_security_group(GroupName="ours", Description="ours", VpcId=vpc)["GroupId"]
    before = account.inventory()
    account.create(zones=ZONES[:1], network_id=vpc, subnets=[subnet])
    account.change_group(NODES, additional_security_groups=[group])
    account.update()
    assert group in _template(account, NODES)["NetworkInterfaces"][0]["Groups"]
    assert len(account.inventory()["VPCs"]) == len(before["VPCs"])
    assert not account.update().changed
    account.delete()
    assert account.inventory() == before


def _open_to_everybody(account: Account) -> list[str]:
    """The rules of the cluster's groups that let anybody in."""
    ec2 = account.client("ec2")
    owned = [{"Name": f"tag:kubernetes.io/cluster/{NAME}", "Values": ["owned"]}]
    groups = [each["GroupId"] for each in ec2.describe_security_groups(Filters=owned)["SecurityGroups"]]
    found = ec2.describe_security_group_rules(Filters=[{"Name": "group-id", "Values": groups}])["SecurityGroupRules"]
    incoming = [rule for rule in found if not rule["IsEgress"]]
    return [f"{rule['GroupId']} {rule['FromPort']}" for rule in incoming if rule.get("CidrIpv4") == "0.0.0.0/0"]


@pytest.mark.long
def test_access_that_is_narrowed_is_closed_by_the_update(account: Account) -> None:
    account.create(zones=ZONES[:1], api_loadbalancer_type="public", topology="public")
    store = ClusterStore.open(STORE, NAME)
    cluster, _unused = store.read()
    everybody = ["0.0.0.0/0"]
    cluster.spec.ssh_access = cluster.spec.api.access = cluster.spec.node_port_access = everybody
    store.write_cluster(cluster)
    account.update()
    assert len(_open_to_everybody(account)) > 4
    cluster.spec.ssh_access = cluster.spec.api.access = cluster.spec.node_port_access = ["198.51.100.0/24"]
    store.write_cluster(cluster)
    planned = account.update(check=True).plan.text()
    assert "(the specification does not have it any more)" in planned
    account.update()
    assert _open_to_everybody(account) == []
    again = account.update()
    assert not again.changed and again.plan.text().startswith("Nothing to do: all ")


def test_terraform_is_given_nothing_that_a_direct_run_refuses(account: Account, tmp_path: pathlib.Path) -> None:
    """The volumes of etcd stay in their zone: Terraform would destroy them, and make empty ones elsewhere."""
    account.create(zones=ZONES[:2], control_plane_zones=ZONES[:1])
    account.update()
    out = tmp_path / "out"
    written = account.update(check=True, target="terraform", out=str(out))
    assert "kubernetes.tf" in written.files
    account.change_group(f"control-plane-{ZONES[0]}", subnets=[ZONES[1]])
    before = account.stored()
    moved = rf"EBSVolume/a.etcd-main.{NAME} exists and cannot be changed in place \(.*{ZONES[0]} -> {ZONES[1]}\)"
    for check in (True, False):
        with pytest.raises(KopsError, match=moved):
            account.update(check=check)
        with pytest.raises(KopsError, match=f"{moved}; Terraform would destroy it"):
            account.update(check=check, target="terraform", out=str(out))
    assert not out.exists() and account.stored() == before


def test_an_approved_plan_is_applied_or_nothing(account: Account) -> None:
    account.create(zones=ZONES[:1])
    before = account.inventory()
    refused = account.update(plan_id="0123456789abcdef")
    assert "the approved plan 0123456789abcdef is not what would be done now" in refused.refused
    assert refused.plan.changed and not refused.changed
    assert account.inventory() == before


def test_pruning_deletes_old_launch_template_versions(account: Account) -> None:
    account.create(zones=ZONES[:1])
    account.update()
    account.change_group(NODES, machine_type="t3.large")
    account.update()
    template = f"{NODES}.{NAME}"
    ec2 = account.client("ec2")
    versions = ec2.describe_launch_template_versions(LaunchTemplateName=template)["LaunchTemplateVersions"]
    assert len(versions) == 2
    planned = account.update(check=True, prune=True)
    assert [entry["action"] for entry in planned.plan.as_data()] == ["delete"]
    account.update(prune=True)
    (left,) = ec2.describe_launch_template_versions(LaunchTemplateName=template)["LaunchTemplateVersions"]
    assert left["LaunchTemplateData"]["InstanceType"] == "t3.large"
    assert not account.update(prune=True).changed


def _node_files(account: Account) -> set[str]:
    """The NodeConfigs and programs in the state store."""
    listed = account.client("s3").list_objects_v2(Bucket=BUCKET, Prefix=f"{NAME}/igconfig/")["Contents"]
    names = {each["Key"].partition("/igconfig/")[2] for each in listed}
    return {name for name in names if "/nodeconfig/" in name or name.startswith("node-program/")}


@pytest.mark.long
def test_pruning_deletes_node_files_that_no_instance_needs(account: Account) -> None:
    """An instance of the first update is there until the end; that of the second one is gone."""
    account.create(zones=ZONES[:1])
    account.update()
    ec2, autoscaling = account.client("ec2"), account.client("autoscaling")
    first = _node_files(account)
    added: list[set[str]] = []
    for value in (1, 2):
        store = ClusterStore.open(STORE, NAME)
        cluster, _groups = store.read()
        cluster.spec.sysctl_parameters = [f"vm.swappiness={value}"]
        store.write_cluster(cluster)
        before = _node_files(account)
        account.update()
        added.append(_node_files(account) - before)
    second, third = added
    program = {name for name in first if name.startswith("node-program/")}
    assert len(program) == 1 and len(first) == 3 and len(second) == len(third) == 2
    assert not [each for each in account.update(check=True).plan.as_data() if each["kind"] == "NodeFile"]
    planned = [each for each in account.update(check=True, prune=True).plan.as_data() if each["kind"] == "NodeFile"]
    assert {each["name"].removeprefix("igconfig/") for each in planned} == second
    account.update(prune=True)
    assert _node_files(account) == first | third
    assert not account.update(prune=True).changed
    # One of the two instances of the first update is replaced; a group without instances keeps what it would start.
    group = f"{NODES}.{NAME}"
    autoscaling.update_auto_scaling_group(AutoScalingGroupName=group, MinSize=0, DesiredCapacity=0)
    named = {name for name in first if f"/{NODES}/" in name}
    account.update(prune=True)
    assert _node_files(account) == (first - named) | third
    wanted = [{"Name": "tag:aws:autoscaling:groupName", "Values": [f"control-plane-{ZONES[0]}.masters.{NAME}"]}]
    (reservation,) = ec2.describe_instances(Filters=wanted)["Reservations"]
    ec2.terminate_instances(InstanceIds=[each["InstanceId"] for each in reservation["Instances"]])
    account.update(prune=True)
    assert _node_files(account) == program | third


def test_an_instance_that_starts_during_an_update_keeps_its_files(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    account.create(zones=ZONES[:1])
    account.update()
    name = "igconfig/node/nodes/nodeconfig/" + "a" * 64 + ".json"
    other = name.replace("a" * 64, "b" * 64)
    for each in (name, other):
        account.client("s3").put_object(Bucket=BUCKET, Key=f"{NAME}/{each}", Body=b"{}")
    ask, asked = AWSLooking.user_data_in_use, []

    def meanwhile(looking: AWSLooking, cloud: AWSCloud) -> list[str]:
        asked.append(1)
        return [*ask(looking, cloud), *(["a" * 64] if len(asked) > 1 else [])]

    monkeypatch.setattr(AWSLooking, "user_data_in_use", meanwhile)
    account.update(prune=True)
    assert {f"igconfig/{each}" for each in _node_files(account)} & {name, other} == {name}
    assert len(asked) == 2


def _remove_group(account: Account, *names: str) -> None:
    remove_groups(StoreOptions(account.store), account.name, names)


def test_what_removed_groups_have_left_is_deleted_and_nothing_else(account: Account) -> None:
    account.create(zones=ZONES[:1])
    account.update()
    without = account.inventory()
    store_groups_of_all_kinds(account)
    account.change_group(NODES, mixed_instances_policy=None, max_size=1)
    account.update()
    assert account.inventory() != without
    _remove_group(account, "spot", "warm")

    existing = account.inventory()
    with account.server.recorded() as calls:
        planned = account.update(check=True)
    assert account.writes(calls) == []
    assert account.inventory() == existing
    # No node waits in a warm pool any more, and none needs the permission to say so.
    steps = [(entry["task"], entry["action"]) for entry in planned.plan.as_data()]
    assert [step for step in steps if step[1] != "delete"] == [
        (f"IAMRolePolicy/nodes.{NAME}", "update"),
        ("ManagedFile/controllers", "update"),
    ]
    deleted = [step for step in steps if step[1] == "delete"]
    assert deleted == [
        (f"{kind}/{name}.{NAME}", "delete")
        for kind in ("AutoscalingGroup", "LaunchTemplate")
        for name in ("spot", "warm")
    ]
    why = "its instance group warm is not in the state store any more; 1 instance will be ended"
    assert f"- AutoscalingGroup/warm.{NAME} ({why})" in " ".join(planned.plan.text().split())

    applied = account.update(plan_id=planned.plan.id)
    assert applied.plan.summary()["delete"] == len(deleted)
    left = account.inventory()
    # Node configurations stay in the store, as in kops, until the cluster is deleted.
    assert set(left.pop("stored files")) >= set(without.pop("stored files"))
    assert left == without
    assert not account.update().changed


def test_the_last_bastion_takes_its_role_along(account: Account) -> None:
    account.create(zones=ZONES[:1], topology="private", bastion=True)
    account.update()
    _remove_group(account, "bastions")
    planned = account.update(check=True).plan
    gone = {entry["task"] for entry in planned.as_data() if "instance group" in entry["reason"]}
    kinds = ("AutoscalingGroup", "LaunchTemplate", "IAMRole", "IAMInstanceProfile")
    assert gone == {f"{kind}/bastions.{NAME}" for kind in kinds}
    account.update(plan_id=planned.id)
    left = account.inventory()
    for kind in ("scaling groups", "launch templates", "IAM roles", "instance profiles"):
        assert f"bastions.{NAME}" not in left[kind]
    assert not account.update().changed


def test_another_network_is_refused_unless_it_is_asked_for(account: Account) -> None:
    account.create(zones=ZONES[:1], networking="cilium")
    account.update()
    before, store = account.inventory(), ClusterStore.open(STORE, NAME)
    cluster, _groups = store.read()
    cluster.spec.networking.cilium, cluster.spec.networking.kindnet = None, KindnetNetworkingSpec()
    store.write_cluster(cluster)
    for check in (True, False):
        with account.server.recorded() as calls, pytest.raises(ValidationError) as refused:
            account.update(check=check)
        assert "spec.networking: the cluster runs cilium, which would be replaced by kindnet" in str(refused.value)
        assert account.writes(calls) == []
    assert account.inventory() == before
    assert account.update(allow_network_change=True).changed
    assert not account.update().changed


def test_the_group_of_an_etcd_member_is_not_taken_down(account: Account) -> None:
    account.create(zones=ZONES, control_plane_count=3)
    account.update()
    group = f"control-plane-{ZONES[2]}"
    # kops itself removes such a group.
    ClusterStore.open(STORE, NAME).remove_group(group)
    before = account.inventory()
    for check in (True, False):
        with pytest.raises(ValidationError) as refused:
            account.update(check=check)
        for index, etcd in enumerate(("main", "events")):
            where = f"spec.etcdClusters[{index}].etcdMembers[2].instanceGroup"
            assert f"{where}: member c of etcd cluster {etcd} is in an instance group that" in str(refused.value)
    assert account.inventory() == before


def test_members_of_running_etcd_clusters_stay(account: Account) -> None:
    """Whoever writes the store, by the last update there are three members."""
    account.create(zones=ZONES, control_plane_count=3)
    account.update()
    stay = (
        "members cannot be removed (main: {0}; events: {0}): nothing takes a member out of etcd before its instance "
        "ends; control planes can be added and replaced, and a new cluster can have fewer"
    )
    with pytest.raises(ValidationError) as kept:
        _remove_group(account, group := f"control-plane-{ZONES[2]}")
    assert [str(problem) for problem in kept.value.errors] == [f"{group}: etcd {stay.format('c')}"]
    store = ClusterStore.open(STORE, NAME)
    cluster, _groups = store.read()
    for etcd in cluster.spec.etcd_clusters:
        etcd.etcd_members = etcd.etcd_members[:1]
    store.write_cluster(cluster)
    for zone in ZONES[1:]:
        store.remove_group(f"control-plane-{zone}")
    before = account.inventory()
    for allowed in (False, True):
        with account.server.recorded() as calls, pytest.raises(ValidationError) as refused:
            account.update(prune=True, allow_network_change=allowed)
        assert [str(problem) for problem in refused.value.errors] == [f"spec.etcdClusters: {stay.format('b, c')}"]
        assert account.writes(calls) == []
    assert account.inventory() == before


@pytest.mark.long
def test_only_the_chosen_groups_are_updated(account: Account) -> None:
    account.create(zones=ZONES[:1])
    account.update()
    store_groups_of_all_kinds(account)
    for name in (NODES, f"control-plane-{ZONES[0]}"):
        account.change_group(name, mixed_instances_policy=None, max_size=1, detailed_instance_monitoring=True)
    chosen = account.update(check=True, instance_groups=[NODES])
    # The role of all nodes is shared: it is made fit for the warm pool of another group.
    shared = f"IAMRolePolicy/nodes.{NAME}"
    assert {entry["task"] for entry in chosen.plan.as_data()} == {f"LaunchTemplate/{NODES}.{NAME}", shared}
    account.update(instance_groups=[NODES], plan_id=chosen.plan.id)
    assert not account.update(instance_groups=[NODES]).changed
    assert set(_groups(account)) == {NODES, f"control-plane-{ZONES[0]}"}

    planned = account.update(check=True, instance_group_roles=["nodes"])
    assert {f"AutoscalingGroup/{name}.{NAME}" for name in ("spot", "warm")} <= {
        entry["task"] for entry in planned.plan.as_data()
    }
    assert not any("control-plane" in entry["task"] for entry in planned.plan.as_data())
    account.update()
    _remove_group(account, "spot")
    assert not account.update(instance_group_roles=["node"]).changed
    assert account.update(check=True).changed

    for options, said in (
        ({"instance_groups": ["nods"]}, f"no instance group 'nods'; there are control-plane-{ZONES[0]}, {NODES}, warm"),
        ({"instance_groups": [NODES], "target": "terraform", "out": "/nowhere"}, "are for target direct"),
    ):
        with pytest.raises(KopsError, match=said):
            account.update(**options)


def test_a_bucket_without_versioning_is_warned_of_by_what_writes(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A process asks a bucket once.
    monkeypatch.setattr(s3, "_BUCKETS", {})
    account.client("s3").put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Suspended"})
    said = f"the bucket {BUCKET} has no versioning"
    assert said in str(account.create(zones=ZONES[:1], check=True)["warnings"])
    created = account.create(zones=ZONES[:1])
    assert said in str(created["warnings"])
    monkeypatch.setattr(s3, "_BUCKETS", {})
    with account.server.recorded() as calls:
        assert said in str(account.update(check=True).plan.warnings)
    assert calls["s3.Get.versioning"] == 1
    wanted = sort_objects(manifest.load(created["manifest"]), NAME)
    assert said in str(put(StoreOptions(STORE), wanted, check=True).warnings)

    monkeypatch.setattr(s3, "_BUCKETS", {})
    account.client("s3").put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    assert "versioning" not in str(account.create(zones=ZONES[:1]))
    assert "versioning" not in str(account.update(check=True).plan.warnings)


def test_a_name_that_is_cut_at_a_hyphen_is_that_of_kops(account: Account) -> None:
    """Then a target group has two hyphens in its name, before the hash. AWS only refuses hyphens at an end."""
    account.name = "abcdefgh.example.com"
    account.create(zones=ZONES[:1])
    assert account.update(check=True).changed
    account.update()
    groups = account.client("elbv2").describe_target_groups()["TargetGroups"]
    # kops makes it so in awsup.GetResourceName32.
    assert "kops-controller-abcdefgh--fprkrc" in {group["TargetGroupName"] for group in groups}
    assert not account.update().changed
