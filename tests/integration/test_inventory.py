# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory plugin as its user runs it, and the list of instances, with clusters of an account."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.kubelet import KubeletConfigSpec
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.instances import (
    InstancesOptions,
    read_instances,
    text_of,
)
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE, Account, fresh_account, run_ansible
from ansible_collections.kubeops.kops.tests.integration.test_validation import api_server, authority_of
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.running_cluster import add_node

ZONE = "us-east-1a"
CONTROL_PLANE, WORKERS = f"control-plane-{ZONE}", f"nodes-{ZONE}"


@pytest.fixture(scope="module")
def cluster(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """Most tests only look at it; the last one does more."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        account = fresh_account(server, monkeypatch, tmp_path_factory.mktemp("account"))
        account.create(zones=[ZONE], topology="private", bastion=True, node_count=2)
        account.update()
        yield account


def by_group(cluster: Account, **options: Any) -> dict[str, list[dict[str, Any]]]:
    found = read_instances(InstancesOptions(STORE, NAME, **options)).found
    return {
        name: [each for each in found if each["instance_group"] == name]
        for name in (CONTROL_PLANE, WORKERS, "bastions")
    }


def test_instances_as_the_cloud_knows_them(cluster: Account) -> None:
    with cluster.server.recorded() as calls:
        found = read_instances(InstancesOptions(STORE, NAME, source="cloud"))
    assert cluster.writes(calls) == []
    assert {call: count for call, count in calls.items() if not call.startswith("s3.")} == {
        "autoscaling.DescribeAutoScalingGroups": 1,
        "ec2.DescribeInstances": 1,
        "ec2.DescribeLaunchTemplates": 1,
        "elasticloadbalancing.DescribeLoadBalancers": 1,
        "elasticloadbalancing.DescribeTags": 1,
    }
    assert found.bastion.startswith("bastion-")
    assert [each["role"] for each in found.found] == ["bastion", "control-plane", "node", "node"]
    assert {each["status"] for each in found.found} == {"UpToDate"}
    worker = found.found[-1]
    assert worker["id"] == worker["node"]
    assert (worker["zone"], worker["power"], worker["health"]) == (ZONE, "running", "unknown")
    assert worker["private_addresses"][0].startswith("172.20.")
    lines = text_of(found).splitlines()
    assert " ".join(lines[0].split()) == (
        "ID NODE-NAME STATUS HEALTH ROLES STATE INTERNAL-IP EXTERNAL-IP INSTANCE-GROUP MACHINE-TYPE"
    )
    assert len(lines) == 5


def test_instances_and_nodes(cluster: Account, tmp_path: pathlib.Path) -> None:
    with api_server(tmp_path, authority_of(cluster)) as fake:
        known = by_group(cluster, source="cloud")
        first, second = [each["id"] for each in known[WORKERS]]
        add_node(fake, known[CONTROL_PLANE][0]["id"], CONTROL_PLANE)
        add_node(fake, first, WORKERS)
        node = fake.objects[f"/api/v1/nodes/{first}"]
        node["metadata"]["annotations"] = {"kops.k8s.io/needs-update": ""}
        node["status"]["conditions"][0]["status"] = "Unknown"
        node["spec"] = {"providerID": f"aws:///{ZONE}/{first}"}
        node["status"]["addresses"] = [{"type": "InternalIP", "address": "10.0.0.1"}]
        found = by_group(cluster, api_server=fake.url)
        (server,) = found[CONTROL_PLANE]
        assert (server["health"], server["status"]) == ("healthy", "UpToDate")
        health = {each["id"]: (each["health"], each["node"], each["status"]) for each in found[WORKERS]}
        assert health == {first: ("unhealthy", first, "NeedsUpdate"), second: ("missing", "", "UpToDate")}
        # Bastions are no nodes.
        assert [each["health"] for each in found["bastions"]] == ["healthy"]
        chosen = by_group(cluster, api_server=fake.url, roles=["control-plane"])
        assert [len(each) for each in chosen.values()] == [1, 0, 0]

        nodes = by_group(cluster, source="api", api_server=fake.url)
        assert [(each["id"], each["role"], each["status"], each["private_addresses"]) for each in nodes[WORKERS]] == [
            (first, "node", "NeedsUpdate", ["10.0.0.1"])
        ]
        assert [each["role"] for each in nodes[CONTROL_PLANE]] == ["control-plane"]
        assert fake.writes() == []


def test_an_api_that_does_not_answer(cluster: Account) -> None:
    options = InstancesOptions(STORE, NAME, api_server="https://127.0.0.1:9")
    found = read_instances(options)
    # A group only sees that an instance runs; a bastion need not do more.
    assert [(each["role"], each["health"]) for each in found.found] == [
        ("bastion", "healthy"),
        ("control-plane", "unknown"),
        ("node", "unknown"),
        ("node", "unknown"),
    ]
    (warning,) = found.warnings
    assert "TCP 127.0.0.1: the given API server at this address port 9: Connection refused" in warning
    assert "\n" not in warning
    with pytest.raises(KopsError, match="Connection refused"):
        read_instances(InstancesOptions(STORE, NAME, source="api", api_server="https://127.0.0.1:9"))


def test_the_plugin_and_the_playbook(cluster: Account, tmp_path: pathlib.Path) -> None:
    worker = by_group(cluster, source="cloud")[WORKERS][0]["id"]
    file = tmp_path / "kops.yml"
    file.write_text(
        "plugin: kubeops.kops.kops\nssh_user: ubuntu\nstrict: true\nhostname: kops_role ~ '-' ~ kops_instance_id\n"
    )
    graph = run_ansible("ansible-inventory", "-i", str(file), "--graph", "--vars", directory=tmp_path)
    assert f"@cluster_{NAME.replace('.', '_')}:" in graph
    # In seven groups each.
    assert graph.count(f"|--node-{worker}") == 7
    assert "|--@cloud_instances:" in graph
    assert "{ansible_ssh_common_args = -o ProxyJump=ubuntu@bastion-" in graph

    file.write_text("plugin: kubeops.kops.kops\nadress: public\nclusters: [a.example.com]\n")
    failed = run_ansible("ansible-inventory", "-i", str(file), "--graph", directory=tmp_path)
    assert "- there is no option adress; did you mean address?" in failed
    assert "- there is no cluster a.example.com" in failed

    shown = run_ansible("ansible-playbook", "kubeops.kops.get_instances", "-e", "kops_instance_source=cloud")
    assert f"{worker}  {worker}  UpToDate" in shown


def test_old_and_detached_instances(cluster: Account) -> None:
    cluster.change_group(WORKERS, kubelet=KubeletConfigSpec(max_pods=42))
    cluster.update()
    first, second = [each["id"] for each in by_group(cluster, source="cloud")[WORKERS]]
    scaling, name = cluster.client("autoscaling"), f"{WORKERS}.{NAME}"
    scaling.detach_instances(AutoScalingGroupName=name, InstanceIds=[first], ShouldDecrementDesiredCapacity=False)
    tags = [{"Key": "kops.k8s.io/detached-from-asg", "Value": name}]
    cluster.client("ec2").create_tags(Resources=[first], Tags=tags)
    found = by_group(cluster, source="cloud")
    assert {each["status"] for each in found[CONTROL_PLANE]} == {"UpToDate"}
    status = {each["id"]: each["status"] for each in found[WORKERS]}
    assert (status.pop(first), status.pop(second)) == ("Detached", "NeedsUpdate")
    # The one that its group has started in place of the first.
    assert list(status.values()) == ["UpToDate"]
    assert [each["reasons"] for each in found[WORKERS] if each["id"] == second][0]
