# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster with more instance groups than one stack takes: the others are in stacks nested in it.

Here a nested stack takes two groups, and the first stack none. moto's nested stacks are in support/moto_nested.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.stacks.stacks import AWSStacks
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.stacks import read_template
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import ApplyError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets import template_parts
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.look import DriftOptions, look_for_drift
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, remove_groups
from ansible_collections.kubeops.kops.plugins.module_utils.operations.targets.template_files import TEMPLATE
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.bench.groups import add_groups
from ansible_collections.kubeops.kops.tests.integration.conftest import BUCKET, NAME, Account
from ansible_collections.kubeops.kops.tests.integration.test_aws_cluster import CLUSTERS, IN_THE_ACCOUNT, NODES, ZONES
from ansible_collections.kubeops.kops.tests.integration.test_cloudformation import STACK, beyond
from ansible_collections.kubeops.kops.tests.integration.test_stack_imports import in_cloud, stacks
from ansible_collections.kubeops.kops.tests.integration.test_stacks import (
    NOT_OFFERED,
    REFUSED,
    killed_at,
    status,
    steps,
    template,
    through,
)

from tests.golden.cloudformation import PASSED_OVER, findings

# What cfn-lint says of the names of files, for which there is a command.
NEEDS_PACKAGE = "W3002"
GROUP = "AWS::AutoScaling::AutoScalingGroup"
ROOM_RESOURCES = template_parts.ROOM_RESOURCES
# A launch template, a group and a hook.
OF_A_GROUP = 3
PLACE = "manifests/cloudformation/"


@pytest.fixture(autouse=True)
def small_stacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template_parts, "ROOM_RESOURCES", 2 * OF_A_GROUP)


@pytest.fixture()
def cluster(account: Account) -> Account:
    """Stored, with four groups of workers: nodes-us-east-1a, and nodes-000 to nodes-002."""
    account.create(zones=ZONES[:1])
    add_groups(account.store, NAME, 5)
    return account


def parts(account: Account) -> dict[str, list[str]]:
    """The nested stacks: their ids in the template -> the instance groups in them."""
    client = account.client("cloudformation")
    listed = client.list_stack_resources(StackName=STACK)["StackResourceSummaries"]
    found = {}
    for each in listed:
        if each["ResourceType"] == template_parts.STACK:
            inside = client.list_stack_resources(StackName=each["PhysicalResourceId"])["StackResourceSummaries"]
            groups = (one["PhysicalResourceId"] for one in inside if one["ResourceType"] == GROUP)
            found[each["LogicalResourceId"]] = sorted(name.removesuffix(f".{NAME}") for name in groups)
    return found


def stored_parts(account: Account) -> list[str]:
    files = (file.name for file in ClusterStore.open(account.store, NAME).files())
    return sorted(name.removeprefix(PLACE).rpartition("-")[0] for name in files if name.startswith(PLACE))


def add_group(account: Account, name: str) -> None:
    store = ClusterStore.open(account.store, NAME)
    group = codec.copy(next(each for each in store.read()[1] if each.metadata.name == "nodes-002"))
    group.metadata.name = name
    store.write_group(group)


def remove_group(account: Account, name: str) -> None:
    remove_groups(StoreOptions(account.store), NAME, [name])


@pytest.mark.long
def test_groups_stay_where_they_are_while_others_come_and_go(cluster: Account) -> None:
    before = cluster.inventory()
    made = through(cluster)
    assert f"create AutoscalingGroup/{NODES}.{NAME}" in steps(made)
    assert not [each for each in steps(made) if "Groups" in each]
    assert parts(cluster) == {"Groups1": ["nodes-000", "nodes-001"], "Groups2": ["nodes-002", NODES]}
    assert (beyond(cluster), through(cluster).changed, through(cluster, check=True).changed) == ([], False, False)

    cluster.change_group("nodes-001", max_size=4)
    assert steps(through(cluster)) == [f"update AutoscalingGroup/nodes-001.{NAME}"]
    assert stored_parts(cluster) == ["cloudformation-groups-1", "cloudformation-groups-2"]

    remove_group(cluster, "nodes-000")
    add_group(cluster, "late")
    done = through(cluster)
    assert {"delete AutoscalingGroup/Nodes000", f"create AutoscalingGroup/late.{NAME}"} <= {*steps(done)}
    assert parts(cluster) == {"Groups1": ["late", "nodes-001"], "Groups2": ["nodes-002", NODES]}
    add_group(cluster, "later")
    through(cluster)
    assert parts(cluster) == {"Groups1": ["late", "nodes-001"], "Groups2": ["nodes-002", NODES], "Groups3": ["later"]}
    for name in ("late", "nodes-001"):
        remove_group(cluster, name)
    through(cluster)
    assert parts(cluster) == {"Groups2": ["nodes-002", NODES], "Groups3": ["later"]}
    assert stored_parts(cluster) == ["cloudformation-groups-2", "cloudformation-groups-3"]
    assert (beyond(cluster), through(cluster).changed) == ([], False)

    cluster.delete()
    assert {kind: found for kind, found in cluster.inventory().items() if kind != "stored files"} == {
        kind: found for kind, found in before.items() if kind != "stored files"
    }
    assert cluster.client("cloudformation").describe_stacks()["Stacks"] == []


@pytest.mark.long
def test_drift_is_looked_for_in_all_and_all_comes_out_and_in_again(cluster: Account) -> None:
    before = cluster.inventory()
    through(cluster)
    cluster.update()
    group = f"nodes-000.{NAME}"
    cluster.client("autoscaling").update_auto_scaling_group(AutoScalingGroupName=group, MaxSize=7)
    drift = look_for_drift(DriftOptions(cluster.store, NAME, parts=["stack"]))
    assert [(each.what, each.name, dict(each.before)) for each in drift.found] == [
        ("different", group, {"MaxSize": "7"})
    ]
    cluster.update()
    made = in_cloud(cluster)
    through(cluster, release=True)
    assert (stacks(cluster), in_cloud(cluster), stored_parts(cluster)) == ([], made, [])
    assert (cluster.update().changed, in_cloud(cluster)) == (False, made)
    # What is taken in is in the first stack; what comes later is not.
    through(cluster)
    assert (in_cloud(cluster), parts(cluster)) == (made, {})
    add_group(cluster, "late")
    through(cluster)
    assert parts(cluster) == {"Groups1": ["late"]}
    # A direct run makes a group beside a stack that has parts.
    add_group(cluster, "later")
    cluster.update()
    made = in_cloud(cluster)
    assert steps(through(cluster)) == [f"update Stack/{STACK}"]
    assert (in_cloud(cluster), parts(cluster), beyond(cluster)) == (made, {"Groups1": ["late"]}, [])
    cluster.delete()
    assert {kind: found for kind, found in before.items() if kind != "stored files"} == in_cloud(cluster)


def test_what_fails_in_a_part_is_undone_and_explained(cluster: Account) -> None:
    through(cluster)
    there = parts(cluster)
    cluster.change_group(NODES, machine_type=NOT_OFFERED)
    add_group(cluster, "late")
    with pytest.raises(ApplyError) as failed:
        through(cluster)
    assert str(failed.value).splitlines()[1:] == [f"- AutoscalingGroup/{NODES}.{NAME}: {REFUSED}"]
    assert (status(cluster), parts(cluster)) == ("UPDATE_ROLLBACK_COMPLETE", there)
    cluster.change_group(NODES, machine_type="t3.large")
    through(cluster)
    assert (beyond(cluster), through(cluster).changed) == ([], False)
    assert stored_parts(cluster) == [f"cloudformation-groups-{number}" for number in (1, 2, 3)]


@pytest.mark.long
def test_a_new_part_that_fails_leaves_nothing(cluster: Account) -> None:
    through(cluster)
    there, stacks = parts(cluster), len(cluster.client("cloudformation").describe_stacks()["Stacks"])
    add_group(cluster, "late")
    cluster.change_group("late", machine_type=NOT_OFFERED)
    with pytest.raises(ApplyError, match=rf"(?s)undone what it had changed.*AutoscalingGroup/late\.{NAME}: "):
        through(cluster)
    assert (parts(cluster), len(cluster.client("cloudformation").describe_stacks()["Stacks"])) == (there, stacks)


@pytest.mark.long
def test_what_the_plan_does_not_say_is_not_replaced_in_a_part(
    cluster: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CloudFormation's registry says another thing than the change set of a part."""
    through(cluster)
    files = ClusterStore.open(cluster.store, NAME).files()
    (part,) = (file.path for file in files if file.name.startswith(f"{PLACE}cloudformation-groups-2"))
    text = part.read().decode()
    assert "LifecycleHookName: " in text
    # As somebody has changed it.
    client = cluster.client("cloudformation")
    another = part.path.replace("groups-2", "another").removeprefix(f"{cluster.store}/")
    changed = text.replace("LifecycleHookName: ", "LifecycleHookName: of-")
    cluster.client("s3").put_object(Bucket=BUCKET, Key=another, Body=changed.encode())
    execute(cluster, template(cluster).replace("cloudformation-groups-2", "cloudformation-another"), "UPDATE")
    monkeypatch.setattr(AWSStacks, "fixed", lambda self, cloud, kinds: {})
    with pytest.raises(
        KopsError, match=rf"would replace AutoscalingLifecycleHook/.*{NODES}.*, which the plan does not say"
    ):
        through(cluster)
    assert len(client.list_change_sets(StackName=STACK)["Summaries"]) == 0
    assert another in template(cluster)


def execute(account: Account, body: str, kind: str) -> None:
    """Carry a template out, as `aws cloudformation deploy` does."""
    client = account.client("cloudformation")
    made = client.create_change_set(StackName=STACK, ChangeSetName="next", TemplateBody=body, ChangeSetType=kind)
    client.execute_change_set(ChangeSetName=made["Id"])


@pytest.mark.long
def test_killed_at_any_write_it_completes(cluster: Account, tmp_path: Path) -> None:
    cluster.update(target="cloudformation", out=str(tmp_path))
    # The first stack has no workers yet.
    assert killed_at(cluster, 3, before=False) == "cloudformation.ExecuteChangeSet"
    killed: list[str] = []
    while not killed or killed[-1]:
        killed.append(killed_at(cluster, 2 + len(killed) // 2, before=len(killed) % 2 == 1))
    assert {"s3.Put", "cloudformation.CreateChangeSet", "cloudformation.DeleteChangeSet"} <= {*killed}, killed
    assert (beyond(cluster), through(cluster).changed) == ([], False)
    client = cluster.client("cloudformation")
    assert len(client.describe_stacks()["Stacks"]) == 1 + len(parts(cluster))
    assert client.list_change_sets(StackName=STACK)["Summaries"] == []


@pytest.mark.long
def test_a_directory_has_the_parts_beside_the_template(cluster: Account, tmp_path: Path) -> None:
    first = cluster.update(target="cloudformation", out=str(tmp_path))
    assert first.files == [TEMPLATE]
    deploy(cluster, tmp_path, "CREATE")
    done = cluster.update(target="cloudformation", out=str(tmp_path))
    assert done.files == ["cloudformation-groups-1.yaml", "cloudformation-groups-2.yaml", TEMPLATE]
    package, deployed = done.written.next_step.split(" && ")
    assert package.startswith(f"aws cloudformation package --template-file {tmp_path}/{TEMPLATE} --s3-bucket BUCKET")
    assert package.endswith(f"--output-template-file {tmp_path}/packaged.yaml")
    assert deployed.startswith(
        f"aws cloudformation deploy --template-file {tmp_path}/packaged.yaml --stack-name {STACK}"
    )
    assert cluster.update(target="cloudformation", out=str(tmp_path)).files == []
    deploy(cluster, tmp_path, "UPDATE")
    assert (beyond(cluster), through(cluster, check=True).changed) == ([], False)

    for name in ("nodes-000", "nodes-001"):
        remove_group(cluster, name)
    theirs = tmp_path / "cloudformation-groups-9.yaml"
    theirs.write_text("Resources: {}\n")
    gone = cluster.update(target="cloudformation", out=str(tmp_path))
    assert gone.files == ["cloudformation-groups-1.yaml", TEMPLATE]
    assert [path.name for path in sorted(tmp_path.glob("*-groups-*"))] == ["cloudformation-groups-2.yaml", theirs.name]


@pytest.mark.long
def test_a_directory_that_lacks_a_part_or_has_anothers_is_refused(account: Account, tmp_path: Path) -> None:
    IN_THE_ACCOUNT["dns-private"](account)
    account.create(**CLUSTERS["dns-private"])
    before = account.inventory()
    part = tmp_path / "cloudformation-groups-1.yaml"
    part.write_text("Resources: {}\n")
    with pytest.raises(KopsError, match=rf"has a {part.name} that is no part of this template\. Nothing was written"):
        account.update(target="cloudformation", out=str(tmp_path))
    assert ([path.name for path in tmp_path.iterdir()], account.inventory()) == ([part.name], before)
    part.unlink()
    account.update(target="cloudformation", out=str(tmp_path))
    part.unlink()
    with pytest.raises(KopsError, match=rf"has {TEMPLATE} without its part {part.name}"):
        account.update(target="cloudformation", out=str(tmp_path))


@pytest.mark.long
def test_three_hundred_groups_keep_the_limits_of_cloudformation(
    account: Account, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(template_parts, "ROOM_RESOURCES", ROOM_RESOURCES)
    IN_THE_ACCOUNT["dns-private"](account)
    account.create(**CLUSTERS["dns-private"])
    add_groups(account.store, NAME, 301)
    out = tmp_path / "out"
    account.update(target="cloudformation", out=str(out))
    texts = {path.name: path.read_text() for path in out.iterdir()}
    templates = {name: read_template(text.encode(), name) for name, text in texts.items()}
    assert max(len(text.encode()) for text in texts.values()) < 700_000
    assert max(len(each["Resources"]) for each in templates.values()) < 320
    groups = [one for each in templates.values() for one in each["Resources"].values() if one["Type"] == GROUP]
    assert len(groups) == 301
    assert findings(texts[TEMPLATE], passed_over=[*PASSED_OVER, NEEDS_PACKAGE]) == []
    # All parts have the same kinds of resources.
    assert findings(min(texts.values(), key=len)) == []


def deploy(account: Account, out: Path, kind: str) -> None:
    """What `aws cloudformation package` and `deploy` do."""
    body = (out / TEMPLATE).read_text()
    for path in out.glob("cloudformation-groups-*.yaml"):
        account.client("s3").put_object(Bucket=BUCKET, Key=f"packaged/{path.name}", Body=path.read_bytes())
        body = body.replace(f": {path.name}\n", f": https://s3.us-east-1.amazonaws.com/{BUCKET}/packaged/{path.name}\n")
    execute(account, body, kind)
