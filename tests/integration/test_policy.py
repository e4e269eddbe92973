# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Policies: what they forbid is not written, neither to the cloud nor to the state store, and all of it is told."""

from __future__ import annotations

import pathlib
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, remove_groups
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.outcome import outcome
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE, Account

ZONE = "us-east-1a"
NODES = f"nodes-{ZONE}"
RULES = """\
rules:
- {name: api, message: The VPN., about: cluster, field: "spec.kubernetesApiAccess[]", forbidden: ["0.0.0.0/0"]}
- {name: types, message: Ask., about: group, field: spec.machineType, allowed: [m6i.large], effect: warn}
- {name: sizes, message: Ask., about: group, names: ["nodes-*"], field: spec.maxSize, max: 2}
- {name: volumes, message: Ask., about: object, kinds: [EBSVolume], field: fields.encrypted, allowed: [true]}
- {name: groups, message: Ask., about: change, kinds: [AutoscalingGroup], actions: [delete], never: true}
- {name: vpcs, message: Ask., about: change, kinds: [vpc, StateStore], actions: [delete], never: true}
"""
API = "Cluster/demo.example.com: spec.kubernetesApiAccess[] is 0.0.0.0/0, which is forbidden."
WARNING = f"InstanceGroup/{NODES}: spec.machineType is t3.medium; allowed: m6i.large."


@pytest.fixture()
def rules(tmp_path: pathlib.Path) -> str:
    path = tmp_path / "policy" / "rules.yml"
    path.parent.mkdir()
    path.write_text(RULES)
    return str(path.parent)


def private(account: Account) -> None:
    store = ClusterStore.open(STORE, NAME)
    cluster = store.read_cluster()
    cluster.spec.api.access = ["10.0.0.0/8"]
    store.write_cluster(cluster)


def test_nothing_is_written_of_what_is_forbidden(account: Account, rules: str) -> None:
    account.create(zones=[ZONE])
    account.change_group(NODES, max_size=3)
    before, stored = account.inventory(), account.stored()
    for check in (True, False):
        with account.server.recorded() as calls:
            result = account.update(check=check, policy=[rules])
        assert account.writes(calls) == []
        assert not result.changed
        assert [(each.rule, each.effect, each.object) for each in result.violations] == [
            ("api", "deny", f"Cluster/{NAME}"),
            ("types", "warn", f"InstanceGroup/control-plane-{ZONE}"),
            ("types", "warn", f"InstanceGroup/{NODES}"),
            ("sizes", "deny", f"InstanceGroup/{NODES}"),
        ]
        told = outcome(result, check=check)
        assert told.failure.splitlines()[0] == "the policy forbids this, nothing was written:"
        assert told.failure.splitlines()[1].startswith(f"- {API} The VPN. (rule api, {rules}/rules.yml, line 2)")
        assert len(told.failure.splitlines()) == 3
        assert any(each.startswith(WARNING) for each in told.warnings)
        assert told.values["plan"]
    assert account.inventory() == before
    assert account.stored() == stored

    private(account)
    account.change_group(NODES, max_size=2)
    planned = account.update(check=True, policy=[rules])
    applied = account.update(policy=[rules])
    assert planned.plan.id == applied.plan.id
    assert applied.changed
    assert outcome(applied, check=False).failure == ""
    assert not account.update(policy=[rules]).changed


def test_deletions_are_forbidden(account: Account, rules: str) -> None:
    account.create(zones=[ZONE, "us-east-1b"], control_plane_zones=[ZONE])
    private(account)
    account.update(policy=[rules])
    before, stored = account.inventory(), account.stored()
    for check in (True, False):
        deleted = account.delete(check=check, policy=[rules])
        assert not deleted.changed
        assert [each.object.split("/")[0] for each in deleted.violations] == ["vpc", "StateStore"]
        assert deleted.resources
    assert account.inventory() == before
    assert account.stored() == stored
    remove_groups(StoreOptions(STORE), NAME, [NODES])
    before = account.inventory()
    removed = account.update(policy=[rules])
    assert [(each.rule, each.what) for each in removed.violations if each.effect == "deny"] == [
        ("groups", "delete is forbidden")
    ]
    assert account.inventory() == before


def test_a_deletion_that_waits_for_another_user_is_judged_by_what_that_user_has_made(
    account: Account, tmp_path: pathlib.Path
) -> None:
    rules = tmp_path / "rules.yml"
    rules.write_text("rules:\n- {name: vpcs, message: Ask., about: change, kinds: [vpc], never: true}\n")
    account.create(zones=[ZONE])
    lease = ClusterStore.open(STORE, NAME).lease_for("update cluster")
    lease.look()
    with ThreadPoolExecutor(1) as executor:
        with lease:
            deleting = executor.submit(account.delete, policy=[str(rules)], lease_wait=60)
            # So long it needs to see that there is no VPC yet.
            time.sleep(2)
            ec2 = account.client("ec2")
            vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
            tags = {"KubernetesCluster": NAME, f"kubernetes.io/cluster/{NAME}": "owned", "Name": NAME}
            ec2.create_tags(Resources=[vpc], Tags=[{"Key": key, "Value": value} for key, value in tags.items()])
        result = deleting.result()
    assert not result.changed
    assert [each.rule for each in result.violations] == ["vpcs"]
    assert vpc in [each["VpcId"] for each in ec2.describe_vpcs()["Vpcs"]]
    assert account.stored()


@pytest.mark.long
def test_the_playbooks_take_a_policy(account: Account, rules: str, tmp_path: pathlib.Path) -> None:
    before = account.inventory()
    create = [
        *("ansible-playbook", "kubeops.kops.create_cluster", "-e", f"kops_zones={ZONE}", "-e", f"kops_policy={rules}"),
        *("-e", "kops_ssh_public_key="),
    ]
    for check in ([], ["--check"]):
        output = account.ansible(*create, *check, expect=2)
        assert "the policy forbids this, nothing was written" in output
        assert API in output
        # The plan is shown all the same.
        assert " to create, 0 to change, 0 to delete" in output
    assert not ClusterStore.open(STORE, NAME).exists()
    assert account.inventory() == before

    allowed = [*create, "-e", "kops_admin_access=10.0.0.0/8"]
    account.ansible(*allowed)
    assert "changed=0" in account.ansible(*allowed)
    for check in ([], ["--check"]):
        output = account.ansible(
            "ansible-playbook", "kubeops.kops.delete_cluster", "-e", f"kops_policy={rules}", *check, expect=2
        )
        assert "the policy forbids this, nothing was deleted" in output
    assert ClusterStore.open(STORE, NAME).exists()

    (tmp_path / "wrong.yml").write_text("rules: [{name: a}]")
    output = account.ansible(
        "ansible-playbook", "kubeops.kops.update_cluster", "-e", f"kops_policy={tmp_path}/wrong.yml", expect=2
    )
    assert "the policy cannot be used" in output
