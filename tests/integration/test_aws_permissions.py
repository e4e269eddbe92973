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
import contextlib
import fnmatch
import functools
import json
import os
import pathlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import botocore
import botocore.client
import botocore.loaders
import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.common import WarmPoolSpec
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, remove_groups
from ansible_collections.kubeops.kops.plugins.modules import (
    assets_info,
    cluster,
    cluster_info,
    instancegroup,
    instancegroup_info,
    keypair,
    keypair_info,
    kubeconfig,
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
)
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

PAGE = ROOT / "docs" / "aws-permissions.md"
DOCUMENTS = ROOT / "docs" / "aws-permissions"
PLAYBOOKS = sorted(path.stem for path in (ROOT / "playbooks").glob("*.yml"))


class APICall(NamedTuple):
    """A call of the SDK: service and operation as the SDK names them, and its parameters."""

    service: str
    operation: str
    parameters: dict[str, Any]


# The prefix of a service's actions, where it is not the service's name.
PREFIXES = {"elb": "elasticloadbalancing", "elbv2": "elasticloadbalancing"}
# S3's actions have names of their own.
S3 = {
    "AbortMultipartUpload": "AbortMultipartUpload",
    "CompleteMultipartUpload": "PutObject",
    "CreateMultipartUpload": "PutObject",
    "DeleteObjects": "DeleteObject",
    "GetBucketEncryption": "GetEncryptionConfiguration",
    "HeadBucket": "ListBucket",
    "HeadObject": "GetObject",
    "ListObjectsV2": "ListBucket",
    "UploadPart": "PutObject",
}
# Service and parameter with tags -> the action that AWS checks besides.
TAGGING = {
    ("ec2", "TagSpecifications"): "ec2:CreateTags",
    ("elbv2", "Tags"): "elasticloadbalancing:AddTags",
    ("autoscaling", "Tags"): "autoscaling:CreateOrUpdateTags",
    ("events", "Tags"): "events:TagResource",
    ("sqs", "tags"): "sqs:TagQueue",
}
# Operation -> further actions that AWS checks, as its service authorization reference says.
BESIDES = {
    "autoscaling.CreateAutoScalingGroup": ("ec2:RunInstances", "iam:PassRole", "iam:CreateServiceLinkedRole"),
    "autoscaling.UpdateAutoScalingGroup": ("ec2:RunInstances", "iam:PassRole"),
    "elbv2.CreateLoadBalancer": ("iam:CreateServiceLinkedRole",),
    "iam.AddRoleToInstanceProfile": ("iam:PassRole",),
    "iam.CreateInstanceProfile": ("iam:TagInstanceProfile",),
    "iam.CreateOpenIDConnectProvider": ("iam:TagOpenIDConnectProvider",),
    "iam.CreateRole": ("iam:TagRole",),
    "route53.AssociateVPCWithHostedZone": ("ec2:DescribeVpcs",),
    "route53.CreateHostedZone": ("ec2:DescribeVpcs",),
    # Public files (issuer discovery), unless the bucket's policy makes them public.
    "s3.PutObject": ("s3:PutObjectAcl",),
}


def actions_of(call: APICall) -> set[str]:
    """The IAM actions that AWS checks for a call."""
    name = S3.get(call.operation, call.operation) if call.service == "s3" else call.operation
    found = {f"{PREFIXES.get(call.service, call.service)}:{name}"}
    found |= {
        action for (service, key), action in TAGGING.items() if service == call.service and call.parameters.get(key)
    }
    return found | set(BESIDES.get(f"{call.service}.{call.operation}", ()))


@contextlib.contextmanager
def calls_to_aws() -> Iterator[list[APICall]]:
    """The calls of the SDK in this process while the block runs."""
    made: list[APICall] = []
    make = botocore.client.BaseClient._make_api_call

    def noted(self: Any, operation: str, parameters: dict[str, Any]) -> Any:
        made.append(APICall(self.meta.service_model.service_name, operation, parameters))
        return make(self, operation, parameters)

    botocore.client.BaseClient._make_api_call = noted
    try:
        yield made
    finally:
        botocore.client.BaseClient._make_api_call = make


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
        self.run("apply", lambda: self.account.create(**CLUSTERS[kind]))
        IN_THE_STORE.get(kind, lambda account: None)(self.account)
        self.run("apply", self.account.update)
        self.changes(kind)
        self.run("apply", self.account.update)
        self.run("delete", self.account.delete)

    def changes(self, kind: str) -> None:
        """Changes of a cluster, and what else is done with it."""
        if kind == "private":
            remove_groups(StoreOptions(self.account.store), NAME, ["bastions"])
        if kind == "groups":
            self.account.change_group(NODES, max_size=4, cloud_labels={"team": "batch"})
            self.account.change_group("warm", warm_pool=WarmPoolSpec(max_size=0))
            self.account.change_group("spot", cloud_labels={})
            self.run("apply", lambda: self.account.update(prune=True))
            for state in ("present", "absent"):
                self.module("store-write", secret, name="dockerconfig", value='{"auths": {}}', state=state)
            self.module("store-write", keypair, keyset="kubernetes-ca", primary=True)
            self.module("store-write", ssh_public_key, public_key=PUBLIC_KEY)
            self.module("store-write", cluster, name=NAME, set=["spec.sshAccess=10.0.0.0/8"])
            self.module("store-write", instancegroup, cluster_name=NAME, name=NODES, set=["spec.minSize=1"])
            self.module("store-read", cluster_info, full=True)
            self.module("store-read", instancegroup_info)
            self.module("store-read", keypair_info)
            self.module("store-read", kubeconfig, path=os.environ["KUBECONFIG"], api_server="192.0.2.1")
            self.module("assets", assets_info)
            self.module("apply", upgrade_cluster)


# Between them, they have objects of nearly all kinds.
KINDS = ("groups", "private", "dns-private", "ipv6-private")


@pytest.fixture(scope="module")
def noted(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[APICall]]:
    """The calls, by document."""
    calls: dict[str, list[APICall]] = defaultdict(list)
    with pytest.MonkeyPatch.context() as monkeypatch:
        for kind in KINDS:
            scenario = Scenario(fresh_account(server, monkeypatch, tmp_path_factory.mktemp("account")))
            scenario.life(kind)
            for document, made in scenario.calls.items():
                calls[document] += made
    return calls


# -- what the source says --------------------------------------------------------------------------------------------

AWS = ROOT / "plugins" / "module_utils" / "cloud" / "aws"
S3_SOURCE = ROOT / "plugins" / "module_utils" / "statestore" / "vfs" / "s3.py"
SERVICES = ("autoscaling", "ec2", "elb", "elbv2", "events", "iam", "route53", "sqs", "ssm", "sts")


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
    applying = [path for path in AWS.rglob("*.py") if path not in deleting]
    files = {"apply": applying, "delete": [*deleting, *shared]}.get(document, [])
    calls = {call for path in files for call in named_in(path, SERVICES)}
    if document in ("apply", "delete", "store-write"):
        calls |= named_in(S3_SOURCE, ["s3"])
    return frozenset(action for call in calls for action in actions_of(APICall(*call, {})))


# -- the documents ---------------------------------------------------------------------------------------------------

OBJECTS = ("s3:DeleteObject", "s3:GetObject", "s3:PutObject", "s3:PutObjectAcl")
# kops names roles and instance profiles <part>.<cluster>; users may have profiles of other names, which are only read.
NAMED = re.compile(r"iam:(?!List|Get).*(Role|InstanceProfile|PermissionsBoundary|AssumeRolePolicy)")
OWN = ["arn:aws:iam::*:role/*.CLUSTER", "arn:aws:iam::*:instance-profile/*.CLUSTER"]
SERVICES_WITH_ROLES = ["autoscaling.amazonaws.com", "elasticloadbalancing.amazonaws.com", "spot.amazonaws.com"]


def policy(actions: Iterable[str]) -> dict[str, Any]:
    """The actions as a policy document, for what is the cluster's own as far as its name says so."""
    left = set(actions)

    def take(chosen: Callable[[str], object]) -> list[str]:
        taken = sorted(action for action in left if chosen(action))
        left.difference_update(taken)
        return taken

    parts: list[tuple[list[str], Any, dict[str, Any]]] = [
        (take(lambda action: action in OBJECTS), "arn:aws:s3:::BUCKET/*", {}),
        (take(lambda action: action.startswith("s3:")), "arn:aws:s3:::BUCKET", {}),
        (
            take(lambda action: action == "iam:CreateServiceLinkedRole"),
            "arn:aws:iam::*:role/aws-service-role/*",
            {"StringEquals": {"iam:AWSServiceName": SERVICES_WITH_ROLES}},
        ),
        (
            take(lambda action: action == "iam:PassRole"),
            OWN[0],
            {"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}},
        ),
        (take(NAMED.match), OWN, {}),
        (take(re.compile("iam:(?!List).*OpenIDConnectProvider").match), "arn:aws:iam::*:oidc-provider/*", {}),
        (take(lambda action: action.startswith("ssm:")), "arn:aws:ssm:*::parameter/aws/service/*", {}),
        (take(lambda action: True), "*", {}),
    ]
    statements = [
        {"Effect": "Allow", "Action": chosen, "Resource": resource, **({"Condition": condition} if condition else {})}
        for chosen, resource, condition in parts
        if chosen
    ]
    return {"Version": "2012-10-17", "Statement": statements}


def documented(name: str) -> Any:
    return json.loads((DOCUMENTS / f"{name}.json").read_text())


NAMES = ("apply", "assets", "delete", "store-read", "store-write")


@pytest.mark.parametrize("name", NAMES)
def test_a_policy_is_what_is_asked_for(noted: dict[str, list[APICall]], name: str) -> None:
    recorded = {action for call in noted[name] for action in actions_of(call)}
    needed = policy(recorded | in_the_source(name))
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


def test_calls_are_for_what_the_policies_name(noted: dict[str, list[APICall]]) -> None:
    buckets, named = set(), set()
    for call in (call for made in noted.values() for call in made):
        if call.service == "s3":
            buckets.add(call.parameters["Bucket"])
        for kind, key in (("role", "RoleName"), ("instance-profile", "InstanceProfileName")):
            if call.service == "iam" and key in call.parameters:
                named.add(f"arn:aws:iam::123456789012:{kind}/{call.parameters[key]}")
    assert buckets == {BUCKET}
    assert len(named) > 4
    patterns = [pattern.replace("CLUSTER", NAME) for pattern in OWN]
    assert [arn for arn in named if not any(fnmatch.fnmatchcase(arn, pattern) for pattern in patterns)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_policy_fits_into_a_managed_policy(name: str) -> None:
    assert len(json.dumps(documented(name), separators=(",", ":"))) <= 6144


def test_every_playbook_has_its_policy() -> None:
    rows = re.findall(r"^\| (`.*`) \| (.*) \|$", PAGE.read_text(), re.MULTILINE)
    assert sorted(name for names, _policy in rows for name in re.findall(r"`(\w+)`", names)) == PLAYBOOKS
    linked = {link for _names, cell in rows for link in re.findall(r"aws-permissions/([\w-]+)\.json", cell)}
    assert linked == set(NAMES)
    assert {path.stem for path in DOCUMENTS.iterdir()} == set(NAMES)
