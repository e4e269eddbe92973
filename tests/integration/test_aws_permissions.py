# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The AWS permissions that docs/aws-permissions.md asks for: all that the playbooks need, and no more.

Operations are run in this process, and each call of the SDK is noted with the IAM actions that AWS checks for it. What
moto cannot be brought to ask for is taken from the source of the operations.

KOPS_WRITE_POLICIES=1 writes the actions that were found into the documents.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import pathlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import botocore
import botocore.loaders
import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.common import WarmPoolSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.kubelet import KubeletConfigSpec
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.provider import AWSProvider
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.export import Options
from ansible_collections.kubeops.kops.plugins.module_utils.operations.cluster_api.export import (
    ExportOptions,
    export_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.look import DriftOptions, look_for_drift
from ansible_collections.kubeops.kops.plugins.module_utils.operations.dump.dump import DumpOptions, dump
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.read import ReportOptions, read_report
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.instances import (
    InstancesOptions,
    read_instances,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.validation import (
    CloudExpectation,
    CloudValidator,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, remove_groups
from ansible_collections.kubeops.kops.plugins.modules import (
    assets_info,
    cluster,
    cluster_info,
    delete_instance,
    instance_selector,
    instancegroup,
    instancegroup_info,
    keypair,
    keypair_info,
    kubeconfig,
    rolling_update,
    secret,
    ssh_public_key,
    upgrade_cluster,
)
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import run_here
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.integration.conftest import (
    BUCKET,
    NAME,
    PUBLIC_KEY,
    Account,
    fresh_account,
)
from ansible_collections.kubeops.kops.tests.integration.test_aws_cluster import (
    CLUSTERS,
    IN_THE_ACCOUNT,
    IN_THE_STORE,
    NODES,
    ZONES,
)
from ansible_collections.kubeops.kops.tests.support.aws_checks import (
    APICall,
    Check,
    action_of,
    actions_of,
    allows,
    calls_to_aws,
    checks_of,
    is_reading,
)
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.permissions_page import playbooks_and_documents

pytestmark = pytest.mark.long

PAGE = ROOT / "docs" / "aws-permissions.md"
DOCUMENTS = ROOT / "docs" / "aws-permissions"
PLAYBOOKS = sorted(path.stem for path in (ROOT / "playbooks").glob("*.yml"))


class Scenario:
    """What users do with clusters: the calls by document of docs/aws-permissions."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.calls: dict[str, list[APICall]] = defaultdict(list)

    def run(self, document: str, step: Callable[[], Any]) -> Any:
        with calls_to_aws() as made:
            result = step()
        self.calls[document] += made
        return result

    def module(self, document: str, module: Any, **arguments: Any) -> None:
        result = self.run(document, lambda: run_here(module, arguments, check=False))
        assert not result.get("failed"), result["msg"]

    def life(self, kind: str) -> None:
        IN_THE_ACCOUNT.get(kind, lambda account: None)(self.account)
        self.run("apply", lambda: self.account.create(**KINDS[kind]))
        IN_THE_STORE.get(kind, lambda account: None)(self.account)
        self.run("apply", self.account.update)
        self.changes(kind)
        self.run("apply", self.account.update)
        self.run("delete", self.account.delete)

    def life_in_a_network_of_others(self) -> None:
        """Private subnets and their utility subnets exist, and with them all that they need."""
        ec2 = self.account.client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.20.0.0/16")["Vpc"]["VpcId"]
        ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
        gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        ec2.attach_internet_gateway(VpcId=vpc, InternetGatewayId=gateway)
        subnets = [
            ec2.create_subnet(VpcId=vpc, CidrBlock=cidr, AvailabilityZone=ZONES[0])["Subnet"]["SubnetId"]
            for cidr in ("10.20.1.0/24", "10.20.2.0/24")
        ]
        given = {"network_id": vpc, "subnets": subnets[:1], "utility_subnets": subnets[1:], "topology": "private"}
        self.run("apply", lambda: self.account.create(zones=ZONES[:1], **given))
        self.run("apply", self.account.update)
        self.run("delete", self.account.delete)

    def life_of_a_stack(self) -> None:
        """What CloudFormation is asked; what it does with these credentials are the calls of the other documents."""
        self.account.create(**KINDS["groups"])
        with calls_to_aws() as made:
            self.account.update(target="cloudformation", apply=True)
            self.account.change_group(NODES, max_size=4)
            self.account.update(target="cloudformation", apply=True)
            self.account.delete()
        self.calls["stacks"] += [call for call in made if call.service == "cloudformation"]

    def changes(self, kind: str) -> None:
        """Changes of a cluster, and what else is done with it."""
        self.run("instances", lambda: read_instances(InstancesOptions(self.account.store, NAME, source="cloud")))
        drift = DriftOptions(self.account.store, NAME, api_server="127.0.0.1:1")
        assert self.run("drift", lambda: look_for_drift(drift)).found == [], kind
        file = os.path.join(os.path.dirname(os.environ["KUBECONFIG"]), "cluster-api.yaml")
        self.run("drift", lambda: export_cluster(ExportOptions(self.account.store, NAME, file, Options())))
        if kind == "private":
            remove_groups(StoreOptions(self.account.store), NAME, ["bastions"])
        if kind == "groups":
            self.run("validate", lambda: CloudValidator.open(CloudExpectation(self.account.store, NAME)).look())
            out = os.path.dirname(os.environ["KUBECONFIG"])
            self.run("dump", lambda: dump(DumpOptions(self.account.store, NAME, out, api_server="127.0.0.1:1")))
            self.run("report", lambda: read_report(ReportOptions(self.account.store, NAME, api_server="127.0.0.1:1")))
            self.roll()
            self.account.change_group(NODES, max_size=4, cloud_labels={"team": "batch"})
            self.account.change_group("warm", warm_pool=WarmPoolSpec(max_size=0))
            self.account.change_group("spot", cloud_labels={}, node_labels={"team": "batch"})
            self.run("apply", lambda: self.account.update(prune=True))
            for state in ("present", "absent"):
                self.module("store-write", secret, name="dockerconfig", value='{"auths": {}}', state=state)
            self.module("store-write", keypair, keyset="kubernetes-ca", primary=True)
            self.module("store-write", ssh_public_key, public_key=PUBLIC_KEY)
            self.module("store-write", cluster, name=NAME, set=["spec.sshAccess=10.0.0.0/8"])
            self.module("store-write", instancegroup, cluster_name=NAME, name=NODES, set=["spec.minSize=1"])
            self.module("groups", instancegroup, cluster_name=NAME, name="more", role="node")
            self.module("groups", instance_selector, cluster_name=NAME, name="chosen", vcpus=2, memory="8gb")
            self.module("groups", instance_selector, name="like", base_instance_type="m5.large")
            self.module("groups", instancegroup, cluster_name=NAME, name=["chosen", "like", "more"], state="absent")
            self.module("store-read", cluster_info, full=True)
            self.module("store-read", instancegroup_info)
            self.module("store-read", keypair_info)
            self.module("store-read", kubeconfig, path=os.environ["KUBECONFIG"], api_server="192.0.2.1")
            self.module("assets", assets_info)
            self.module("apply", upgrade_cluster)

    def roll(self) -> None:
        """Workers of one group, and what is done to them only with an API of Kubernetes."""
        self.account.change_group(NODES, kubelet=KubeletConfigSpec(max_pods=42))
        self.account.update(instance_groups=[NODES])
        cloud, provider = AWSProvider().open(Place(ZONES[0][:-1]), NAME), AWSProvider()
        machine = self.run("roll", lambda: provider.looking.machines(cloud, why=True))[NODES][0]
        self.run("roll", lambda: provider.replacing.detach(cloud, machine))
        self.run("roll", lambda: CloudValidator.open(CloudExpectation(self.account.store, NAME)).look())
        self.module("roll", rolling_update, name=NAME, cloudonly=True, instance_groups=[NODES])
        machine = provider.looking.machines(cloud)[NODES][0]
        self.run("roll", lambda: (provider.looking.impaired(cloud), provider.looking.existing(cloud, [machine.name])))
        self.module("roll", delete_instance, name=NAME, cloudonly=True, instances=[machine.name], replace=False)


# Between them, they have objects of nearly all kinds.
KINDS: dict[str, dict[str, Any]] = {
    **{kind: CLUSTERS[kind] for kind in ("groups", "private", "dns-private", "ipv6-private")},
    "oidc": {"zones": ZONES[:1], "discovery_store": f"s3://{BUCKET}/discovery"},
}


@pytest.fixture(scope="module")
def noted(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[APICall]]:
    """The calls, by document."""
    calls: dict[str, list[APICall]] = defaultdict(list)
    with pytest.MonkeyPatch.context() as monkeypatch:
        for kind in (*KINDS, ""):
            scenario = Scenario(fresh_account(server, monkeypatch, tmp_path_factory.mktemp("account")))
            if kind:
                scenario.life(kind)
            else:
                scenario.life_in_a_network_of_others()
                scenario.life_of_a_stack()
            for document, made in scenario.calls.items():
                calls[document] += made
    return calls


# -- what the source says --------------------------------------------------------------------------------------------

AWS = ROOT / "plugins" / "module_utils" / "cloud" / "aws"
S3_SOURCE = ROOT / "plugins" / "module_utils" / "statestore" / "vfs" / "s3.py"
SERVICES = ("autoscaling", "cloudformation", "ec2", "elb", "elbv2", "events", "iam", "route53", "sqs", "ssm", "sts")


@functools.cache
def methods(service: str) -> dict[str, str]:
    """The methods of a service's client: name -> operation."""
    model = botocore.loaders.Loader().load_service_model(service, "service-2")
    return {botocore.xform_name(operation): operation for operation in model["operations"]}


def named_in(path: pathlib.Path, services: Iterable[str]) -> set[tuple[str, str]]:
    """(service, operation) of all operations that a source file calls by name, or names in a text."""
    tree = list(ast.walk(ast.parse(path.read_text())))
    words = {node.attr for node in tree if isinstance(node, ast.Attribute)}
    texts = {node.value for node in tree if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    known = [service for service in services if service in texts] or list(services)
    found = set()
    for word in words | texts:
        having = [service for service in services if word in methods(service)]
        # Several services have operations of this name: it is one of those that the file names.
        having = [service for service in having if service in known] or having
        found |= {(service, methods(service)[word]) for service in having}
    return found


@functools.cache
def in_the_source(document: str) -> frozenset[str]:
    """Actions for all operations that the source has for a document."""
    deleting, shared = [*(AWS / "resources").glob("*.py")], [AWS / "cloud.py"]
    # What is in the way of a deletion, only the deletion asks.
    finding = [path for path in deleting if path.name != "in_the_way.py"]
    rolling = [AWS / "machines.py", AWS / "replacing.py", AWS / "states.py"]
    dumping = [AWS / "described.py"]
    stacks = [*(AWS / "stacks").glob("*.py")]
    applying = [path for path in AWS.rglob("*.py") if path not in (*deleting, *rolling, *dumping, *stacks)]
    validating = [AWS / "instances.py", AWS / "ingress.py"]
    # Neither consoles nor the user data of instances are read.
    unread = (AWS / "instances.py", AWS / "user_data.py")
    comparing = [*(path for path in applying if path not in unread), *finding, AWS / "machines.py"]
    files = {
        "apply": applying,
        "delete": [*deleting, *shared],
        "groups": [AWS / "facts.py", AWS / "machine_types.py", *shared],
        "roll": [*rolling, *validating],
        "validate": validating,
        "dump": [*dumping, *validating],
        "drift": comparing,
        "report": [*applying, *comparing],
        "stacks": stacks,
    }.get(document, [])
    calls = {call for path in files for call in named_in(path, SERVICES)}
    if document == "dump":
        # All that a cluster has is found as for its deletion.
        calls |= {call for path in finding for call in named_in(path, SERVICES) if is_reading(call[1])}
    if document in ("drift", "report"):
        calls = {call for call in calls if is_reading(call[1])}
    if document in ("apply", "delete", "groups", "store-write"):
        calls |= named_in(S3_SOURCE, ["s3"])
    if document == "stacks":
        # What CloudFormation calls with these credentials for a nested stack, as its schema says.
        calls |= {("cloudformation", f"{verb}Stack") for verb in ("Create", "Update", "Delete")}
    return frozenset(action for call in calls for action in actions_of(APICall(*call, {}, {})))


# -- the documents ---------------------------------------------------------------------------------------------------

# A managed policy has at most 6144 characters.
WITH_EC2 = ("autoscaling", "ec2", "elasticloadbalancing")


def document_of(playbook: str, action: str) -> str:
    """The document with an action that a playbook needs. playbook: as calls are noted."""
    return "apply-ec2" if playbook == "apply" and action.partition(":")[0] in WITH_EC2 else playbook


# kops names roles and instance profiles <part>.<cluster>; users may have profiles of other names, which are only read.
OWN = ["arn:aws:iam::*:role/*.CLUSTER", "arn:aws:iam::*:instance-profile/*.CLUSTER"]
SERVICES_WITH_ROLES = ["autoscaling.amazonaws.com", "elasticloadbalancing.amazonaws.com", "spot.amazonaws.com"]
TAG = "kubernetes.io/cluster/CLUSTER"
OWNED = {"StringEquals": {f"aws:ResourceTag/{TAG}": "owned"}}
USED = {"StringEquals": {f"aws:ResourceTag/{TAG}": ["owned", "shared"]}}
NEW = {"StringEquals": {f"aws:RequestTag/{TAG}": "owned"}}
# kops has route tables for subnets that it does not own.
NEW_FOR_OTHERS = {"StringEquals": {f"aws:RequestTag/{TAG}": "shared"}}


class Rule(NamedTuple):
    """A statement for the actions that a pattern matches and that no earlier rule has taken.

    Of several rules for the same actions (for different objects), all but the last one have more=True.
    """

    actions: str
    resource: str | list[str]
    condition: dict[str, Any] = {}
    more: bool = False
    but: bool = False  # for all objects but these


def ec2(*kinds: str) -> list[str]:
    return [f"arn:aws:ec2:*:*:{kind}/*" for kind in kinds]


RULES = [
    Rule("s3:(DeleteObject|GetObject|PutObject|PutObjectAcl)$", "arn:aws:s3:::BUCKET/*"),
    Rule("s3:", "arn:aws:s3:::BUCKET"),
    Rule(
        "iam:CreateServiceLinkedRole",
        "arn:aws:iam::*:role/aws-service-role/*",
        {"StringEquals": {"iam:AWSServiceName": SERVICES_WITH_ROLES}},
    ),
    Rule("iam:PassRole", OWN[0], {"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}}),
    Rule("iam:(?!List|Get).*(Role|InstanceProfile|PermissionsBoundary|AssumeRolePolicy)", OWN),
    Rule("iam:TagOpenIDConnectProvider", "arn:aws:iam::*:oidc-provider/*", OWNED, more=True),
    Rule("iam:(Create|Tag)OpenIDConnectProvider", "arn:aws:iam::*:oidc-provider/*", NEW),
    Rule("iam:(?!List|Get).*OpenIDConnectProvider", "arn:aws:iam::*:oidc-provider/*", OWNED),
    Rule("ssm:", "arn:aws:ssm:*::parameter/aws/service/*"),
    Rule("events:(Delete|Put|Remove|Tag)", "arn:aws:events:*:*:rule/CLUSTER-*"),
    Rule("sqs:(Create|Delete|Set|Tag)", "arn:aws:sqs:*:*:*-nth"),
    Rule("cloudformation:(Create|Delete|Execute|Update)", "arn:aws:cloudformation:*:*:stack/*"),
    Rule(
        "route53:ChangeResourceRecordSets",
        "arn:aws:route53:::hostedzone/*",
        {"ForAllValues:StringLike": {"route53:ChangeResourceRecordSetsNormalizedRecordNames": "*.CLUSTER"}},
    ),
    Rule(
        "ec2:(Import|Delete)KeyPair",
        ["arn:aws:ec2:*:*:key-pair/kubernetes.CLUSTER", "arn:aws:ec2:*:*:key-pair/kubernetes.CLUSTER-*"],
    ),
    # New objects have the tag from the start.
    Rule("ec2:CreateNatGateway", ec2("elastic-ip", "subnet", "vpc"), more=True),
    Rule("ec2:Create(EgressOnlyInternetGateway|RouteTable|SecurityGroup|Subnet)", ec2("vpc"), more=True),
    Rule("ec2:CreateRouteTable", "*", NEW_FOR_OTHERS, more=True),
    Rule("autoscaling:CreateOrUpdateTags|elasticloadbalancing:AddTags", "*", NEW, more=True),
    Rule(
        "ec2:(AllocateAddress|Create(?!LaunchTemplateVersion|Route$|Tags))|autoscaling:CreateAutoScalingGroup"
        "|elasticloadbalancing:Create(LoadBalancer|TargetGroup)",
        "*",
        NEW,
    ),
    Rule("ec2:RunInstances", ec2("instance"), NEW, more=True),
    Rule("ec2:RunInstances", ec2("instance"), but=True),
    # So that nobody may first call an object the cluster's and then change or delete it.
    Rule(
        "ec2:CreateTags",
        "*",
        {
            "StringEquals": {f"aws:RequestTag/{TAG}": ["owned", "shared"]},
            "Null": {"ec2:CreateAction": "false"},
        },
        more=True,
    ),
    Rule("ec2:CreateTags", ec2("key-pair", "security-group-rule"), NEW, more=True),
    Rule("ec2:CreateTags", ec2("elastic-ip", "natgateway", "subnet"), NEW_FOR_OTHERS, more=True),
    Rule(
        "ec2:CreateTags",
        "*",
        {
            "StringEquals": {f"aws:ResourceTag/{TAG}": "shared"},
            "Null": {f"aws:RequestTag/{TAG}": "true"},
        },
        more=True,
    ),
    Rule("ec2:AuthorizeSecurityGroup", ec2("security-group-rule"), more=True),
    Rule("ec2:(Authorize|Revoke)SecurityGroup|ec2:(Create|Replace)Route$|ec2:(Ass|Replace).*RouteTable", "*", USED),
    # Others may have put their subnets into the cluster's tables.
    Rule("ec2:DisassociateRouteTable", ec2("internet-gateway", "subnet"), more=True),
    Rule("elasticloadbalancing:(Delete|Modify)Listener", "arn:aws:elasticloadbalancing:*:*:listener/net/*"),
    Rule("(ec2|autoscaling|elasticloadbalancing):(?!Describe)", "*", OWNED),
    Rule("", "*"),
]


def policy(actions: Iterable[str]) -> dict[str, Any]:
    """The actions as a policy document, for what is the cluster's own as far as AWS can tell."""
    left, statements = set(actions), []
    # Without a call that makes objects, no object is tagged when it is made.
    making = any(re.match("ec2:(RunInstances|Create(?!Tags))", action) for action in left)
    for rule in RULES:
        if rule.more and rule.actions == "ec2:CreateTags" and not making:
            continue
        chosen = sorted(action for action in left if re.match(rule.actions, action))
        if not rule.more:
            left.difference_update(chosen)
        if chosen:
            statement = {"Effect": "Allow", "Action": chosen, "NotResource" if rule.but else "Resource": rule.resource}
            statements.append({**statement, **({"Condition": rule.condition} if rule.condition else {})})
    return {"Version": "2012-10-17", "Statement": statements}


def documented(name: str) -> Any:
    return json.loads((DOCUMENTS / f"{name}.json").read_text())


NAMES = (
    "apply",
    "apply-ec2",
    "assets",
    "delete",
    "drift",
    "dump",
    "groups",
    "instances",
    "report",
    "roll",
    "stacks",
    "store-read",
    "store-write",
    "validate",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_policy_is_what_is_asked_for(noted: dict[str, list[APICall]], name: str) -> None:
    playbook = "apply" if name == "apply-ec2" else name
    recorded = {action for call in noted[playbook] for action in actions_of(call)}
    actions = recorded | in_the_source(playbook)
    needed = policy(action for action in actions if document_of(playbook, action) == name)
    if os.environ.get("KOPS_WRITE_POLICIES"):
        (DOCUMENTS / f"{name}.json").write_text(json.dumps(needed, indent=2) + "\n")
    assert documented(name) == needed


@pytest.mark.parametrize("name", ["apply", "delete"])
def test_the_source_tells_every_call(noted: dict[str, list[APICall]], name: str) -> None:
    """So that a new operation is found even if no cluster of the tests needs it."""
    calls = {(call.service, call.operation) for call in noted[name] if call.service not in ("s3", "s3control")}
    assert len(calls) > 40
    sources = set().union(*(named_in(path, SERVICES) for path in AWS.rglob("*.py")))
    assert calls <= sources


def test_calls_are_for_one_bucket(noted: dict[str, list[APICall]]) -> None:
    calls = [call for made in noted.values() for call in made if call.service == "s3"]
    assert {call.parameters["Bucket"] for call in calls} == {BUCKET}


def of_the_cluster(name: str) -> list[dict[str, Any]]:
    """The documents for the tests' cluster."""
    text = json.dumps([documented(each) for each in NAMES if each in (name, document_of(name, "ec2:"))])
    return list(json.loads(text.replace("CLUSTER", NAME)))


def of_another_cluster(check: Check) -> Check:
    """The same on an object of another cluster."""
    text = json.dumps(check).replace(NAME, "other.example.org").replace(NAME.replace(".", "-"), "other-example-org")
    return Check(*json.loads(text))


def changes(calls: Iterable[APICall]) -> list[APICall]:
    """Those of the calls that change something which a policy could limit by tags or names."""
    services = ("autoscaling", "ec2", "elbv2", "events", "iam", "route53", "sqs")
    return [call for call in calls if call.service in services and not is_reading(call.operation)]


@pytest.mark.parametrize(("name", "count"), [("apply", 26), ("delete", 26), ("roll", 5)])
def test_the_conditions_of_a_policy_hold_for_every_call(noted: dict[str, list[APICall]], name: str, count: int) -> None:
    documents, made = of_the_cluster(name), changes(noted[name])
    operations = {call.operation for call in made}
    assert len(operations) >= count
    assert any(operation.endswith("OpenIDConnectProvider") for operation in operations) is (name != "roll")
    assert [check for call in made for check in checks_of(call) if not allows(documents, check)] == []


@pytest.mark.parametrize(
    ("name", "all_the_same"),
    [
        ("apply", {"route53:AssociateVPCWithHostedZone", "sqs:CreateQueue"}),
        ("delete", {"sqs:DeleteQueue"}),
        ("roll", set()),
    ],
)
def test_a_policy_is_no_good_for_other_clusters(
    noted: dict[str, list[APICall]], name: str, all_the_same: set[str]
) -> None:
    documents = of_the_cluster(name)
    allowed = {
        action_of(call)
        for call in changes(noted[name])
        if all(allows(documents, of_another_cluster(check)) for check in checks_of(call))
    }
    assert allowed == all_the_same


def test_what_is_not_limited_to_the_cluster_is_documented() -> None:
    """Statements that change something, without a condition, for objects of any name."""
    found = set()
    for statement in (each for name in NAMES for each in documented(name)["Statement"]):
        objects = json.dumps(statement.get("Resource", statement.get("NotResource")))
        if "Condition" not in statement and "CLUSTER" not in objects and "BUCKET" not in objects:
            found |= {action for action in statement["Action"] if not is_reading(action)}
    table = PAGE.read_text().partition("\n## What is not limited to the cluster\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*`) \|", table, re.MULTILINE)
    assert found == {name for row in rows for name in re.findall(r"`([\w:]+)`", row)}


def test_nothing_that_exists_can_be_made_the_clusters_own() -> None:
    """With the tag that other statements ask for."""
    documents = of_the_cluster("apply")
    tag = f"kubernetes.io/cluster/{NAME}"
    group, subnet = (
        f"arn:aws:ec2:us-east-1:123456789012:{each}" for each in ("security-group/sg-1", "subnet/subnet-1")
    )
    owned, shared = {f"aws:RequestTag/{tag}": "owned"}, {f"aws:RequestTag/{tag}": "shared"}
    is_shared = {f"aws:ResourceTag/{tag}": "shared"}
    assert allows(documents, Check("ec2:CreateTags", group, {**owned, "ec2:CreateAction": "CreateSecurityGroup"}))
    assert allows(documents, Check("ec2:CreateTags", subnet, shared))
    assert allows(documents, Check("ec2:CreateTags", subnet, {**is_shared, "aws:RequestTag/other": ""}))
    for arn in (group, subnet):
        assert not allows(documents, Check("ec2:CreateTags", arn, owned))
        assert not allows(documents, Check("ec2:CreateTags", arn, {**is_shared, **owned}))
    assert not allows(documents, Check("ec2:CreateTags", group, shared))
    assert not allows(documents, Check("ec2:ModifySubnetAttribute", subnet, is_shared))


@pytest.mark.parametrize("name", NAMES)
def test_a_policy_fits_into_a_managed_policy(name: str) -> None:
    assert len(json.dumps(documented(name), separators=(",", ":"))) <= 6144


def test_every_playbook_has_its_policy() -> None:
    told, linked = playbooks_and_documents(PAGE)
    assert told == PLAYBOOKS
    assert linked == set(NAMES)
    assert {path.stem for path in DOCUMENTS.iterdir()} == set(NAMES)
