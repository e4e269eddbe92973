# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in the lab's cloud, as its user has it: a manifest, playbooks, kubectl; and its instances."""

from __future__ import annotations

import dataclasses
import datetime
import json
import pathlib
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import yaml
from ansible_collections.kubeops.kops.tests.lab import running
from ansible_collections.kubeops.kops.tests.lab.cloud import account, clusters, machines

CONSOLES, HEALTH = "consoles", "health"
ADMIN = "/var/lib/kubectl/kubeconfig"
_GROUP, _ROLE = "kops.k8s.io/instancegroup", "k8s.io/role/control-plane"


@dataclasses.dataclass
class CloudSite:
    """A cluster. directory: for its manifest.

    store: the state store of its cloud. ports: of the cloud's APIs here. zones: those that clusters are made in.
    made_by: the module that makes manifests, and says what a controller has in its environment.
    shows: what others than browsers see of instances there: their consoles, and their health behind the load balancer.
    """

    directory: pathlib.Path
    store: ClassVar[str] = account.STORE
    ports: ClassVar[tuple[int, ...]] = (account.PORT,)
    zones: ClassVar[tuple[str, ...]] = clusters.ZONES
    made_by: ClassVar[Any] = clusters
    shows: ClassVar[frozenset[str]] = frozenset({CONSOLES, HEALTH})

    @property
    def manifest(self) -> pathlib.Path:
        """The file with the Cluster and its InstanceGroups."""
        return self.directory / "cluster.yml"

    def write(self, options: dict[str, Any] | None = None, spec: dict[str, Any] | None = None) -> None:
        """Write the manifest, as clusters.manifest makes it."""
        self.manifest.write_text(self.made_by.manifest(options, spec))

    def run(
        self, playbook: str, *options: str, killed_when: Callable[[], bool] | None = None, **variables: Any
    ) -> running.Run:
        """Run a playbook of the collection as a user of the account does; it connects to no host.

        killed_when: as running.playbook takes it.
        """
        environment = self.environment()
        return running.playbook(playbook, None, variables, *options, variables=environment, killed_when=killed_when)

    def environment(self) -> dict[str, str]:
        """What a controller has in its environment."""
        found: dict[str, str] = self.made_by.environment()
        return found

    def create(self, *options: str, **variables: Any) -> running.Run:
        """Run create_cluster with the manifest."""
        return self.run("create_cluster", *options, kops_manifest=str(self.manifest), **variables)

    def change_group(self, role: str, update: Mapping[str, Any] | None = None, **fields: Any) -> running.Run:
        """Replace fields of the groups of a role in manifest and store, and run update_cluster with these variables."""
        documents = list(yaml.safe_load_all(self.manifest.read_text()))
        for document in documents:
            if document["spec"].get("role") == role:
                document["spec"].update(fields)
        self.manifest.write_text("---\n".join(yaml.safe_dump(each, sort_keys=False) for each in documents))
        replaced = self.run("replace", kops_manifest=str(self.manifest))
        return self.run("update_cluster", **(update or {})) if replaced.code == 0 else replaced

    # -- instances ----------------------------------------------------------------------------------------------

    def instances(self, *, control_planes: bool | None = None) -> dict[str, dict[str, Any]]:
        """Instance id -> what EC2 says, with group and zone, of those that run.

        control_planes: only these, or only the others.
        """
        states = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
        found = {}
        for reservation in account.pages("ec2", "describe_instances", "Reservations", Filters=states):
            for instance in reservation["Instances"]:
                tags = {tag["Key"]: tag["Value"] for tag in instance.get("Tags", ())}
                if control_planes is None or (_ROLE in tags) == control_planes:
                    zone = instance["Placement"]["AvailabilityZone"]
                    found[instance["InstanceId"]] = {**instance, "group": tags.get(_GROUP, ""), "zone": zone}
        return found

    def serials(self) -> dict[str, str]:
        """Name -> what no other instance ever has, of those that run: some clouds give a name again."""
        return {name: name for name in self.instances()}

    def control_planes(self) -> list[str]:
        """The ids of instances of control planes, sorted."""
        return sorted(self.instances(control_planes=True))

    def workers(self) -> list[str]:
        """The ids of the other instances, sorted."""
        return sorted(self.instances(control_planes=False))

    def terminate(self, *names: str) -> None:
        """Terminate instances; their groups start others."""
        account.client("ec2").terminate_instances(InstanceIds=list(names))

    def resize(self, size: int) -> None:
        """Give all groups a size, beside what the store says."""
        client = account.client("autoscaling")
        for group in account.pages("autoscaling", "describe_auto_scaling_groups", "AutoScalingGroups"):
            client.update_auto_scaling_group(
                AutoScalingGroupName=group["AutoScalingGroupName"], MaxSize=size, DesiredCapacity=size
            )

    def remove(self, name: str) -> None:
        """Terminate an instance, and let its group be smaller by it."""
        account.client("autoscaling").terminate_instance_in_auto_scaling_group(
            InstanceId=name, ShouldDecrementDesiredCapacity=True
        )

    def launched(self, name: str) -> datetime.datetime:
        """When an instance was launched."""
        found: datetime.datetime = self.instances()[name]["LaunchTime"]
        return found

    def address(self, name: str) -> str:
        """The private address of an instance."""
        return str(self.instances()[name]["PrivateIpAddress"])

    def replaced(self, name: str, seconds: float = 300) -> float:
        """Terminate an instance, and wait until another machine is a node in its place; returns how long it took.

        Some clouds give it the name of the former one, so machines are told apart by their ids.
        """
        gone, count = _machine_id(self.nodes()[name]), len(self.instances())
        self.terminate(name)

        def is_back() -> bool:
            nodes, instances = self.nodes(), self.instances()
            ready = sorted(each for each, node in nodes.items() if _is_ready(node))
            return gone not in map(_machine_id, nodes.values()) and ready == sorted(instances) and len(ready) == count

        return self.wait(is_back, seconds)

    def console(self, name: str) -> str:
        """What an instance says of its way to become a node."""
        return machines.within(
            name, *("journalctl", "--no-pager", "--output=cat", "--unit=kops-configuration"), check=False
        )

    # -- the cluster --------------------------------------------------------------------------------------------

    def kubectl(self, *arguments: str, stdin: str | None = None, check: bool = True) -> str:
        """kubectl as administrator, on the first control plane that has become one. Raises RuntimeError."""
        found = self.control_planes()
        if len(found) > 1:
            found = [name for name in found if machines.within(name, "ls", ADMIN, check=False)] or found
        host = found[0]
        return machines.within(host, "kubectl", f"--kubeconfig={ADMIN}", *arguments, stdin=stdin, check=check)

    def objects(self, *arguments: str) -> list[dict[str, Any]]:
        """What `kubectl get ARGUMENTS` finds; none while the API does not answer."""
        try:
            found: list[dict[str, Any]] = json.loads(self.kubectl("get", *arguments, "--output=json"))["items"]
        except (RuntimeError, ValueError, IndexError):
            return []
        return found

    def nodes(self) -> dict[str, dict[str, Any]]:
        """Name -> Node; none while the API does not answer."""
        return {each["metadata"]["name"]: each for each in self.objects("nodes")}

    def ready(self) -> list[str]:
        """The names of Nodes that are ready and take pods."""
        return sorted(name for name, node in self.nodes().items() if _is_ready(node))

    def wait(self, what: Callable[[], bool], seconds: float) -> float:
        """Wait until something holds; returns how long it took. Raises AssertionError with the state of all."""
        started = time.monotonic()
        while not what():
            if time.monotonic() > started + seconds:
                raise AssertionError(f"not within {seconds:.0f} s\n{self.state()}")
            time.sleep(1)
        return time.monotonic() - started

    def wait_ready(self, seconds: float = 300) -> float:
        """Wait until the Nodes that are ready are the instances; returns how long it took."""
        return self.wait(lambda: self.ready() == sorted(self.instances()) != [], seconds)

    def state(self) -> str:
        """What a person would look at first."""
        texts = [self.kubectl("get", "nodes,pods", "--all-namespaces", check=False) if self.control_planes() else ""]
        texts += [f"{name}:\n{self.console(name)[-2000:]}" for name in self.instances()]
        return "\n".join(texts)


def _machine_id(node: dict[str, Any]) -> str:
    return str(node["status"]["nodeInfo"]["machineID"])


def _is_ready(node: dict[str, Any]) -> bool:
    conditions = {each["type"]: each["status"] for each in node["status"].get("conditions", ())}
    waits = [each["key"] for each in node["spec"].get("taints", ()) if each["key"].startswith("node.")]
    return conditions.get("Ready") == "True" and not waits
