# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster through CloudFormation: planned, made, changed, undone and deleted as a stack.

moto's stacks are changed as CloudFormation does it (support/moto_change_sets.py).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.stacks.stacks import AWSStacks
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.network_load_balancer import (
    NetworkLoadBalancer,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import ApplyError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.look import DriftOptions, look_for_drift
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import UpdateResult
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import BUCKET, NAME, Account
from ansible_collections.kubeops.kops.tests.integration.test_aws_cluster import NODES, ZONES
from ansible_collections.kubeops.kops.tests.integration.test_aws_faults import kill_at
from ansible_collections.kubeops.kops.tests.integration.test_cloudformation import STACK, beyond

# A machine type that moto's first zone does not have, and its service's answer.
NOT_OFFERED = "p4de.24xlarge"
REFUSED = (
    f"Your requested instance type ({NOT_OFFERED}) is not supported in your requested Availability Zone ({ZONES[0]})."
)
TEMPLATE_OF_OURS = f"Metadata:\n  KubeopsKops:\n    Cluster: {NAME}\nResources: {{}}\n"
TEMPLATE_OF_ANOTHER = "Metadata:\n  KubeopsKops:\n    Cluster: other.example.com\nResources: {}\n"


CARRIED_OUT: dict[str, Any] = {"target": "cloudformation", "apply": True}


def through(account: Account, **options: Any) -> UpdateResult:
    """An update that CloudFormation carries out."""
    return account.update(**CARRIED_OUT, **options)


def steps(result: UpdateResult) -> list[str]:
    return [f"{each['action']} {each['task']}" for each in result.plan.outside]


def status(account: Account) -> str:
    (stack,) = account.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"]
    return str(stack["StackStatus"])


def test_it_is_planned_made_changed_and_deleted(account: Account) -> None:
    before = account.inventory()
    account.create(zones=ZONES[:2])
    stored = account.inventory()
    planned = through(account, check=True)
    assert account.inventory() == stored
    made = through(account, plan_id=planned.plan.id)
    assert steps(made) == steps(planned)
    assert f"create Stack/{STACK}" in steps(made)
    assert status(account).endswith("_COMPLETE")
    assert beyond(account) == []
    assert not through(account, check=True).changed
    assert not through(account).changed

    account.change_group(NODES, max_size=4)
    planned = through(account, check=True)
    assert steps(planned) == [f"update AutoscalingGroup/{NODES}.{NAME}"]
    (entry,) = planned.plan.outside
    assert (entry["before"], entry["after"]) == ({"MaxSize": "1"}, {"MaxSize": "4"})
    assert planned.plan.summary()["unchanged"] > 50
    assert through(account).plan.id == planned.plan.id
    assert status(account) == "UPDATE_COMPLETE"
    assert (beyond(account), through(account).changed) == ([], False)

    would_go = account.delete(check=True).resources
    assert would_go[0]["kind"] == "Stack"
    deleted = account.delete()
    assert sorted(each["id"] for each in deleted.resources) == sorted(each["id"] for each in would_go)
    assert account.inventory() == before
    assert account.client("cloudformation").describe_stacks()["Stacks"] == []


def test_a_rolling_update_carries_on_with_another_machine_type(account: Account) -> None:
    account.create(zones=ZONES[:1])
    through(account)
    account.change_group(NODES, machine_type="t3.large")
    planned = through(account, check=True)
    name = f"{NODES}.{NAME}"
    assert steps(planned) == [f"update AutoscalingGroup/{name}", f"update LaunchTemplate/{name}"]
    why = "instances that run get it only when they are replaced: another instance type"
    assert [each["reason"] for each in planned.plan.outside] == [f"gets the new version of LaunchTemplate/{name}", why]
    assert planned.pending == {name: why}
    assert through(account).pending == {name: why}
    assert (beyond(account), through(account).changed) == ([], False)


def test_workers_keep_their_version_while_control_planes_are_older(account: Account) -> None:
    """Their user data names what is in the store: the NodeConfig of the version that they have."""
    account.create(zones=ZONES[:1], kubernetes_version="1.33.6")
    through(account)
    store = ClusterStore.open(account.store, NAME)
    cluster = store.read_cluster()
    cluster.spec.kubernetes_version = "1.34.10"
    store.write_cluster(cluster)
    planned = through(account, check=True)
    assert [each for each in planned.plan.warnings if "workers keep Kubernetes 1.33.6" in each]
    assert {each["name"] for each in planned.plan.outside} == {f"control-plane-us-east-1a.masters.{NAME}"}
    through(account)
    assert (beyond(account), through(account).changed) == ([], False)


def test_what_somebody_has_deleted_is_said_and_made_by_a_direct_run(account: Account) -> None:
    account.create(zones=ZONES[:1])
    through(account)
    group = f"{NODES}.{NAME}"
    unchanged = through(account, check=True).plan.summary()["unchanged"]
    account.client("autoscaling").delete_auto_scaling_group(AutoScalingGroupName=group, ForceDelete=True)
    for check in (True, False):
        result = through(account, check=check)
        (said,) = (each for each in result.plan.warnings if "somebody has deleted" in each)
        assert f"AutoscalingGroup/{group}" in said
        # Its lifecycle hook goes with it.
        assert result.plan.summary()["unchanged"] == unchanged - 2
    account.update()
    account.change_group(NODES, max_size=3)
    changed = through(account)
    assert steps(changed) == [f"update AutoscalingGroup/{group}"]
    assert not [each for each in changed.plan.warnings if "somebody has deleted" in each]
    assert (beyond(account), through(account).changed) == ([], False)


def test_its_own_detection_of_drift_is_asked_for(account: Account) -> None:
    account.create(zones=ZONES[:1])
    options = DriftOptions(account.store, NAME, parts=["stack"])
    assert list(map(str, look_for_drift(options).unseen)) == ["the stack: this cluster has none"]
    through(account)
    assert (look_for_drift(options).found, look_for_drift(options).unseen) == ([], [])
    group = f"{NODES}.{NAME}"
    account.client("autoscaling").update_auto_scaling_group(AutoScalingGroupName=group, MaxSize=7)
    ec2 = account.client("ec2")
    rules = ec2.describe_security_group_rules()["SecurityGroupRules"]
    rule = next(each for each in rules if each.get("FromPort") == 22)
    ec2.revoke_security_group_ingress(GroupId=rule["GroupId"], SecurityGroupRuleIds=[rule["SecurityGroupRuleId"]])
    found = {each.name: each for each in look_for_drift(options).found}
    assert {name: each.what for name, each in found.items()} == {
        group: "different",
        rule["SecurityGroupRuleId"]: "missing",
    }
    assert (found[group].before, found[group].after) == ({"MaxSize": "7"}, {"MaxSize": "1"})
    account.update()
    assert [each for each in look_for_drift(options).found if each.what == "different"] == []


def test_a_change_that_fails_is_undone_and_explained(account: Account) -> None:
    account.create(zones=ZONES[:1])
    through(account)
    before = template(account)
    account.change_group(NODES, machine_type=NOT_OFFERED)
    with pytest.raises(ApplyError) as failed:
        through(account)
    assert str(failed.value).splitlines() == [
        f"CloudFormation could not change the stack {STACK}, and has undone what it had changed; run it again when this"
        " is mended:",
        f"- AutoscalingGroup/{NODES}.{NAME}: {REFUSED}",
    ]
    assert (status(account), template(account)) == ("UPDATE_ROLLBACK_COMPLETE", before)
    account.change_group(NODES, machine_type="t3.large")
    assert len(steps(through(account))) == 2
    assert (beyond(account), through(account).changed) == ([], False)


def test_a_creation_that_fails_leaves_nothing_and_is_made_when_it_is_mended(account: Account) -> None:
    account.create(zones=ZONES[:1])
    account.change_group("control-plane-us-east-1a", machine_type=NOT_OFFERED)
    stored = account.inventory()
    with pytest.raises(
        ApplyError, match=rf"(?s)could not make the stack {STACK}, and has taken away what .*{re.escape(REFUSED)}"
    ):
        through(account)
    left = {kind for kind, found in account.inventory().items() if found != stored[kind]}
    assert (status(account), left) == ("ROLLBACK_COMPLETE", {"stored files"})
    account.change_group("control-plane-us-east-1a", machine_type="t3.medium")
    made = through(account)
    (stack,) = (each for each in made.plan.outside if each["kind"] == "Stack")
    assert stack["reason"] == "its creation has failed before; what is left is deleted first"
    assert beyond(account) == []


@pytest.mark.parametrize("body", ["Resources: {}\n", TEMPLATE_OF_ANOTHER])
def test_a_stack_of_others_is_not_touched(account: Account, body: str) -> None:
    account.create(zones=ZONES[:1])
    client = account.client("cloudformation")
    client.create_stack(StackName=STACK, TemplateBody=body)
    with pytest.raises(KopsError, match=f"the stack {STACK} has a template (that no cluster|of cluster other)"):
        through(account)
    account.update()
    account.delete()
    assert template(account) == body


def test_a_stack_of_others_whose_creation_has_failed_is_not_touched(account: Account) -> None:
    account.create(zones=ZONES[:1])
    client = account.client("cloudformation")
    subnet = "  Subnet: {Type: AWS::EC2::Subnet, Properties: {VpcId: vpc-0, CidrBlock: 10.0.0.0/24}}\n"
    body = TEMPLATE_OF_ANOTHER.replace("Resources: {}\n", f"Resources:\n{subnet}")
    made = client.create_change_set(StackName=STACK, ChangeSetName="a", TemplateBody=body, ChangeSetType="CREATE")
    client.execute_change_set(ChangeSetName=made["Id"])
    assert status(account) == "ROLLBACK_COMPLETE"
    with pytest.raises(KopsError, match=f"the stack {STACK} has a template of cluster other"):
        through(account)
    assert status(account) == "ROLLBACK_COMPLETE"


def test_workers_that_are_not_in_the_stack_are_named(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    account.create(zones=ZONES[:1])
    with monkeypatch.context() as patch:
        patch.setattr(NetworkLoadBalancer, "_find_node_addresses", lambda self, cloud: None)
        result = through(account)
        assert any(each["task"].startswith("LaunchTemplate/nodes") for each in result.plan.outside)
        again = through(account, check=True)
    assert not again.changed
    assert [each for each in again.plan.warnings if f"LaunchTemplate/{NODES}.{NAME}" in each and "run it again" in each]
    assert through(account).changed
    assert beyond(account) == []


def test_a_change_set_of_others_is_not_touched(account: Account) -> None:
    account.create(zones=ZONES[:1])
    client = account.client("cloudformation")
    body = "Resources:\n  Queue: {Type: AWS::SQS::Queue, Properties: {QueueName: theirs}}\n"
    client.create_change_set(StackName=STACK, ChangeSetName="theirs", TemplateBody=body, ChangeSetType="CREATE")
    with pytest.raises(
        KopsError, match=f"the stack {STACK} cannot be changed: others have made change sets .*: theirs"
    ):
        through(account)
    assert [each["ChangeSetName"] for each in client.list_change_sets(StackName=STACK)["Summaries"]] == ["theirs"]


def test_what_holds_the_stack_up_is_deleted_by_its_tags_and_the_stack_once_more(account: Account) -> None:
    before = account.inventory()
    account.create(zones=ZONES[:1])
    through(account)
    ec2 = account.client("ec2")
    (vpc,) = ec2.describe_vpcs(Filters=[{"Name": "tag:Name", "Values": [NAME]}])["Vpcs"]
    tags = [{"Key": f"kubernetes.io/cluster/{NAME}", "Value": "owned"}]
    ec2.create_security_group(
        GroupName="k8s-elb-a1",
        Description="of a Service",
        VpcId=vpc["VpcId"],
        TagSpecifications=[{"ResourceType": "security-group", "Tags": tags}],
    )
    account.delete()
    assert account.inventory() == before
    assert account.client("cloudformation").describe_stacks()["Stacks"] == []


def test_a_protected_stack_is_not_deleted_and_neither_is_anything_else(account: Account) -> None:
    account.create(zones=ZONES[:1])
    client = account.client("cloudformation")
    client.create_stack(StackName=STACK, TemplateBody=TEMPLATE_OF_OURS, EnableTerminationProtection=True)
    before = account.inventory()
    for check in (True, False):
        with pytest.raises(KopsError, match=f"(?s)the stack {STACK} is protected.*--no-enable-termination-protection"):
            account.delete(check=check)
    assert account.inventory() == before


def test_a_stack_that_a_run_has_only_planned_goes_with_the_cluster(account: Account, tmp_path: Path) -> None:
    before = account.inventory()
    account.create(zones=ZONES[:1])
    account.update(target="cloudformation", out=str(tmp_path))
    assert killed_at(account, 2, before=False) == "cloudformation.CreateChangeSet"
    assert status(account) == "REVIEW_IN_PROGRESS"
    account.delete()
    assert account.inventory() == before
    assert account.client("cloudformation").describe_stacks()["Stacks"] == []


def test_a_stack_of_another_name_is_found_by_the_volumes_it_has_made(account: Account, tmp_path: Path) -> None:
    before = account.inventory()
    account.create(zones=ZONES[:1])
    account.update(target="cloudformation", out=str(tmp_path))
    client, body = account.client("cloudformation"), (tmp_path / "cloudformation.yaml").read_text()
    client.create_stack(StackName="theirs", TemplateBody=body, Capabilities=["CAPABILITY_NAMED_IAM"])
    would_go = account.delete(check=True).resources
    assert [each["name"] for each in would_go if each["kind"] == "Stack"] == ["theirs"]
    account.delete()
    assert (account.inventory(), client.describe_stacks()["Stacks"]) == (before, [])


@pytest.mark.long
def test_a_large_template_goes_by_the_state_store(account: Account) -> None:
    account.create(zones=ZONES, node_count=6)
    through(account)
    body = template(account)
    assert len(body.encode()) > AWSStacks.largest
    place = f"{NAME}/manifests/cloudformation.yaml"
    assert account.client("s3").get_object(Bucket=BUCKET, Key=place)["Body"].read().decode() == body
    assert (beyond(account), through(account).changed) == ([], False)


def test_what_the_plan_does_not_say_is_not_replaced(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    """CloudFormation's registry says another thing than its change set."""
    account.create(zones=ZONES[:1])
    through(account)
    before = template(account)
    client = account.client("cloudformation")
    changed = before.replace("ToPort: 22\n", "ToPort: 23\n")
    assert changed != before
    client.update_stack(StackName=STACK, TemplateBody=changed, Capabilities=["CAPABILITY_NAMED_IAM"])
    monkeypatch.setattr(AWSStacks, "fixed", lambda self, cloud, kinds: {})
    with pytest.raises(KopsError, match=r"would replace SecurityGroupRule/.*-22to22-.*, which the plan does not say"):
        through(account)
    assert template(account) == changed
    monkeypatch.undo()


# Where the first runs are killed: at which of their writes, the first of which is the lease's, and whether before that
# is carried out.
KILLS = {
    "created": (2, False),
    "before it is created once more": (2, True),
    "before it is carried out": (3, True),
    "carried out": (3, False),
}


@pytest.mark.long
def test_killed_at_any_write_it_completes(account: Account, tmp_path: Path) -> None:
    account.create(zones=ZONES[:1])
    account.update(target="cloudformation", out=str(tmp_path))
    killed = [killed_at(account, write, before) for write, before in KILLS.values()]
    assert killed == [f"cloudformation.{name}ChangeSet" for name in ("Create", "Create", "Execute", "Execute")]
    # The stack is there now. What one run has left, the next one removes, and so on with the workers' template.
    further = []
    while not further or further[-1]:
        further.append(killed_at(account, 2 + len(further) // 2, before=len(further) % 2 == 1))
    assert {f"cloudformation.{name}ChangeSet" for name in ("Create", "Delete")} <= {*further}
    assert (beyond(account), through(account).changed) == ([], False)
    client = account.client("cloudformation")
    assert len(client.describe_stacks()["Stacks"]) == 1
    assert client.list_change_sets(StackName=STACK)["Summaries"] == []


def killed_at(account: Account, write: int, before: bool) -> str:
    """The operation at which an update is killed; "" if it came through before it."""
    return kill_at(account, write, before=before, operation="update", **CARRIED_OUT).partition(" ")[0]


def test_answers_that_are_lost_are_asked_for_again(account: Account) -> None:
    account.create(zones=ZONES[:1])
    with account.server.lose_answers("first"):
        through(account)
    assert (beyond(account), through(account).changed) == ([], False)


def template(account: Account) -> Any:
    return account.client("cloudformation").get_template(StackName=STACK)["TemplateBody"]
