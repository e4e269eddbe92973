# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes and records of a running cluster: real API server, an account that checks the real policies of its roles.

Instances are moto's; their kubelets are played by the test, which says once that a Node is Ready and then nothing more.
"""

from __future__ import annotations

import contextlib
import pathlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import ControllersSettings as Settings
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.instance import AWSInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers import nodes, records, wanted
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.controller import Controller
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.manager import Manager
from ansible_collections.kubeops.kops.tests.integration.conftest import BUCKET, NAME, STORE, Account, fresh_account
from ansible_collections.kubeops.kops.tests.support import metadata_service
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.kubernetes import ControlPlane, control_plane

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("kubernetes")]

ZONE, GROUP = "us-east-1a", "nodes-us-east-1a"
PLACEHOLDER = "203.0.113.123"
ROLE = "node-role.kubernetes.io/"


class Cluster:
    """A cluster whose update is done, and whose first control plane is about to run its controllers."""

    def __init__(self, account: Account, api: ControlPlane) -> None:
        self.account, self.api, self.client = account, api, api.client()
        self.server, self.worker = self.instance("control-plane-us-east-1a"), self.instance(GROUP)

    def instance(self, group: str) -> dict[str, Any]:
        """The running instance of a group."""
        filters = [
            {"Name": "tag:kops.k8s.io/instancegroup", "Values": [group]},
            {"Name": "instance-state-name", "Values": ["running"]},
        ]
        (found,) = self.account.client("ec2").describe_instances(Filters=filters)["Reservations"][0]["Instances"]
        return dict(found)

    def register(self, instance: dict[str, Any]) -> str:
        """What a kubelet does, once. Returns the name of the Node."""
        name = str(instance["InstanceId"])
        spec = {"providerID": f"aws:///{ZONE}/{name}"}
        labels = {"kubernetes.io/hostname": name}
        self.client.post(
            "/api/v1/nodes",
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": spec},
        )
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "lastHeartbeatTime": _now()}
        self.client.patch(f"/api/v1/nodes/{name}/status", {"status": {"conditions": [ready]}})
        return name

    def serve(self, node: str) -> None:
        """The static pod of an API server, as its kubelet lists it."""
        metadata = {
            "name": f"kube-apiserver-{node}",
            "labels": {"k8s-app": "kube-apiserver"},
            "annotations": {"kubernetes.io/config.mirror": "1"},
        }
        spec = {"nodeName": node, "hostNetwork": True, "containers": [{"name": "kube-apiserver", "image": "none"}]}
        path = "/api/v1/namespaces/kube-system/pods"
        self.client.post(path, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
        self.client.patch(f"{path}/kube-apiserver-{node}/status", {"status": {"phase": "Running"}})

    def records(self) -> dict[str, list[str]]:
        route53 = self.account.client("route53")
        zone = route53.list_hosted_zones()["HostedZones"][0]["Id"]
        found = route53.list_resource_record_sets(HostedZoneId=zone)["ResourceRecordSets"]
        return {
            each["Name"].removesuffix(f".{NAME}."): [value["Value"] for value in each["ResourceRecords"]]
            for each in found
            if each["Type"] == "A"
        }

    def labels(self, node: str) -> dict[str, str]:
        return dict(self.client.get(f"/api/v1/nodes/{node}")["metadata"]["labels"])


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def until(condition: Callable[[], Any], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "too late"
        time.sleep(0.2)


@pytest.fixture()
def cluster(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> Iterator[Cluster]:
    """A parameter has more options of create_cluster."""
    # What takes minutes in a cluster.
    for module, name, value in (
        (wanted, "_FRESH", 1.0),
        (nodes, "_AGAIN", 2.0),
        (nodes, "_GONE", 4.0),
        (records, "_OLD", 2.0),
    ):
        monkeypatch.setattr(module, name, value)
    with AWSServer(checked=True) as server, control_plane(tmp_path) as api:
        account = fresh_account(server, monkeypatch, tmp_path)
        account.client("route53").create_hosted_zone(Name="example.com", CallerReference="1")
        account.create(zones=[ZONE], dns="public", **getattr(request, "param", {}))
        account.update()
        yield Cluster(account, api)


@contextlib.contextmanager
def leading(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The process of the control plane, with its role, until the end of the block."""
    own = cluster.server
    paths = metadata_service.paths_of_an_instance(own["InstanceId"], own["PrivateIpAddress"], ZONE)
    with metadata_service.running(paths) as (url, service):
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", url)
        monkeypatch.setenv("AWS_ENDPOINT_URL", cluster.account.server.url)
        arn = f"arn:aws:iam::123456789012:role/masters.{NAME}"
        session = cluster.account.client("sts").assume_role(RoleArn=arn, RoleSessionName=own["InstanceId"])
        service.paths.update(metadata_service.paths_of_credentials("masters", session["Credentials"]))
        settings = Settings("aws", NAME, own["InstanceId"], f"{STORE}/{NAME}", cluster.api.kubeconfig)
        often = [Controller(each.name, 0.5, each.start) for each in (records.CONTROLLER, nodes.CONTROLLER)]
        manager = Manager(settings, own["InstanceId"], AWSInstance(), often)
        thread = threading.Thread(target=manager.run)
        thread.start()
        try:
            yield
        finally:
            manager.stop()
            thread.join(30)
            assert not thread.is_alive()


def test_nodes_and_records_follow_instances_and_groups(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("api", "api.internal", "kops-controller.internal")
    assert cluster.records() == {name: [PLACEHOLDER] for name in names}
    with leading(cluster, monkeypatch):
        server, worker = cluster.register(cluster.server), cluster.register(cluster.worker)
        cluster.serve(server)

        inside, outside = cluster.server["PrivateIpAddress"], cluster.server["PublicIpAddress"]
        until(lambda: cluster.records() == dict(zip(names, ([outside], [inside], [inside]))))
        until(lambda: f"{ROLE}node" in cluster.labels(worker) and f"{ROLE}control-plane" in cluster.labels(server))
        assert cluster.labels(worker)["kops.k8s.io/instancegroup"] == GROUP

        cluster.client.patch(f"/api/v1/nodes/{worker}", {"metadata": {"labels": {"mine": "1", "team": "mine"}}})
        cluster.account.change_group(GROUP, node_labels={"team": "red", "kops.k8s.io/instancegroup": GROUP})
        cluster.account.update()
        until(lambda: cluster.labels(worker).get("team") == "red")
        cluster.account.change_group(GROUP, node_labels={"kops.k8s.io/instancegroup": GROUP})
        cluster.account.update()
        until(lambda: "team" not in cluster.labels(worker))
        assert cluster.labels(worker)["mine"] == "1"

        cluster.account.client("ec2").terminate_instances(InstanceIds=[worker])
        # First the node lifecycle controller has to miss its kubelet.
        until(lambda: cluster.client.find(f"/api/v1/nodes/{worker}") is None, 120)
        assert cluster.client.find(f"/api/v1/nodes/{server}")
        said = cluster.client.find("/api/v1/namespaces/kube-system/configmaps/kops-controller-manager") or {}
        assert not said.get("data")

        cluster.account.delete()
        time.sleep(5)
        assert cluster.records() == {}


def test_a_role_that_may_not_write_records_says_so(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    iam = cluster.account.client("iam")
    (policy,) = iam.list_role_policies(RoleName=f"masters.{NAME}")["PolicyNames"]
    iam.delete_role_policy(RoleName=f"masters.{NAME}", PolicyName=policy)
    with leading(cluster, monkeypatch):
        cluster.serve(cluster.register(cluster.server))
        path = "/api/v1/namespaces/kube-system/configmaps/kops-controller-manager"
        until(lambda: "403" in str((cluster.client.find(path) or {}).get("data", {}).get("records")))
    assert set(map(tuple, cluster.records().values())) == {(PLACEHOLDER,)}


@pytest.mark.parametrize("cluster", [{"discovery_store": f"s3://{BUCKET}/discovery"}], indirect=True)
def test_records_are_written_with_the_role_of_a_service_account(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = cluster.account.client("iam").get_role_policy(RoleName=f"masters.{NAME}", PolicyName=f"masters.{NAME}")
    assert "route53" not in str(document["PolicyDocument"])
    with leading(cluster, monkeypatch):
        cluster.serve(cluster.register(cluster.server))
        until(lambda: cluster.records()["api.internal"] == [cluster.server["PrivateIpAddress"]])
        assert cluster.client.find("/api/v1/namespaces/kube-system/serviceaccounts/dns-controller")
