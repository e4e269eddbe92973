# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The template as AWS sees it: written once, and made into a stack in which a direct update finds what it would make.

moto's stacks are made by its services' operations here (support/moto_stacks.py).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws import tasks
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks._task import AWSTask
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_data import Action
from ansible_collections.kubeops.kops.plugins.module_utils.operations.targets.template_files import TEMPLATE
from ansible_collections.kubeops.kops.tests.documented.runs import CLOUDFORMATION, taken_by
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, Account, run_ansible
from ansible_collections.kubeops.kops.tests.integration.test_aws_cluster import (
    CLUSTERS,
    IN_THE_ACCOUNT,
    IN_THE_STORE,
    NODES,
    ZONES,
)

from tests.golden.cloudformation import findings

STACK = "demo-example-com"
# What no template can say, and the first direct run adds: kind -> fields, as docs/cloudformation.md has them.
LEFT: dict[str, Collection[str]] = {
    "SecurityGroupRule": {"tags"},
    "IAMInstanceProfile": {"tags"},
    "AutoscalingGroup": {"launch_template_version", "suspend_processes"},
    "LaunchTemplate": {"default_version"},
}
LEFT_OUT = ("DNSPlaceholder", "DNSZone")


def test_the_tasks_say_so_themselves() -> None:
    for module in pkgutil.iter_modules(tasks.__path__, f"{tasks.__name__}."):
        importlib.import_module(module.name)
    kinds = {kind.__name__: kind for kind in subclasses(AWSTask)}
    assert {name: set(kind.unsaid) for name, kind in kinds.items() if kind.unsaid} == LEFT


def subclasses(kind: type[AWSTask]) -> Iterator[type[AWSTask]]:
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


def written(account: Account, out: Path) -> str:
    account.update(target="cloudformation", out=str(out))
    return (out / TEMPLATE).read_text()


def make_stack(account: Account, body: str) -> None:
    client = account.client("cloudformation")
    client.create_stack(StackName=STACK, TemplateBody=body, Capabilities=["CAPABILITY_NAMED_IAM"])
    (stack,) = client.describe_stacks()["Stacks"]
    assert stack["StackStatus"] == "CREATE_COMPLETE", stack


def make_cluster(account: Account, out: Path) -> str:
    """A stack with all of a cluster; returns its template. Where workers need the load balancer's addresses, in two."""
    first = written(account, out)
    make_stack(account, first)
    body = written(account, out)
    if body != first:
        assert "AutoscalingGroupNodes" not in first
        change_stack(account, body)
    return body


def change_stack(account: Account, body: str) -> None:
    client = account.client("cloudformation")
    client.update_stack(StackName=STACK, TemplateBody=body, Capabilities=["CAPABILITY_NAMED_IAM"])


def beyond(account: Account) -> list[str]:
    """What a direct run would do, but for what no template can say."""
    plan = account.update(check=True).plan
    found = []
    for step in plan.active():
        kind, fields = step.task.kind, set(step.changes)
        is_left = kind in LEFT_OUT or (step.action is Action.UPDATE and fields <= set(LEFT.get(kind, ())))
        if not is_left:
            found.append(f"{step.action.value} {step.task.key} {step.changes}")
    return [*found, *(f"delete {each.item}" for each in plan.deletions)]


@pytest.mark.parametrize(
    "kind", [each if each == "minimal" else pytest.param(each, marks=pytest.mark.turn(1)) for each in CLUSTERS]
)
def test_a_direct_update_finds_what_the_stack_has_made(account: Account, tmp_path: Path, kind: str) -> None:
    IN_THE_ACCOUNT.get(kind, lambda account: None)(account)
    account.create(**CLUSTERS[kind])
    IN_THE_STORE.get(kind, lambda account: None)(account)
    body = make_cluster(account, tmp_path)
    assert findings(body) == []
    assert beyond(account) == []
    account.update()
    assert not account.update(check=True).plan.changed
    assert written(account, tmp_path) == body


def test_it_is_written_once_and_nothing_else_is(account: Account, tmp_path: Path) -> None:
    account.create(zones=ZONES[:1])
    before = account.inventory()
    out = tmp_path / "out"
    planned = account.update(target="cloudformation", out=str(out), check=True)
    assert (planned.files, out.exists()) == ([TEMPLATE], False)
    done = account.update(target="cloudformation", out=str(out))
    assert done.files == [TEMPLATE]
    assert f"deploy --template-file {out}/{TEMPLATE} --stack-name {STACK}" in done.written.next_step
    assert [name for name, found in account.inventory().items() if found != before[name]] == ["stored files"]
    again = account.update(target="cloudformation", out=str(out))
    assert (again.changed, again.files) == (False, [])


def test_the_documented_commands_make_it_and_write_it(
    account: Account, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned, applied, released, rendered = taken_by(CLOUDFORMATION, "docs/cloudformation.md")
    monkeypatch.setenv("KOPS_STATE_STORE", account.store)
    monkeypatch.setenv("KOPS_CLUSTER_NAME", NAME)
    account.create(zones=ZONES[:1])
    assert f"+ Stack/{STACK}" in run_ansible(*planned.words, directory=tmp_path)
    assert account.client("cloudformation").describe_stacks()["Stacks"] == []
    run_ansible(*applied.words, directory=tmp_path)
    assert beyond(account) == []
    run_ansible(*released.words, directory=tmp_path)
    assert account.client("cloudformation").describe_stacks()["Stacks"] == []
    run_ansible(*applied.words, directory=tmp_path)
    assert beyond(account) == []
    said = run_ansible(*rendered.words, directory=tmp_path)
    assert "aws cloudformation deploy --template-file out/cloudformation/cloudformation.yaml" in said
    assert (tmp_path / "out" / "cloudformation" / TEMPLATE).is_file()


def test_a_change_set_holds_what_has_changed_alone(account: Account, tmp_path: Path) -> None:
    account.create(zones=ZONES[:2])
    assert changes(account, make_cluster(account, tmp_path)) == []
    account.change_group(NODES, max_size=4)
    body = written(account, tmp_path)
    assert changes(account, body) == ["Modify AutoscalingGroupNodesUsEast1a"]
    change_stack(account, body)
    assert beyond(account) == []


def changes(account: Account, body: str) -> list[str]:
    """Of a change set."""
    client = account.client("cloudformation")
    client.create_change_set(StackName=STACK, ChangeSetName="next", TemplateBody=body, ChangeSetType="UPDATE")
    found = client.describe_change_set(StackName=STACK, ChangeSetName="next").get("Changes", [])
    client.delete_change_set(StackName=STACK, ChangeSetName="next")
    resources = [each["ResourceChange"] for each in found]
    return [f"{each['Action']} {each['LogicalResourceId']}" for each in resources]


def test_data_of_etcd_outlive_the_stack_until_the_cluster_is_deleted(account: Account, tmp_path: Path) -> None:
    before = account.inventory()
    account.create(zones=ZONES[:1])
    make_cluster(account, tmp_path)
    account.client("cloudformation").delete_stack(StackName=STACK)
    with pytest.raises(KopsError, match=r"EBSVolume/a\.etcd-.* is there \(vol-.*\), and no stack has made it"):
        account.update(target="cloudformation", out=str(tmp_path))
    left = {kind: found for kind, found in account.inventory().items() if found != before[kind]}
    assert sorted(left) == ["stored files", "volumes"]
    account.delete()
    assert account.inventory() == before


def test_the_template_of_another_cluster_is_not_replaced(account: Account, tmp_path: Path) -> None:
    account.create(zones=ZONES[:1])
    (tmp_path / TEMPLATE).write_text(
        written(account, tmp_path).replace(f"Cluster: {NAME}", "Cluster: other.example.com")
    )
    with pytest.raises(KopsError, match=r"has the template of cluster other\.example\.com"):
        account.update(target="cloudformation", out=str(tmp_path))
    (tmp_path / TEMPLATE).write_text("Resources: {}")
    with pytest.raises(KopsError, match=rf"has a {TEMPLATE} that no cluster has written"):
        account.update(target="cloudformation", out=str(tmp_path))


def test_what_instances_get_when_they_are_replaced_is_said(account: Account, tmp_path: Path) -> None:
    account.create(zones=ZONES[:1])
    make_cluster(account, tmp_path)
    account.change_group(NODES, node_labels={"kops.k8s.io/instancegroup": NODES, "a": "b"})
    done = account.update(target="cloudformation", out=str(tmp_path))
    assert list(done.pending) == [f"{NODES}.{NAME}"]


def test_workers_stay_in_the_template_when_the_load_balancer_is_gone(account: Account, tmp_path: Path) -> None:
    account.create(zones=ZONES[:1])
    body = make_cluster(account, tmp_path)
    client = account.client("elbv2")
    for each in client.describe_load_balancers()["LoadBalancers"]:
        client.delete_load_balancer(LoadBalancerArn=each["LoadBalancerArn"])
    with pytest.raises(KopsError, match=f"LaunchTemplate/{NODES}.{NAME} could not be in the template"):
        account.update(target="cloudformation", out=str(tmp_path))
    assert (tmp_path / TEMPLATE).read_text() == body


def test_a_cluster_that_was_made_directly_is_not_made_once_more(account: Account, tmp_path: Path) -> None:
    account.create(zones=ZONES[:1])
    account.update()
    out = tmp_path / "out"
    with pytest.raises(KopsError, match="no stack has made it.* With apply: true .*, a stack takes it in"):
        account.update(target="cloudformation", out=str(out))
    assert not out.exists()
