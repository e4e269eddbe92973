# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real cloud controller manager of AWS: as our addon starts it, with the role of a control plane, in an account
that checks signatures and policies, and with a real API server that checks the addon's roles.

It needs no hosts: Nodes are what kubelet would register.
"""

from __future__ import annotations

import base64
import functools
import json
import pathlib
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.addons.cloud_controllers import CONFIG
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, Account, fresh_account
from ansible_collections.kubeops.kops.tests.lab import binaries
from ansible_collections.kubeops.kops.tests.support import instance_roles
from ansible_collections.kubeops.kops.tests.support.aws_server import REGION, AWSServer
from ansible_collections.kubeops.kops.tests.support.kubernetes import ControlPlane, control_plane

pytestmark = pytest.mark.long

ZONE = f"{REGION}b"
PROGRAM = "aws-cloud-controller-manager"
MANIFEST = f"{NAME}/addons/aws-cloud-controller.addons.k8s.io/k8s-1.18.yaml"
UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized"
_BOOT = re.compile(r"<< '__EOF_BOOT'\n(.*?)\n__EOF_BOOT", re.DOTALL)
# A loaded machine makes moto slow.
SECONDS = 120


@dataclass
class Setting:
    """An account with a cluster, an API server with the addon's roles, and the running program, which writes a log."""

    account: Account
    client: KubernetesClient
    log: pathlib.Path

    def instances(self, group: str) -> list[dict[str, Any]]:
        """The instances of a group that run."""
        return instances_of(self.account, group)

    def register(self, instance: dict[str, Any]) -> str:
        """Register a Node as kubelet does on an instance, where it has --node-ip, and return its name."""
        name, address = str(instance["InstanceId"]), instance["PrivateIpAddress"]
        self.client.post(
            "/api/v1/nodes",
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {
                    "name": name,
                    "labels": {"kubernetes.io/hostname": name},
                    "annotations": {"alpha.kubernetes.io/provided-node-ip": address},
                },
                "spec": {
                    "providerID": f"aws:///{ZONE}/{name}",
                    "taints": [{"key": UNINITIALIZED, "value": "true", "effect": "NoSchedule"}],
                },
                "status": {"addresses": [{"type": "InternalIP", "address": address}]},
            },
        )
        return name

    def until(self, what: str, holds: Callable[[], Any]) -> Any:
        """Wait until something is there, and return it. Raises AssertionError with the end of the log."""
        end = time.monotonic() + SECONDS
        while not (found := holds()):
            assert time.monotonic() < end, f"{what}; the log ends with:\n{self.log.read_text()[-6000:]}"
            time.sleep(0.5)
        return found


def instances_of(account: Account, group: str) -> list[dict[str, Any]]:
    wanted = [
        {"Name": "tag:kops.k8s.io/instancegroup", "Values": [group]},
        {"Name": "instance-state-name", "Values": ["running"]},
    ]
    found = account.client("ec2").describe_instances(Filters=wanted)["Reservations"]
    return [instance for reservation in found for instance in reservation["Instances"]]


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    with AWSServer(checked=True) as server, pytest.MonkeyPatch.context() as patch:
        made = fresh_account(server, patch, tmp_path_factory.mktemp("account"))
        made.create(zones=[ZONE], node_count=2)
        made.update()
        yield made


def stored(account: Account, key: str) -> str:
    text: str = account.client("s3").get_object(Bucket="kops-state", Key=key)["Body"].read().decode()
    return text


def cloud_config(account: Account, instance: str) -> str:
    """The file that the NodeConfig of a control plane puts below /etc/kubernetes."""
    attribute = account.client("ec2").describe_instance_attribute(InstanceId=instance, Attribute="userData")
    found = _BOOT.search(base64.b64decode(attribute["UserData"]["Value"]).decode())
    assert found
    (place,) = json.loads(found[1])["nodeConfigs"].values()
    config = json.loads(stored(account, f"{NAME}/{place['location']}"))
    (content,) = (str(file["content"]) for file in config["files"] if file["path"] == CONFIG)
    return content


def metadata_of(instance: dict[str, Any]) -> dict[str, str]:
    """What this program asks the metadata service of its instance for."""
    identity = {"region": REGION, "availabilityZone": ZONE, "instanceId": instance["InstanceId"]}
    (interface,) = instance["NetworkInterfaces"]
    mac = interface["MacAddress"]
    return {
        "dynamic/instance-identity/document": json.dumps(identity),
        "meta-data/placement/availability-zone": ZONE,
        "meta-data/mac": mac,
        f"meta-data/network/interfaces/macs/{mac}/vpc-id": interface["VpcId"],
    }


def kubeconfig_of(running: ControlPlane, token: str) -> str:
    """For a process what a service account's files are in a pod."""
    text = yaml.safe_load(pathlib.Path(running.kubeconfig).read_text())
    text["users"][0]["user"] = {"token": token}
    return yaml.safe_dump(text)


@pytest.fixture(scope="module")
def setting(account: Account, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setting]:
    program = binaries.build_addons([PROGRAM])[PROGRAM]
    directory = tmp_path_factory.mktemp("control-plane")
    objects = list(yaml.safe_load_all(stored(account, MANIFEST)))
    (workload,) = (each for each in objects if each["kind"] == "DaemonSet")
    (container,) = workload["spec"]["template"]["spec"]["containers"]
    with control_plane(directory, "--allow-privileged") as running:
        client = running.client()
        for each in objects:
            client.apply(each)
        name, (instance,) = "aws-cloud-controller-manager", instances_of(account, f"control-plane-{ZONE}")
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 7200}}
        token = client.post(f"/api/v1/namespaces/kube-system/serviceaccounts/{name}/token", asked)["status"]["token"]
        files = {
            "token.kubeconfig": kubeconfig_of(running, token),
            "cloud.config": cloud_config(account, instance["InstanceId"]),
        }
        for file, content in files.items():
            (directory / file).write_text(content)
        arguments = [each.replace(CONFIG, str(directory / "cloud.config")) for each in container["args"]]
        assert arguments != container["args"]
        # On the machine of the test: no service account's files, and no port that others use.
        arguments += [f"--kubeconfig={directory}/token.kubeconfig", "--secure-port=0"]
        role, log = f"masters.{NAME}", directory / "manager.log"
        paths = metadata_of(instance)
        with (
            instance_roles.environment_on(account.server, role, instance["InstanceId"], paths) as environment,
            log.open("wb") as stream,
        ):
            process = subprocess.Popen([str(program), *arguments], env=environment, stdout=stream, stderr=stream)
            try:
                yield Setting(account, client, log)
            finally:
                process.terminate()
                process.wait(30)


def test_a_node_is_initialised_and_goes_with_its_instance(setting: Setting) -> None:
    group = f"nodes-{ZONE}"
    first, second = setting.instances(group)
    names = [setting.register(first), setting.register(second)]

    def initialised(name: str) -> dict[str, Any] | None:
        node = setting.client.get(f"/api/v1/nodes/{name}")
        taints = [taint["key"] for taint in node["spec"].get("taints", ())]
        return None if UNINITIALIZED in taints else node

    for instance, name in zip((first, second), names):
        node = setting.until(f"{name} is not initialised", functools.partial(initialised, name))
        assert node["spec"]["providerID"] == f"aws:///{ZONE}/{name}"
        addresses = {(each["type"], each["address"]) for each in node["status"]["addresses"]}
        assert ("InternalIP", instance["PrivateIpAddress"]) in addresses
        assert ("InternalDNS", instance["PrivateDnsName"]) in addresses
        labels = node["metadata"]["labels"]
        assert labels["topology.kubernetes.io/zone"] == ZONE
        assert labels["topology.kubernetes.io/region"] == REGION
        assert labels["node.kubernetes.io/instance-type"] == instance["InstanceType"]

    setting.account.client("ec2").terminate_instances(InstanceIds=names[:1])
    setting.until(f"{names[0]} is still there", lambda: setting.client.find(f"/api/v1/nodes/{names[0]}") is None)
    assert initialised(names[1])
    # Its replacement is a node of its own.
    (third,) = (each for each in setting.instances(group) if each["InstanceId"] not in names)
    name = setting.register(third)
    setting.until(f"{name} is not initialised", lambda: initialised(name))


def hostname(setting: Setting, path: str) -> str:
    """The name that a Service's status gives to its load balancer, or ""."""
    status = setting.client.get(path)["status"]["loadBalancer"]
    return "".join(each["hostname"] for each in status.get("ingress", ()))


def test_a_service_has_a_network_load_balancer(setting: Setting) -> None:
    elb = setting.account.client("elbv2")

    def balancers() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = elb.describe_load_balancers()["LoadBalancers"]
        return [each for each in found if each["LoadBalancerArn"] not in before]

    before = {each["LoadBalancerArn"] for each in elb.describe_load_balancers()["LoadBalancers"]}
    path = "/api/v1/namespaces/default/services"
    annotations = {"service.beta.kubernetes.io/aws-load-balancer-type": "nlb"}
    setting.client.post(
        path,
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "web", "annotations": annotations},
            "spec": {"type": "LoadBalancer", "selector": {"app": "web"}, "ports": [{"port": 80}]},
        },
    )

    name = setting.until("the Service has no load balancer", lambda: hostname(setting, f"{path}/web"))
    (balancer,) = balancers()
    assert (balancer["DNSName"], balancer["Type"]) == (name, "network")
    (listener,) = elb.describe_listeners(LoadBalancerArn=balancer["LoadBalancerArn"])["Listeners"]
    assert (listener["Port"], listener["Protocol"]) == (80, "TCP")
    setting.client.delete(f"{path}/web")
    setting.until("the load balancer is still there", lambda: not balancers())


def test_a_service_without_annotations_has_a_classic_load_balancer(setting: Setting) -> None:
    elb = setting.account.client("elb")

    def balancers() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = elb.describe_load_balancers()["LoadBalancerDescriptions"]
        return found

    path = "/api/v1/namespaces/default/services"
    ports = [{"port": 80}]
    spec = {"type": "LoadBalancer", "selector": {"app": "classic"}, "ports": ports}
    setting.client.post(path, {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "classic"}, "spec": spec})
    (balancer,) = setting.until("there is no load balancer", balancers)
    name = setting.until("the Service has no load balancer", lambda: hostname(setting, f"{path}/classic"))
    assert balancer["DNSName"] == name
    setting.client.delete(f"{path}/classic")
    setting.until("the load balancer is still there", lambda: not balancers())


def test_the_role_of_control_planes_allows_all_that_it_asked_for(setting: Setting) -> None:
    text = setting.log.read_text()
    assert "Successfully initialized node" in text
    words = ("UnauthorizedOperation", "AccessDenied", "is not authorized", "InternalFailure", "StatusCode: 500")
    assert [line for line in text.splitlines() if any(word in line for word in words)] == []
