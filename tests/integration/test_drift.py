# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drift of a cluster on AWS: what somebody changes by hand is found, and nothing else; nothing is written."""

from __future__ import annotations

import datetime
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.given import LOCATION
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.addons import StoredAddons
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.apply import apply_addons
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.finding import Drift
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.look import DriftOptions, look_for_drift
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.validation import (
    CloudExpectation,
    CloudValidator,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import BUCKET, NAME, STORE, ZONE, Account
from ansible_collections.kubeops.kops.tests.integration.test_validation import (
    CONTROL_PLANE,
    WORKERS,
    api_server,
    authority_of,
    instances,
)
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes
from ansible_collections.kubeops.kops.tests.support.running_cluster import add_node

NO_API = "https://127.0.0.1:1"
OUTSIDE = ("store", "cloud")


@pytest.fixture()
def cluster(account: Account) -> Account:
    account.create(zones=[ZONE])
    account.update()
    return account


def look(account: Account, *parts: str, minutes: float = 0, **options: Any) -> Drift:
    """The drift as it is seen that many minutes from now."""
    later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
    with account.server.recorded() as calls:
        found = look_for_drift(DriftOptions(STORE, NAME, parts=parts, **options), lambda: later)
    assert account.writes(calls) == []
    return found


def told(drift: Drift) -> list[tuple[str, str, str, str]]:
    return [(each.where, each.what, each.kind, each.name) for each in drift.found]


def group_id(account: Account, name: str) -> str:
    filters = [{"Name": "group-name", "Values": [name]}]
    return str(account.client("ec2").describe_security_groups(Filters=filters)["SecurityGroups"][0]["GroupId"])


def permission(port: int, cidr: str) -> list[dict[str, Any]]:
    return [{"IpProtocol": "tcp", "FromPort": port, "ToPort": port, "IpRanges": [{"CidrIp": cidr}]}]


def test_what_is_changed_by_hand_is_found_and_nothing_else(cluster: Account) -> None:
    assert look(cluster, *OUTSIDE).found == []

    ec2, owned = cluster.client("ec2"), {"Key": f"kubernetes.io/cluster/{NAME}", "Value": "owned"}
    nodes = group_id(cluster, f"nodes.{NAME}")
    ec2.revoke_security_group_ingress(GroupId=nodes, IpPermissions=permission(22, "0.0.0.0/0"))
    ec2.authorize_security_group_ingress(GroupId=nodes, IpPermissions=permission(22, "192.0.2.0/24"))
    ec2.authorize_security_group_ingress(GroupId=nodes, IpPermissions=permission(8080, "192.0.2.0/24"))
    # The cloud controller manager makes such rules.
    of_service = permission(31000, "0.0.0.0/0")
    of_service[0]["IpRanges"][0]["Description"] = "kubernetes.io/rule/nlb/client=a"
    ec2.authorize_security_group_ingress(GroupId=nodes, IpPermissions=of_service)
    cluster.client("autoscaling").update_auto_scaling_group(AutoScalingGroupName=f"{WORKERS}.{NAME}", MaxSize=5)
    (subnet,) = ec2.describe_subnets(Filters=[{"Name": "tag:Name", "Values": [f"{ZONE}.{NAME}"]}])["Subnets"]
    ec2.delete_tags(Resources=[subnet["SubnetId"]], Tags=[{"Key": "SubnetType"}])
    address = ec2.allocate_address(
        Domain="vpc", TagSpecifications=[{"ResourceType": "elastic-ip", "Tags": [owned, {"Key": "Name", "Value": "x"}]}]
    )
    cluster.client("s3").put_object(Bucket=BUCKET, Key=f"{NAME}/addons/bootstrap-channel.yaml", Body=b"kind: Addons")

    found = look(cluster, *OUTSIDE)
    assert sorted(told(found)) == [
        ("cloud", "different", "AutoscalingGroup", f"{WORKERS}.{NAME}"),
        ("cloud", "different", "Subnet", f"{ZONE}.{NAME}"),
        ("cloud", "missing", "SecurityGroupRule", f"from-0.0.0.0/0-ingress-tcp-22to22-nodes.{NAME}"),
        ("cloud", "unwanted", "SecurityGroupRule", f"{nodes}: port=22 protocol=tcp ip=192.0.2.0/24"),
        ("cloud", "unwanted", "SecurityGroupRule", f"{nodes}: port=8080 protocol=tcp ip=192.0.2.0/24"),
        ("cloud", "unwanted", "elastic-ip", "x"),
        ("store", "different", "ManagedFile", f"{NAME}-addons-bootstrap"),
    ]
    by_name = {each.name: each for each in found.found}
    size = by_name[f"{WORKERS}.{NAME}"]
    assert (size.before, size.after) == ({"max_size": 5}, {"max_size": 1})
    assert "kops_prune=true" in by_name[f"{nodes}: port=22 protocol=tcp ip=192.0.2.0/24"].mend
    assert "by hand" in by_name["x"].mend
    assert address["AllocationId"] in by_name["x"].reason
    assert look(cluster, "store").found == [each for each in found.found if each.where == "store"]
    assert "max_size  5 -> 1" in found.text()

    cluster.update(prune=True)
    assert sorted(told(look(cluster, *OUTSIDE))) == [
        ("cloud", "unwanted", "SecurityGroupRule", f"{nodes}: port=8080 protocol=tcp ip=192.0.2.0/24"),
        ("cloud", "unwanted", "elastic-ip", "x"),
    ]


def test_a_change_of_the_specification_that_no_update_has_applied(cluster: Account) -> None:
    store = ClusterStore.open(STORE, NAME)
    specification = store.read_cluster()
    specification.spec.ssh_access = ["10.0.0.0/8"]
    store.write_cluster(specification)
    found = look(cluster, *OUTSIDE)
    by_name = {each.name: each for each in found.found}
    assert by_name["cluster-completed.spec"].reason.startswith("the specification has changed since the last update")
    assert {each.kind for each in found.found if each.where == "cloud"} == {"SecurityGroupRule"}


def test_instances_that_are_not_what_their_group_starts(cluster: Account) -> None:
    cluster.change_group(WORKERS, machine_type="t3.large")
    cluster.update()
    (outdated,) = look(cluster, *OUTSIDE).found
    assert (outdated.kind, outdated.name, outdated.mend) == (
        "Instance",
        instances(cluster)[WORKERS],
        "kubeops.kops.rolling_update",
    )
    assert outdated.reason.endswith("another instance type")


@pytest.fixture()
def api(cluster: Account, tmp_path: pathlib.Path) -> Iterator[FakeKubernetes]:
    """The API of a cluster in which all is as it should be."""
    stored = StoredAddons.read(ClusterStore.open(STORE, NAME).path.join(LOCATION).read())
    version = f"v{ClusterStore.open(STORE, NAME).read_cluster().spec.kubernetes_version}"
    with api_server(tmp_path, authority_of(cluster)) as fake:
        for addon in stored.addons:
            for obj in addon["objects"]:
                kinds = fake.kinds.setdefault(obj["apiVersion"], {})
                kinds.setdefault(obj["kind"], (f"{obj['kind'].lower()}s", "namespace" in obj["metadata"]))
        fake.add("Namespace", "default")
        client = CloudValidator.open(CloudExpectation(STORE, NAME, api_server=fake.url)).client()
        apply_addons(client, stored.addons, stored.retired)
        for group, name in instances(cluster).items():
            add_node(fake, name, group)
            fake.objects[f"/api/v1/nodes/{name}"]["status"]["nodeInfo"] = {"kubeletVersion": version}
        fake.requests.clear()
        yield fake


@pytest.mark.long
def test_what_is_changed_in_the_cluster(cluster: Account, api: FakeKubernetes) -> None:
    unchanged = look(cluster, *OUTSIDE, "cluster", api_server=api.url)
    assert (unchanged.found, unchanged.unseen) == ([], [])

    deployment = "/apis/apps/v1/namespaces/kube-system/deployments/coredns"
    api.objects[deployment]["spec"]["template"]["spec"]["containers"][0]["image"] = "other"
    del api.objects["/api/v1/namespaces/kube-system/configmaps/coredns"]
    worker, server = (instances(cluster)[group] for group in (WORKERS, CONTROL_PLANE))
    api.objects[f"/api/v1/nodes/{worker}"]["status"]["nodeInfo"]["kubeletVersion"] = "v1.30.0"
    api.objects[f"/api/v1/nodes/{server}"]["metadata"]["annotations"] = {"kops.k8s.io/needs-update": ""}
    found = look(cluster, *OUTSIDE, "cluster", api_server=api.url)
    assert sorted(told(found)) == sorted(
        [
            ("cluster", "different", "Deployment", "kube-system/coredns"),
            ("cluster", "different", "Node", server),
            ("cluster", "different", "Node", worker),
            ("cluster", "missing", "ConfigMap", "kube-system/coredns"),
        ]
    )
    mends = {each.name: each.mend for each in found.found if each.kind == "Deployment"}
    assert "addons.k8s.io/coredns.addons.k8s.io-" in mends["kube-system/coredns"]
    assert api.writes() == []

    del api.objects[f"/api/v1/nodes/{worker}"]
    assert ("cluster", "missing", "Node", worker) not in told(look(cluster, "cloud", "cluster", api_server=api.url))
    late = look(cluster, "cloud", "cluster", api_server=api.url, minutes=30)
    assert ("cluster", "missing", "Node", worker) in told(late)


def test_backups_and_certificates_that_are_too_old(cluster: Account) -> None:
    days = 4000
    found = look(cluster, "store", minutes=60, certificate_days=days)
    assert {(each.kind, each.name.partition("/")[0]) for each in found.found} >= {
        ("EtcdBackups", "main"),
        ("EtcdBackups", "events"),
        ("Keypair", "kubernetes-ca"),
    }
    assert {each.kind for each in look(cluster, "store").found} == set()


@pytest.mark.long
def test_the_playbook(cluster: Account) -> None:
    command = ("ansible-playbook", "kubeops.kops.drift", "-e", f"kops_api_server={NO_API}")
    for check in ([], ["--check"]):
        output = cluster.ansible(*command, *check)
        assert f"{NAME}: no drift in what could be looked at" in output
        assert "Not looked at: what runs in the cluster: " in output
        assert "changed=0" in output
        # What could not be looked at is not green.
        assert "no drift in what could be looked at" in cluster.ansible(
            *command, "-e", "kops_fail_on_drift=true", *check, expect=2
        )
    outside = (*command, "-e", "kops_drift_parts=store,cloud", "-e", "kops_fail_on_drift=true")
    assert f"{NAME}: no drift" in cluster.ansible(*outside)
    cluster.client("autoscaling").update_auto_scaling_group(AutoScalingGroupName=f"{WORKERS}.{NAME}", MaxSize=5)
    output = cluster.ansible(*outside, expect=2)
    assert f"{NAME}: 1 object is not as it should be (1 in the cloud)" in output
    assert f"~ AutoscalingGroup/{WORKERS}.{NAME}" in output
    assert "changed=0" in output
