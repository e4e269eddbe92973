# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IAM tasks against moto's server: roles, policies, instance profiles, the identity provider."""

from __future__ import annotations

import dataclasses
import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws import iam as iam_reads
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.documents import same_document
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.iam_instance_profile import (
    IAMInstanceProfile,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.iam_instance_profile_role import (
    IAMInstanceProfileRole,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.iam_oidc_provider import IAMOIDCProvider
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.iam_role import IAMRole
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.iam_role_policy import IAMRolePolicy
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import TerraformTarget
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import TryAgainLater, differences

from .conftest import CLUSTER

TAGS = {"KubernetesCluster": CLUSTER, f"kubernetes.io/cluster/{CLUSTER}": "owned"}
MANAGED = "arn:aws:iam::123456789012:policy/managed"
BOUNDARY = "arn:aws:iam::123456789012:policy/boundary"


@pytest.fixture
def managed_policy(cloud) -> str:
    return cloud.client("iam").create_policy(PolicyName="managed", PolicyDocument=allow("s3:*"))["Policy"]["Arn"]


def trust(service: str = "ec2.amazonaws.com") -> str:
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]}, indent=2)


def allow(*actions: str) -> str:
    return json.dumps(
        {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": list(actions), "Resource": "*"}]}
    )


def tasks(**changes) -> list:
    """A role as each cluster has it: with a policy, no additional policy, no managed ones, and a profile."""
    role = IAMRole("nodes", role_policy_document=trust(), tags=dict(TAGS))
    profile = IAMInstanceProfile("nodes", tags=dict(TAGS), shared=False)
    found = {
        "role": role,
        "policy": IAMRolePolicy("nodes", role=role, policy_document=allow("s3:Get*", "ec2:Describe*")),
        "override": IAMRolePolicy("node-policyoverride", role=role, external_policies=[], managed=True),
        "additional": IAMRolePolicy("additional.nodes", role=role, policy_document=""),
        "profile": profile,
        "member": IAMInstanceProfileRole("nodes", instance_profile=profile, role=role),
    }
    for path, value in changes.items():
        name, _dot, attribute = path.partition("__")
        setattr(found[name], attribute, value)
    return list(found.values())


def test_a_role_with_its_policies_and_profile_is_found_again_with_one_call(run, calls) -> None:
    created = run(tasks())
    assert created.actions == {
        "IAMRole/nodes": "create",
        "IAMRolePolicy/nodes": "create",
        "IAMInstanceProfile/nodes": "create",
        "IAMInstanceProfileRole/nodes": "create",
    }
    calls.clear()
    again = run(tasks())
    assert again.actions == {}
    assert list(calls) == ["iam.GetAccountAuthorizationDetails"]


def refusal(code: str, operation: str):
    from botocore.exceptions import ClientError

    def refuse(**_given):
        raise ClientError({"Error": {"Code": code, "Message": "no"}}, operation)

    return refuse


def test_roles_are_read_one_by_one_where_the_account_may_not_be_read(
    run, new_cloud, managed_policy, monkeypatch
) -> None:
    changed = {"override__external_policies": [managed_policy]}
    run(tasks(**changed))
    together = new_cloud()
    apart = new_cloud()
    refused = refusal("AccessDenied", "GetAccountAuthorizationDetails")
    monkeypatch.setattr(apart.client("iam"), "get_account_authorization_details", refused)
    for cloud in (together, apart):
        cloud.want("iam-role", "nodes")
        cloud.want("iam-role", "no-such")
    found = iam_reads.read_roles(apart)
    assert found.keys() == {"nodes"}
    expected = iam_reads.read_roles(together)["nodes"]
    # Only the answer for the whole account lists profiles; elsewhere they are read by themselves.
    assert dataclasses.replace(expected, profiles=[]) == found["nodes"]
    assert iam_reads.read_instance_profile(together, "nodes")["InstanceProfileName"] == "nodes"
    assert iam_reads.get_instance_profile(apart, "no-such") is None


@pytest.mark.parametrize("operation", ["get_role", "get_instance_profile", "get_account_authorization_details"])
def test_other_refusals_are_not_hidden(cloud, monkeypatch, operation) -> None:
    monkeypatch.setattr(cloud.client("iam"), operation, refusal("ServiceFailure", operation))
    read = {
        "get_role": lambda: iam_reads.get_role(cloud, "nodes"),
        "get_instance_profile": lambda: iam_reads.get_instance_profile(cloud, "nodes"),
        "get_account_authorization_details": lambda: iam_reads.read_roles(cloud),
    }[operation]
    with pytest.raises(Exception, match="ServiceFailure"):
        read()


def test_a_member_waits_until_iam_knows_role_and_profile(cloud, monkeypatch) -> None:
    member = tasks()[-1]
    refused = refusal("NoSuchEntity", "AddRoleToInstanceProfile")
    monkeypatch.setattr(cloud.client("iam"), "add_role_to_instance_profile", refused)
    with pytest.raises(TryAgainLater, match="IAM does not know nodes"):
        member.create(cloud)


def test_changes_are_made_in_place(run, cloud, managed_policy) -> None:
    run(tasks())
    changed = {
        "role__role_policy_document": trust("ec2.amazonaws.com.cn"),
        "role__permissions_boundary": BOUNDARY,
        "role__tags": {**TAGS, "team": "a"},
        "policy__policy_document": allow("s3:Get*"),
        "override__external_policies": [MANAGED],
        "additional__policy_document": allow("sns:Publish"),
        "profile__tags": {**TAGS, "team": "a"},
    }
    assert set(run(tasks(**changed)).actions.values()) == {"update", "create"}
    assert run(tasks(**changed)).actions == {}

    role = cloud.client("iam").get_role(RoleName="nodes")["Role"]
    assert role["PermissionsBoundary"]["PermissionsBoundaryArn"] == BOUNDARY
    assert {tag["Key"] for tag in role["Tags"]} == {*TAGS, "team"}


def test_policies_that_are_not_wanted_any_more_go(run, cloud, managed_policy) -> None:
    run(tasks(override__external_policies=[managed_policy], additional__policy_document=allow("sns:Publish")))
    assert run(tasks()).actions == {
        "IAMRolePolicy/node-policyoverride": "update",
        "IAMRolePolicy/additional.nodes": "update",
    }
    iam = cloud.client("iam")
    assert iam.list_role_policies(RoleName="nodes")["PolicyNames"] == ["nodes"]
    assert iam.list_attached_role_policies(RoleName="nodes")["AttachedPolicies"] == []
    assert run(tasks()).actions == {}


def test_documents_are_compared_by_what_they_mean(run) -> None:
    run(tasks())
    assert run(tasks(policy__policy_document=allow("ec2:Describe*", "s3:Get*"))).actions == {}
    assert same_document({"Action": "a"}, '{"Action": ["a"]}')
    assert not same_document({"Action": ["a"]}, {"Action": ["a", "b"]})
    assert not same_document("no json", "no json")


def test_other_peoples_tags_stay(run, cloud) -> None:
    run(tasks())
    cloud.client("iam").tag_role(RoleName="nodes", Tags=[{"Key": "cost", "Value": "1"}])
    assert run(tasks()).actions == {}


def test_a_killed_run_is_completed(run, cloud) -> None:
    iam = cloud.client("iam")
    iam.create_role(RoleName="nodes", AssumeRolePolicyDocument=trust())
    iam.create_instance_profile(InstanceProfileName="nodes")
    assert run(tasks()).actions == {
        "IAMRole/nodes": "update",
        "IAMRolePolicy/nodes": "create",
        "IAMInstanceProfile/nodes": "update",
        "IAMInstanceProfileRole/nodes": "create",
    }
    assert run(tasks()).actions == {}


def test_a_role_and_profile_that_the_listing_does_not_show_yet_are_taken_over(run, cloud) -> None:
    iam = cloud.client("iam")
    iam.create_role(RoleName="nodes", AssumeRolePolicyDocument=trust("other.amazonaws.com"))
    iam.create_instance_profile(InstanceProfileName="nodes")
    for task in tasks():
        if isinstance(task, (IAMRole, IAMInstanceProfile)):
            task.create(cloud)
            assert task.id
    assert run(tasks()).actions == {"IAMRolePolicy/nodes": "create", "IAMInstanceProfileRole/nodes": "create"}


def test_the_role_of_a_profile_is_replaced(run, cloud) -> None:
    iam = cloud.client("iam")
    iam.create_role(RoleName="old", AssumeRolePolicyDocument=trust())
    iam.create_instance_profile(InstanceProfileName="nodes")
    iam.add_role_to_instance_profile(InstanceProfileName="nodes", RoleName="old")
    assert run(tasks()).actions["IAMInstanceProfileRole/nodes"] == "update"
    roles = iam.get_instance_profile(InstanceProfileName="nodes")["InstanceProfile"]["Roles"]
    assert [role["RoleName"] for role in roles] == ["nodes"]


@pytest.mark.parametrize("complete", [False, True])
def test_large_accounts_and_refused_listings_fall_back_to_single_roles(
    run, monkeypatch, calls, complete, managed_policy
) -> None:
    run(tasks(override__external_policies=[MANAGED]))
    monkeypatch.setattr(iam_reads, "_account_roles", lambda cloud: ({}, complete))
    again = run(tasks(override__external_policies=[MANAGED]), apply=False)
    assert again.actions.get("IAMRole/nodes") == ("create" if complete else None)
    assert calls.of("GetRole") == (0 if complete else 1)


def test_a_shared_profile_must_exist_and_stays_as_it_is(run, cloud, calls) -> None:
    shared = IAMInstanceProfile("theirs", shared=True, tags=dict(TAGS))
    with pytest.raises(KopsError, match="theirs that the specification names does not exist"):
        run([shared])
    cloud.client("iam").create_instance_profile(InstanceProfileName="theirs")
    calls.clear()
    assert run([dataclasses.replace(shared)]).actions == {}
    assert calls.writes == []


def test_a_managed_policy_that_does_not_exist_is_an_error_at_once(run) -> None:
    with pytest.raises(KopsError, match="arn:aws:iam::123456789012:policy/managed does not exist"):
        run(tasks(override__external_policies=[MANAGED]))


def test_limits_are_checked_before_anything_is_written(run, calls) -> None:
    with pytest.raises(KopsError, match="at most 64 characters, not 65"):
        run([IAMRole("n" * 65, role_policy_document=trust())])
    with pytest.raises(KopsError, match="at most 10240 characters"):
        run(tasks(policy__policy_document=allow(*(f"s3:Action{number}" for number in range(1000)))))
    assert calls.writes == []


def provider(**changes) -> IAMOIDCProvider:
    wanted = {
        "url": "https://discovery.example.com/demo",
        "client_ids": ["amazonaws.com"],
        "thumbprints": ["9e99a48a9960b14926bb7f3b02e22da2b0ab7280", "a9d53002e97e00e043244f3d170d6f4c414104fd"],
        "tags": dict(TAGS),
    }
    return IAMOIDCProvider(CLUSTER, **{**wanted, **changes})


def test_an_identity_provider_lives_its_life(run, cloud, calls) -> None:
    assert run([provider()]).actions == {f"IAMOIDCProvider/{CLUSTER}": "create"}
    calls.clear()
    assert run([provider()]).actions == {}
    assert sorted(calls) == ["iam.GetOpenIDConnectProvider", "sts.GetCallerIdentity"]
    changed = {"thumbprints": ["0" * 40], "tags": {**TAGS, "team": "a"}}
    assert run([provider(**changed)]).changes[f"IAMOIDCProvider/{CLUSTER}"].keys() == changed.keys()
    assert run([provider(**changed)]).actions == {}
    run([provider()])
    assert run([provider()]).actions == {}


def test_audiences_are_added_and_removed_one_by_one(run, cloud, monkeypatch) -> None:
    run([provider(client_ids=["amazonaws.com", "old"])])
    # moto knows neither call; so they are looked at before they leave.
    asked = []
    iam = cloud.client("iam")
    for operation in ("add_client_id_to_open_id_connect_provider", "remove_client_id_from_open_id_connect_provider"):
        monkeypatch.setattr(iam, operation, lambda operation=operation, **given: asked.append((operation, given)))
    wanted = provider(client_ids=["amazonaws.com", "new"])
    actual = wanted.find(cloud)
    wanted.update(cloud, actual, differences(wanted, actual))
    assert [(operation.split("_")[0], given["ClientID"]) for operation, given in asked] == [
        ("add", "new"),
        ("remove", "old"),
    ]


def test_an_identity_provider_needs_all_of_its_fields(run) -> None:
    with pytest.raises(KopsError, match="has no thumbprints"):
        run([provider(thumbprints=[])])


def test_terraform_is_kops_terraform() -> None:
    target = TerraformTarget(PROVIDERS[AWS], {"region": "us-test-1"})
    arn = "arn:aws-test:iam::123456789000:policy/test-policy"
    wanted = tasks(override__external_policies=[arn], role__export_with_id="nodes", role__permissions_boundary=BOUNDARY)
    shared = IAMInstanceProfile("theirs", shared=True)
    files = target.render([*wanted, shared, provider()])
    text = files["kubernetes.tf"].decode()
    # The number is kops' for this ARN.
    assert 'resource "aws_iam_role_policy_attachment" "node-policyoverride-1544513530" {' in text
    assert 'assume_role_policy   = file("${path.module}/data/aws_iam_role_nodes_policy")' in text
    assert f'permissions_boundary = "{BOUNDARY}"' in text
    assert "nodes_role_arn                     = aws_iam_role.nodes.arn" in text
    assert "role = aws_iam_role.nodes.name" in text
    assert 'iam_openid_connect_provider_issuer = "discovery.example.com/demo"' in text
    assert 'resource "aws_iam_role_policy" "additional' not in text
    assert files["data/aws_iam_role_policy_nodes_policy"].decode() == allow("s3:Get*", "ec2:Describe*")
    assert shared.terraform_link().text == '"theirs"'
