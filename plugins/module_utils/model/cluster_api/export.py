# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A specification as objects of Cluster API."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...api import manifest
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from . import core
from .infrastructure import Infrastructure, merged
from .losses import Loss, losses_of, paired
from .read import read_plain
from .rows import get, put, say
from .versions import BOOTSTRAP, CONTROL_PLANE, CORE, spelled

if TYPE_CHECKING:
    from ...engine.task import Task

# What the control plane of the objects is: that of the cluster as it is, or one that Cluster API makes with kubeadm.
EXTERNAL, KUBEADM = "external", "kubeadm"
CONTROL_PLANES = (EXTERNAL, KUBEADM)
_INSTEAD_OF_FIRST_BOOT = "cluster.x-k8s.io/secret"
_ORDER = ("Cluster", "KubeadmControlPlane", "KubeadmConfigTemplate", "Secret", "MachineDeployment")


@dataclass(frozen=True)
class Options:
    """How a cluster is said.

    control_plane: one of CONTROL_PLANES. version: of Cluster API's own kinds. namespace: that the objects are in.
    paused: whether controllers leave them alone at first.
    """

    control_plane: str = EXTERNAL
    version: str = "v1beta2"
    namespace: str = "default"
    paused: bool = True


@dataclass(frozen=True)
class Source:
    """A cluster, as its user wrote it and completed.

    For an external control plane, host: where users reach its API; tasks: those of the cluster, which know what is
    there.
    """

    cluster: Cluster
    groups: Sequence[InstanceGroup]
    completed: Cluster
    completed_groups: Sequence[InstanceGroup]
    host: str = ""
    tasks: Mapping[str, Task[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Exported:
    """The objects, in the order in which they are applied; and what they do not say."""

    objects: list[dict[str, Any]]
    losses: list[Loss]


def has_machines(group: InstanceGroup) -> bool:
    """Whether a group becomes a MachineDeployment."""
    return group.spec.role == "Node" and group.spec.manager in (None, "", "CloudGroup")


def export(source: Source, infrastructure: Infrastructure, options: Options) -> Exported:
    """The objects of a cluster. Each carries what of the specification it cannot say, so that nothing is lost."""
    objects = _Objects(source, infrastructure, options).all()
    cluster = manifest.to_data(source.cluster)
    groups = [manifest.to_data(group) for group in source.groups]
    name = str(source.cluster.metadata.name)
    read_cluster, read_groups = read_plain(objects, infrastructure, str(cluster["spec"].get("cloudProvider")))
    carried = [
        (group, {"manifest": data, "read": read})
        for group, (data, read) in zip(source.groups, paired(groups, read_groups))
    ]
    own = {core.deployment_name(name, str(group.metadata.name)): said for group, said in carried if has_machines(group)}
    kept = [said for group, said in carried if not has_machines(group)]
    for each in objects:
        if each["kind"] == "Cluster":
            _carry(each, {"manifest": cluster, "read": read_cluster, "instanceGroups": kept})
        elif each["kind"] == "MachineDeployment":
            _carry(each, own[each["metadata"]["name"]])
    losses = losses_of(cluster, groups, read_cluster, read_groups, external=options.control_plane == EXTERNAL)
    return Exported([spelled(each, options.version) for each in objects], losses)


def _carry(found: dict[str, Any], content: Any) -> None:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    put(found, f"metadata.annotations[{core.CARRIED}]", text)


class _Objects:
    """The objects as they are inside, without what they carry."""

    def __init__(self, source: Source, infrastructure: Infrastructure, options: Options) -> None:
        self._source, self._infrastructure, self._options = source, infrastructure, options
        self._name = str(source.cluster.metadata.name)
        self._cluster = manifest.to_data(source.completed)
        self._is_external = options.control_plane == EXTERNAL

    def all(self) -> list[dict[str, Any]]:
        """All of them, sorted."""
        found = [self._of_cluster(), self._of_infrastructure()]
        if not self._is_external:
            found += self._of_control_plane()
        for group in self._source.completed_groups:
            if has_machines(group):
                found += self._of_group(group)
        # An API server takes them in any order; readers want what the others belong to first.
        order = {kind: place for place, kind in enumerate(_ORDER)}
        return sorted(found, key=lambda each: (order.get(each["kind"], 1), each["kind"], each["metadata"]["name"]))

    def _object(self, api_version: str, kind: str, name: str, group: str = "", **parts: Any) -> dict[str, Any]:
        metadata = {"name": name, "namespace": self._options.namespace, "labels": core.own_labels(self._name, group)}
        return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}

    def _reference(self, found: Mapping[str, Any]) -> dict[str, str]:
        return {"apiVersion": found["apiVersion"], "kind": found["kind"], "name": found["metadata"]["name"]}

    def _own(self, group: str, kind: str) -> str:
        return f"{group}/{self._options.version}" if group else kind

    def _of_cluster(self) -> dict[str, Any]:
        found = self._object(self._own(CORE, ""), "Cluster", core.cluster_name(self._name), spec={})
        say(core.CLUSTER, self._cluster, found)
        spec = found["spec"]
        if self._options.paused:
            spec["paused"] = True
        if self._is_external and self._source.host:
            spec["controlPlaneEndpoint"] = {"host": self._source.host, "port": core.API_PORT}
        spec["infrastructureRef"] = {
            "apiVersion": self._infrastructure.api_version,
            "kind": self._infrastructure.cluster_kind,
            "name": core.cluster_name(self._name),
        }
        if not self._is_external:
            spec["controlPlaneRef"] = {
                "apiVersion": self._own(CONTROL_PLANE, ""),
                "kind": "KubeadmControlPlane",
                "name": self._control_plane_name,
            }
        return found

    def _of_infrastructure(self) -> dict[str, Any]:
        kinds = self._infrastructure
        found = self._object(kinds.api_version, kinds.cluster_kind, core.cluster_name(self._name), spec={})
        say(kinds.cluster, self._cluster, found)
        found["spec"] = merged(kinds.cluster_needs(self._cluster), found["spec"])
        if self._is_external:
            kinds.found(self._source.tasks, self._name, found["spec"])
            found["metadata"]["annotations"] = {core.MANAGED_BY: core.US}
            if self._source.host:
                found["spec"]["controlPlaneEndpoint"] = {"host": self._source.host, "port": core.API_PORT}
        return found

    @property
    def _control_plane_name(self) -> str:
        return core.deployment_name(self._name, "control-plane")

    def _of_control_plane(self) -> list[dict[str, Any]]:
        groups = [each for each in self._source.completed_groups if each.spec.role == "ControlPlane"]
        first = manifest.to_data(groups[0])
        template = self._template(first, self._control_plane_name, "")
        count = sum(group.spec.min_size or 1 for group in groups)
        found = self._object(self._own(CONTROL_PLANE, ""), "KubeadmControlPlane", self._control_plane_name, spec={})
        # What completion adds for kops' own control planes, such as paths of files, is none of kubeadm's.
        say(core.CONTROL_PLANE, self._said_by_user(), found)
        spec = found["spec"]
        # Members of etcd are on these machines, and kubeadm's control plane takes odd numbers of them only.
        spec["replicas"] = count if count % 2 else max(1, count - 1)
        put(found, "spec.machineTemplate.spec.infrastructureRef", self._reference(template))
        arguments = core.registration_arguments(first["spec"])
        for part in ("initConfiguration", "joinConfiguration"):
            put(found, f"spec.kubeadmConfigSpec.{part}.nodeRegistration.kubeletExtraArgs", dict(arguments))
        return [template, found]

    def _said_by_user(self) -> dict[str, Any]:
        user = manifest.to_data(self._source.cluster)
        return {"spec": {**user["spec"], "kubernetesVersion": self._cluster["spec"].get("kubernetesVersion")}}

    def _made_from(self, group: InstanceGroup) -> Task[Any] | None:
        """The task that says what instances of a group are made from; None for a cluster that is not there."""
        return self._infrastructure.template(self._source.tasks, self._name, group) if self._source.tasks else None

    def _template(
        self, group: Mapping[str, Any], name: str, group_name: str, task: Task[Any] | None = None
    ) -> dict[str, Any]:
        """The template of machines. It never changes, so its content is in its name."""
        kinds = self._infrastructure
        spec = merged(
            kinds.machine_needs(self._cluster, group), say(kinds.machine, group, say(kinds.placing, self._cluster))
        )
        if task is not None:
            spec = merged(spec, kinds.made_from(task, self._name, group_name))
        content = {"template": {"spec": spec}}
        return self._object(
            kinds.api_version, kinds.machine_kind, core.by_content(name, content), group_name, spec=content
        )

    def _of_group(self, group: InstanceGroup) -> list[dict[str, Any]]:
        data, group_name = manifest.to_data(group), str(group.metadata.name)
        name = core.deployment_name(self._name, group_name)
        task = self._made_from(group)
        template = self._template(data, name, group_name, task)
        bootstrap = (
            self._of_first_boot(name, group_name, task)
            if self._is_external
            else self._of_kubeadm(data, name, group_name)
        )
        found = self._object(self._own(CORE, ""), "MachineDeployment", name, group_name, spec={})
        say(core.DEPLOYMENT, data, found)
        if get(found, "spec.rollout.strategy.rollingUpdate"):
            put(found, "spec.rollout.strategy.type", "RollingUpdate")
        chosen = {core.CLUSTER_NAME: core.cluster_name(self._name), core.DEPLOYMENT_NAME: name}
        zones = self._zones(data) if self._infrastructure.has_failure_domains else []
        is_secret = bootstrap["kind"] == "Secret"
        machine = {
            "clusterName": core.cluster_name(self._name),
            "version": core.with_v(self._cluster["spec"].get("kubernetesVersion")),
            "bootstrap": {"dataSecretName": bootstrap["metadata"]["name"]}
            if is_secret
            else {"configRef": self._reference(bootstrap)},
            "infrastructureRef": self._reference(template),
            # Machines of a deployment are in one zone, or wherever the provider places them.
            **({"failureDomain": zones[0]} if len(zones) == 1 else {}),
        }
        found["spec"].update(
            clusterName=core.cluster_name(self._name),
            selector={"matchLabels": chosen},
            template={"metadata": {"labels": {**core.own_labels(self._name, group_name), **chosen}}, "spec": machine},
        )
        return [template, bootstrap, found]

    def _zones(self, group: Mapping[str, Any]) -> list[str]:
        spec = group["spec"]
        named = spec.get("subnets") or []
        of_subnets = [each.get("zone") for each in self._cluster["spec"].get("subnets") or [] if each["name"] in named]
        return list(dict.fromkeys(filter(None, spec.get("zones") or of_subnets)))

    def _of_first_boot(self, name: str, group: str, task: Task[Any] | None) -> dict[str, Any]:
        """Our own bootstrap data: it holds no secret, but Cluster API reads it in a Secret."""
        text = str(self._infrastructure.user_data(task) or "") if task else ""
        encoded = {
            "value": base64.b64encode(text.encode()).decode(),
            "format": base64.b64encode(b"cloud-config").decode(),
        }
        own = core.by_content(name, encoded)
        return self._object("v1", "Secret", own, group, type=_INSTEAD_OF_FIRST_BOOT, data=encoded)

    def _of_kubeadm(self, data: Mapping[str, Any], name: str, group: str) -> dict[str, Any]:
        spec = say(core.REGISTRATION, data).get("spec", {})
        part = {"spec": spec}
        put(part, core.REGISTRATION_ARGUMENTS, core.registration_arguments(data["spec"]))
        own = core.by_content(name, part)
        return self._object(self._own(BOOTSTRAP, ""), "KubeadmConfigTemplate", own, group, spec=part["spec"])
