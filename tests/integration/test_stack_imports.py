# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster that was made directly comes into a stack, and out of it, and no object is made anew.

moto's stacks take objects in as CloudFormation does it (support/moto_change_sets.py).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.stacks import stacks as stacks_of_aws
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.stacks.stacks import AWSStacks
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import ApplyError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.targets.release import Release
from ansible_collections.kubeops.kops.plugins.module_utils.operations.targets.target import Planned
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.desired import Desired
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, Account
from ansible_collections.kubeops.kops.tests.integration.test_aws_cluster import NODES, ZONES
from ansible_collections.kubeops.kops.tests.integration.test_aws_faults import kill_at
from ansible_collections.kubeops.kops.tests.integration.test_cloudformation import STACK, beyond
from ansible_collections.kubeops.kops.tests.integration.test_stacks import (
    CARRIED_OUT,
    TEMPLATE_OF_ANOTHER,
    TEMPLATE_OF_OURS,
    status,
    steps,
    template,
    through,
)

TAKES_IN = "objects that are there, as they are"


def test_a_cluster_that_was_made_directly_comes_into_a_stack(account: Account) -> None:
    before = account.inventory()
    account.create(zones=ZONES[:2])
    account.update()
    made = in_cloud(account)
    planned = through(account, check=True)
    (stack,) = (each for each in planned.plan.outside if each["kind"] == "Stack")
    assert (stack["action"], TAKES_IN in stack["reason"]) == ("create", True)
    # Nothing is made anew but what a stack says of its own.
    assert {each["kind"] for each in planned.plan.outside} == {"Stack", "StackOutput"}
    assert through(account).plan.id == planned.plan.id
    assert in_cloud(account) == made
    assert status(account) == "UPDATE_COMPLETE"
    assert (beyond(account), through(account).changed, through(account, check=True).changed) == ([], False, False)

    account.change_group(NODES, max_size=4)
    assert steps(through(account)) == [f"update AutoscalingGroup/{NODES}.{NAME}"]
    assert beyond(account) == []
    # All ids are right: the stack deletes what it has taken in.
    account.delete()
    assert account.inventory() == before


def test_it_comes_out_of_the_stack_and_in_again(account: Account) -> None:
    before = account.inventory()
    account.create(zones=ZONES[:1])
    through(account)
    account.update()
    made = in_cloud(account)
    planned = through(account, release=True, check=True)
    assert steps(planned) == [f"delete Stack/{STACK}"]
    assert len(stacks(account)) == 1
    released = through(account, release=True)
    assert released.plan.id == planned.plan.id
    assert released.written.next_step.startswith("kubeops.kops.update_cluster without a target")
    assert (stacks(account), in_cloud(account)) == ([], made)
    again = through(account, release=True)
    assert (account.update().changed, again.changed, again.plan.warnings) == (
        False,
        False,
        [f"cluster {NAME} has no stack"],
    )
    through(account)
    assert (in_cloud(account), beyond(account)) == (made, [])
    # What a stack cannot say, and has not been said yet, keeps nothing out of it.
    ec2 = account.client("ec2")
    rules = [each["SecurityGroupRuleId"] for each in ec2.describe_security_group_rules()["SecurityGroupRules"]]
    ec2.delete_tags(Resources=rules)
    through(account, release=True)
    through(account)
    assert beyond(account) == []
    through(account, release=True)
    account.delete()
    assert account.inventory() == before


def test_what_a_direct_run_would_change_is_refused(account: Account) -> None:
    account.create(zones=ZONES[:1])
    account.update()
    account.change_group(NODES, max_size=4)
    for check in (True, False):
        with pytest.raises(KopsError, match=rf"not what the template says: AutoscalingGroup/{NODES}.{NAME}\."):
            through(account, check=check)
    assert stacks(account) == []
    account.update()
    through(account)
    assert beyond(account) == []


def test_a_group_that_a_direct_run_has_made_comes_into_the_stack(account: Account) -> None:
    account.create(zones=ZONES[:1])
    through(account)
    add_group(account, "more")
    account.update()
    made = account.inventory()
    planned = through(account)
    assert steps(planned) == [f"update Stack/{STACK}"]
    assert planned.plan.outside[0]["reason"].endswith(TAKES_IN)
    assert account.inventory() == made
    assert "AutoscalingGroupMore" in template(account)
    assert (beyond(account), through(account).changed) == ([], False)


@pytest.mark.long
def test_killed_at_any_write_it_comes_in_and_out(account: Account) -> None:
    account.create(zones=ZONES[:1])
    account.update()
    made = in_cloud(account)
    taken_in = killed_until_done(account)
    assert {f"cloudformation.{name}ChangeSet" for name in ("Create", "Execute")} <= {*taken_in}
    assert (in_cloud(account), beyond(account), through(account).changed) == (made, [], False)
    let_go = killed_until_done(account, release=True)
    assert "cloudformation.DeleteStack" in let_go
    assert (stacks(account), in_cloud(account), account.update().changed) == ([], made, False)


def killed_until_done(account: Account, **options: Any) -> list[str]:
    """The operations at which runs are killed: before each of their writes, and after it, until one comes through."""
    found: list[str] = []
    while not found or found[-1]:
        # The first write is the lease's.
        at, before = 2 + len(found) // 2, len(found) % 2 == 0
        killed = kill_at(account, at, before=before, operation="update", **CARRIED_OUT, **options)
        found.append(killed.partition(" ")[0])
    return found[:-1]


def test_answers_that_are_lost_are_asked_for_again(account: Account) -> None:
    account.create(zones=ZONES[:1])
    account.update()
    made = in_cloud(account)
    with account.server.lose_answers("first"):
        through(account)
    assert (in_cloud(account), through(account).changed) == (made, False)
    with account.server.lose_answers("first"):
        through(account, release=True)
    assert (stacks(account), in_cloud(account), account.update().changed) == ([], made, False)


def test_what_could_not_be_taken_in_stays_and_is_made_when_it_is_mended(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody deletes a group while CloudFormation takes it in."""
    account.create(zones=ZONES[:1])
    account.update()
    group = f"{NODES}.{NAME}"
    imported = AWSStacks.imported

    def deleted_meanwhile(self: AWSStacks, *arguments: Any) -> Any:
        found = imported(self, *arguments)
        client = account.client("autoscaling")
        client.delete_auto_scaling_group(AutoScalingGroupName=group, ForceDelete=True)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(AWSStacks, "imported", deleted_meanwhile)
        with pytest.raises(ApplyError) as failed:
            through(account)
    assert f"could not take these objects into the stack {STACK}, and has left them as they were" in str(failed.value)
    assert f"AutoscalingGroup/{group}: Resource {group} does not exist" in str(failed.value)
    left = in_cloud(account)
    assert status(account) == "IMPORT_ROLLBACK_COMPLETE"
    assert f"create AutoscalingGroup/{group}" in steps(through(account))
    assert {kind: found for kind, found in left.items() if not {*found} <= {*in_cloud(account)[kind]}} == {}
    assert (beyond(account), through(account).changed) == ([], False)


def test_a_stack_that_does_not_keep_all_is_not_deleted(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    """CloudFormation says that policies change nothing; and another user's update comes between plan and deletion."""
    account.create(zones=ZONES[:1])
    through(account)
    made = in_cloud(account)
    with monkeypatch.context() as patch:
        patch.setattr(stacks_of_aws, "make_change_set", lambda *arguments, **more: None)
        with pytest.raises(
            KopsError, match=rf"stack {STACK} does not keep all .* would go with it\. It was not deleted"
        ):
            through(account, release=True)
    assert (len(stacks(account)), in_cloud(account)) == (1, made)
    planned = Release.planned

    def changed_meanwhile(self: Release, desired: Desired) -> Planned:
        found = planned(self, desired)
        body = re.sub(r"(MaxSize: .?)1\b", r"\g<1>4", template(account))
        client = account.client("cloudformation")
        client.update_stack(StackName=STACK, TemplateBody=body, Capabilities=["CAPABILITY_NAMED_IAM"])
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Release, "planned", changed_meanwhile)
        with pytest.raises(KopsError, match=f"the stack {STACK} was changed meanwhile"):
            through(account, release=True)
    assert re.search(r"MaxSize: .?4\b", template(account))
    through(account, release=True)
    assert (stacks(account), in_cloud(account)) == ([], made)


def test_a_stack_of_others_does_not_take_anything_in(account: Account) -> None:
    account.create(zones=ZONES[:1])
    account.update()
    before = account.inventory()
    client = account.client("cloudformation")
    client.create_stack(StackName=STACK, TemplateBody=TEMPLATE_OF_ANOTHER)
    for options in ({}, {"release": True}):
        with pytest.raises(KopsError, match=f"the stack {STACK} has a template of cluster other"):
            through(account, **options)
    assert (account.inventory(), template(account)) == (before, TEMPLATE_OF_ANOTHER)


def test_a_protected_stack_is_not_left(account: Account) -> None:
    account.create(zones=ZONES[:1])
    client = account.client("cloudformation")
    client.create_stack(StackName=STACK, TemplateBody=TEMPLATE_OF_OURS, EnableTerminationProtection=True)
    before = account.inventory()
    for check in (True, False):
        with pytest.raises(KopsError, match=f"the stack {STACK} is protected from deletion"):
            through(account, release=True, check=check)
    assert (account.inventory(), template(account)) == (before, TEMPLATE_OF_OURS)


def in_cloud(account: Account) -> dict[str, list[str]]:
    """What the account has. The template of a stack may be in the state store."""
    return {kind: found for kind, found in account.inventory().items() if kind != "stored files"}


def add_group(account: Account, name: str) -> None:
    """Another group of workers like the one that is there."""
    store = ClusterStore.open(account.store, NAME)
    (group,) = (each for each in store.read_groups() if each.metadata.name == NODES)
    store.write_group(replace(group, metadata=replace(group.metadata, name=name)))


def stacks(account: Account) -> list[Any]:
    return list(account.client("cloudformation").describe_stacks()["Stacks"])
