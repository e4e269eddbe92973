# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validation of a cluster on AWS from the controller: its instances are moto's, its API server is a fake with TLS."""

from __future__ import annotations

import datetime
import json
import pathlib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import Failure
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.validation import (
    CloudExpectation,
    CloudValidator,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import KUBERNETES_CA
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE, Account
from ansible_collections.kubeops.kops.tests.support import fake_kubernetes
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes
from ansible_collections.kubeops.kops.tests.support.running_cluster import add_node, add_workloads, records_of

CONTROL_PLANE, WORKERS = "control-plane-us-east-1a", "nodes-us-east-1a"
LAST_LINE = "kubeops: waiting for a bootstrap server of demo.example.com: timed out; next try in 4 s"


@pytest.fixture()
def cluster(account: Account) -> Account:
    account.create(zones=["us-east-1a"])
    account.update()
    return account


@contextmanager
def api_server(directory: pathlib.Path, authority: pki.KeyPair, name: str = NAME) -> Iterator[FakeKubernetes]:
    """An API server of the cluster, as far as its certificate says so. Another cluster than NAME has no addons yet."""
    request = pki.CertificateRequest("server", pki.Subject("apiserver"), alternate_names=(f"api.internal.{name}",))
    pair = pki.issue(request, authority)
    file = directory / "server.pem"
    file.write_text(pair.certificate + pair.private_key)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(file)
    with fake_kubernetes.serving(tls) as fake:
        fake.add("Namespace", "kube-system", metadata={"annotations": records() if name == NAME else {}})
        if name == NAME:
            add_workloads(fake, ClusterStore.open(STORE, NAME))
        yield fake


def records() -> dict[str, str]:
    """What control planes write down when they have applied the addons of the store."""
    return records_of(ClusterStore.open(STORE, NAME))


def authority_of(account: Account) -> pki.KeyPair:
    found = ClusterStore.open(account.store, account.name).keysets.find(KUBERNETES_CA)
    assert found
    return found.signer()


def instances(account: Account) -> dict[str, str]:
    """Instance group -> its instance."""
    reservations = account.client("ec2").describe_instances()["Reservations"]
    found = [instance for each in reservations for instance in each["Instances"]]
    return {
        tag["Value"]: each["InstanceId"]
        for each in found
        for tag in each["Tags"]
        if tag["Key"] == "kops.k8s.io/instancegroup" and each["State"]["Name"] != "terminated"
    }


def validator(server: str = "", minutes: float = 0, **more: object) -> CloudValidator:
    """It looks that many minutes from now, and consoles have a line of the node program."""
    made = CloudValidator.open(CloudExpectation(STORE, NAME, api_server=server, **more))
    later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
    made.now = lambda: later
    made.provider.last_line = lambda cloud, instance: LAST_LINE
    return made


def test_a_cluster_with_all_its_nodes_is_valid(cluster: Account, tmp_path: pathlib.Path) -> None:
    with api_server(tmp_path, authority_of(cluster)) as fake:
        for group, name in instances(cluster).items():
            add_node(fake, name, group)
        looking = validator(fake.url)
        with cluster.server.recorded() as calls:
            found = looking.look()
            assert looking.look().failures == []
    assert found.failures == []
    assert {node["instance_group"] for node in found.nodes} == {CONTROL_PLANE, WORKERS}
    assert calls == {"autoscaling.DescribeAutoScalingGroups": 2, "ec2.DescribeInstances": 2}
    assert fake.writes() == []


def test_addons_that_are_not_applied_yet(cluster: Account, tmp_path: pathlib.Path) -> None:
    with api_server(tmp_path, authority_of(cluster)) as fake:
        for group, name in instances(cluster).items():
            add_node(fake, name, group)
        annotations = fake.objects["/api/v1/namespaces/kube-system"]["metadata"]["annotations"]
        name = "coredns.addons.k8s.io"
        # Of an earlier update.
        annotations[f"addons.k8s.io/{name}"] = '{"manifestHash": "0"}'
        message = "is not applied yet as the state store has it"
        assert validator(fake.url).look().failures == [Failure("Addon", name, message)]
        annotations.clear()
        assert len(validator(fake.url).look().failures) == len(records())


def test_a_workload_that_is_gone(cluster: Account, tmp_path: pathlib.Path) -> None:
    """The addon is applied, and control planes do that only once: the message says what makes them do it again."""
    with api_server(tmp_path, authority_of(cluster)) as fake:
        for group, name in instances(cluster).items():
            add_node(fake, name, group)
        del fake.objects["/apis/apps/v1/namespaces/kube-system/deployments/coredns"]
        (failure,) = validator(fake.url).look().failures
        assert (failure.kind, failure.name) == ("Addon", "coredns.addons.k8s.io")
        assert failure.message == (
            "Deployment kube-system/coredns does not exist; kubectl annotate namespace kube-system "
            "addons.k8s.io/coredns.addons.k8s.io- makes the control planes apply the addon again"
        )
        # As long as an addon is not applied, that is all there is to say.
        del fake.objects["/api/v1/namespaces/kube-system"]["metadata"]["annotations"][
            "addons.k8s.io/coredns.addons.k8s.io"
        ]
        (failure,) = validator(fake.url).look().failures
        assert failure.message == "is not applied yet as the state store has it"


def test_machines_that_have_not_joined_say_why(cluster: Account, tmp_path: pathlib.Path) -> None:
    worker = instances(cluster)[WORKERS]
    with api_server(tmp_path, authority_of(cluster)) as fake:
        add_node(fake, instances(cluster)[CONTROL_PLANE], CONTROL_PLANE)
        (failure,) = validator(fake.url, minutes=10).look().failures
        assert (failure.kind, failure.name, failure.group) == ("Machine", worker, WORKERS)
        assert failure.message.startswith("has not joined the cluster yet; it was launched 1")
        assert failure.message.endswith(f' min ago, and its console says "{LAST_LINE}"')
        # A machine that has only just started has a reason not to be a node.
        assert "console" not in validator(fake.url).look().failures[0].message
        assert validator(fake.url, max_unready_nodes=1).look().failures == []
        assert validator(fake.url, only=[CONTROL_PLANE]).look().failures == []

        cluster.client("autoscaling").set_desired_capacity(
            AutoScalingGroupName=f"{WORKERS}.{NAME}", DesiredCapacity=0, HonorCooldown=False
        )
        message = "has too few nodes: 0 instead of 1"
        assert validator(fake.url).look().failures == [Failure("InstanceGroup", WORKERS, message, WORKERS)]


def test_what_cannot_be_reached_is_named_by_its_hop(
    cluster: Account, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    failure, *machines = validator(f"https://127.0.0.1:{port}", minutes=10).look().failures
    assert (failure.kind, failure.name) == ("TCP", "127.0.0.1")
    assert f"at this address port {port}: Connection refused" in failure.message
    # What the control planes print is the reason.
    assert [each.name for each in machines] == [instances(cluster)[CONTROL_PLANE]]
    assert LAST_LINE in machines[0].message

    other = pki.issue(pki.CertificateRequest("ca", pki.Subject("other")))
    with api_server(tmp_path, other) as fake:
        failure = validator(fake.url).look().failures[0]
        assert failure.kind == "TLS"
        assert "certificate" in failure.message
    with api_server(tmp_path, authority_of(cluster)) as fake:
        fake.faults += [503]
        failure = validator(fake.url).look().failures[0]
        assert (failure.kind, "503" in failure.message) == ("APIServer", True)

    (balancer,) = cluster.client("elbv2").describe_load_balancers()["LoadBalancers"]
    with monkeypatch.context() as balanced:
        without_a_healthy_target(cluster, balancer, balanced)
    resolve = socket.getaddrinfo

    def no_dns(host: str, *arguments: object, **options: object) -> object:
        if host == balancer["DNSName"]:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return resolve(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", no_dns)
    failure = validator().look().failures[0]
    assert (failure.kind, failure.name) == ("DNS", balancer["DNSName"])
    assert failure.message.startswith("the load balancer of the API has no address (Name or service not known); look")
    cluster.client("elbv2").delete_load_balancer(LoadBalancerArn=balancer["LoadBalancerArn"])
    message = "the API has no load balancer of this name; kubeops.kops.update_cluster makes it"
    assert validator().look().failures[0] == Failure("LoadBalancer", f"api.{NAME}", message)


def without_a_healthy_target(cluster: Account, balancer: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A load balancer that takes connections and closes them."""
    resolve, connect = socket.getaddrinfo, socket.create_connection
    closing = socket.create_server(("127.0.0.1", 0))

    def no_tls(address: tuple[str, int], *arguments: object, **options: object) -> socket.socket:
        if address[0] != balancer["DNSName"]:
            return connect(address, *arguments, **options)
        made = connect(closing.getsockname())
        closing.accept()[0].close()
        return made

    def here(host: str, *arguments: object, **options: object) -> object:
        return resolve("127.0.0.1" if host == balancer["DNSName"] else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", here)
    monkeypatch.setattr(socket, "create_connection", no_tls)
    looking = validator()
    failure = looking.look().failures[0]
    assert (failure.kind, failure.name) == ("TLS", balancer["DNSName"])

    elb, server = cluster.client("elbv2"), instances(cluster)[CONTROL_PLANE]
    ec2 = cluster.client("ec2")
    ec2.stop_instances(InstanceIds=[server])
    failure = validator().look().failures[0]
    assert failure.kind == "LoadBalancer"
    message = f"the load balancer of the API has no healthy target ({server} is unused: "
    assert failure.message.startswith(message)
    for group in elb.describe_target_groups(LoadBalancerArn=balancer["LoadBalancerArn"])["TargetGroups"]:
        elb.deregister_targets(TargetGroupArn=group["TargetGroupArn"], Targets=[{"Id": server}])
    message = "the load balancer of the API has no healthy target (none is registered); look at the control planes"
    assert validator().look().failures[0] == Failure("LoadBalancer", balancer["DNSName"], message)
    closing.close()


@pytest.mark.long
def test_the_playbook(cluster: Account, tmp_path: pathlib.Path) -> None:
    """It fails with all failures as data, and writes nothing; the end of an update waits as long as it is told to."""
    before = (cluster.stored(), cluster.counts())
    with api_server(tmp_path, authority_of(cluster)) as fake:
        command = ["ansible-playbook", "kubeops.kops.validate_cluster", "-e", f"kops_api_server={fake.url}"]
        add_node(fake, instances(cluster)[CONTROL_PLANE], CONTROL_PLANE)
        with cluster.server.recorded() as calls:
            printed = cluster.ansible(*command, expect=2)
        assert f"Machine {instances(cluster)[WORKERS]}: has not joined the cluster yet" in printed
        assert cluster.writes(calls) == []
        add_node(fake, instances(cluster)[WORKERS], WORKERS)
        # Instances in an inventory are no hosts of bare metal: no SSH to them is tried.
        inventory = tmp_path / "kops.yml"
        inventory.write_text("plugin: kubeops.kops.kops\n")
        printed = cluster.ansible(*command, "-i", str(inventory))
        assert f"Cluster {NAME} is ready" in printed
        assert "Observe the hosts" not in printed
        kubeconfig = tmp_path / "made"
        more = [f"kops_kubeconfig={kubeconfig}", "kops_validate_wait=20", f"kops_api_server={fake.url}"]
        command = [
            "ansible-playbook",
            "kubeops.kops.update_cluster",
            "-e",
            json.dumps(dict(e.split("=", 1) for e in more)),
        ]
        assert "changed=1" in cluster.ansible(*command, "--check")
        assert not kubeconfig.exists()
        printed = cluster.ansible(*command)
        assert f"Cluster {NAME} is ready" in printed
        assert fake.url in kubeconfig.read_text()
        assert "changed=0" in cluster.ansible(*command)
        assert fake.writes() == []
    assert (cluster.stored(), cluster.counts()) == before
