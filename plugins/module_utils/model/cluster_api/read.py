# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of Cluster API as a specification: what they say themselves, and with it what they carry."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...base import labels
from ...statestore.objects import LABEL_CLUSTER
from . import core
from .infrastructure import Infrastructure
from .rows import get, put, read

_API_VERSION = "kops.k8s.io/v1alpha2"
_MEMBERS = "abcdefghijklmnopqrstuvwxyz"
_ETCD = ("main", "events")
_MACHINE = "spec.template.spec"
Manifests = tuple[dict[str, Any], list[dict[str, Any]]]


def read_plain(objects: Sequence[Mapping[str, Any]], infrastructure: Infrastructure, cloud: str) -> Manifests:
    """The Cluster and the InstanceGroups that objects say themselves, as manifests of v1alpha2.

    objects: as they are inside (versions.py), one of them a Cluster. cloud: spec.cloudProvider.
    """
    return _Read(objects, infrastructure, cloud).all()


def read_carried(objects: Sequence[Mapping[str, Any]], infrastructure: Infrastructure, cloud: str) -> Manifests:
    """The same with what the objects carry. What has changed in them since they were exported counts."""
    said_cluster, said_groups = read_plain(objects, infrastructure, cloud)
    said = {each["metadata"]["name"]: each for each in said_groups}
    of_cluster = _carried(next(each for each in objects if each["kind"] == "Cluster"))
    kept = [_carried(each) for each in objects if each["kind"] == "MachineDeployment"]
    cluster = said_cluster
    if of_cluster:
        cluster = _changed(of_cluster["manifest"], of_cluster["read"], said_cluster)
        kept += of_cluster.get("instanceGroups", ())
    groups = []
    for each in filter(None, kept):
        if each["read"] is None:
            groups.append(each["manifest"])
            continue
        now = said.pop(each["read"]["metadata"]["name"], None)
        if now is not None:
            groups.append(_changed(each["manifest"], each["read"], now))
    return cluster, sorted([*groups, *said.values()], key=lambda group: str(group["metadata"]["name"]))


def name_of(objects: Iterable[Mapping[str, Any]]) -> str:
    """The name of the cluster, as it is in a state store."""
    found = next(each for each in objects if each["kind"] == "Cluster")
    return str((get(found, "metadata.labels") or {}).get(LABEL_CLUSTER) or get(found, "metadata.name"))


def _carried(found: Mapping[str, Any]) -> Any:
    text = (get(found, "metadata.annotations") or {}).get(core.CARRIED)
    return json.loads(text) if text else None


def _changed(manifest: Any, before: Any, now: Any) -> Any:
    """A manifest with what has changed from before to now."""
    if not isinstance(before, Mapping) or not isinstance(now, Mapping) or not isinstance(manifest, Mapping):
        return manifest if before == now else now
    result = dict(manifest)
    for key in {**before, **now}:
        if before.get(key) == now.get(key):
            continue
        if key not in now:
            result.pop(key, None)
        else:
            result[key] = _changed(result.get(key, {}), before.get(key, {}), now[key])
    return result


class _Read:
    def __init__(self, objects: Sequence[Mapping[str, Any]], infrastructure: Infrastructure, cloud: str) -> None:
        self._objects, self._infrastructure, self._cloud = objects, infrastructure, cloud
        self._by_name = {(str(each["kind"]), str(get(each, "metadata.name"))): each for each in objects}
        self._cluster = next(each for each in objects if each["kind"] == "Cluster")
        self._name = name_of(objects)

    def all(self) -> Manifests:
        """Both."""
        cluster = self._read_cluster()
        groups = [*self._control_planes(cluster), *(self._group(each, cluster) for each in self._deployments())]
        return cluster, sorted(groups, key=lambda group: str(group["metadata"]["name"]))

    def _referred(self, found: Mapping[str, Any], path: str) -> Mapping[str, Any]:
        reference = get(found, path) or {}
        return self._by_name.get((str(reference.get("kind")), str(reference.get("name"))), {})

    def _deployments(self) -> list[Mapping[str, Any]]:
        return [each for each in self._objects if each["kind"] == "MachineDeployment"]

    def _read_cluster(self) -> dict[str, Any]:
        result: dict[str, Any] = {"apiVersion": _API_VERSION, "kind": "Cluster", "metadata": {"name": self._name}}
        put(result, "spec.cloudProvider", self._cloud)
        read(core.CLUSTER, self._cluster, result)
        read(self._infrastructure.cluster, self._referred(self._cluster, "spec.infrastructureRef"), result)
        subnets = _with_zones(result["spec"].get("subnets") or [], self._domains())
        if subnets:
            result["spec"]["subnets"] = subnets
        for template in self._objects:
            if template["kind"] == self._infrastructure.machine_kind:
                read(self._infrastructure.placing, get(template, _MACHINE) or {}, result)
        control_plane = self._referred(self._cluster, "spec.controlPlaneRef")
        read(core.CONTROL_PLANE, control_plane, result)
        versions = [get(each, f"{_MACHINE}.version") for each in self._deployments()]
        if "kubernetesVersion" not in result["spec"] and versions and versions[0]:
            result["spec"]["kubernetesVersion"] = str(versions[0]).removeprefix("v")
        host = get(self._cluster, "spec.controlPlaneEndpoint.host")
        if host and not str(host).startswith(f"api.{self._name}"):
            result["spec"]["masterPublicName"] = host
        if control_plane:
            result["spec"]["etcdClusters"] = self._etcd(self._members(control_plane, result))
        return result

    def _subnets(self, cluster: Mapping[str, Any], zone: str = "") -> list[Mapping[str, Any]]:
        """The subnets of machines: the private ones, if there are any; those of a zone, or in all."""
        subnets = [each for each in cluster["spec"].get("subnets") or () if each.get("type") != "Utility"]
        private = [each for each in subnets if each.get("type") == "Private"]
        return [each for each in private or subnets if not zone or each.get("zone") in (None, zone)]

    def _members(
        self, control_plane: Mapping[str, Any], cluster: Mapping[str, Any]
    ) -> list[tuple[str, dict[str, Any]]]:
        """The instance groups of a control plane as kops makes them, one for each machine: name, and where it is."""
        zones = list(dict.fromkeys(self._zones(cluster)))
        members: list[tuple[str, dict[str, Any]]] = []
        for number in range(int(get(control_plane, "spec.replicas") or 1)):
            zone = zones[number % len(zones)] if zones else ""
            turn = number // len(zones) + 1 if zones else number + 1
            several = f"-{turn}" if zones and int(get(control_plane, "spec.replicas") or 1) > len(zones) else ""
            name = f"control-plane-{zone}{several}" if zone else f"control-plane-{turn}"
            members.append((name, self._place(cluster, zone)))
        return members

    def _zones(self, cluster: Mapping[str, Any]) -> list[str]:
        return [each["zone"] for each in self._subnets(cluster) if each.get("zone")] or self._domains()

    def _domains(self) -> list[str]:
        """The failure domains of machines."""
        said = [get(each, f"{_MACHINE}.failureDomain") for each in self._deployments()]
        return list(dict.fromkeys(str(each) for each in said if each))

    def _place(self, cluster: Mapping[str, Any], zone: str) -> dict[str, Any]:
        subnets = self._subnets(cluster, zone)
        names = [each["name"] for each in subnets if each.get("name")]
        is_said = any(each.get("zone") == zone for each in subnets)
        return {
            **({"subnets": names} if names else {}),
            **({"zones": [zone]} if zone and not is_said else {}),
        }

    def _etcd(self, members: Sequence[tuple[str, Any]]) -> list[dict[str, Any]]:
        named = [{"instanceGroup": name, "name": letter} for letter, (name, _place) in zip(_MEMBERS, members)]
        return [{"etcdMembers": named, "name": etcd} for etcd in _ETCD]

    def _control_planes(self, cluster: Mapping[str, Any]) -> list[dict[str, Any]]:
        found = self._referred(self._cluster, "spec.controlPlaneRef")
        if not found:
            return []
        template = self._referred(found, "spec.machineTemplate.spec.infrastructureRef")
        arguments = get(found, "spec.kubeadmConfigSpec.joinConfiguration.nodeRegistration.kubeletExtraArgs") or {}
        groups = []
        for name, place in self._members(found, cluster):
            group = self._empty(name, "Master")
            read(self._infrastructure.machine, get(template, _MACHINE) or {}, group)
            group["spec"].update({**place, **core.read_registration(arguments), "minSize": 1, "maxSize": 1})
            groups.append(group)
        return groups

    def _group(self, found: Mapping[str, Any], cluster: Mapping[str, Any]) -> dict[str, Any]:
        name = str(get(found, "metadata.name"))
        own = (get(found, "metadata.labels") or {}).get(labels.INSTANCE_GROUP)
        group = self._empty(own or name.removeprefix(f"{get(self._cluster, 'metadata.name')}-"), "Node")
        read(core.DEPLOYMENT, found, group)
        template = self._referred(found, f"{_MACHINE}.infrastructureRef")
        read(self._infrastructure.machine, get(template, _MACHINE) or {}, group)
        bootstrap = self._referred(found, f"{_MACHINE}.bootstrap.configRef")
        read(core.REGISTRATION, bootstrap, group)
        spec = group["spec"]
        spec.update(core.read_registration(get(bootstrap, core.REGISTRATION_ARGUMENTS) or {}))
        taints = get(found, f"{_MACHINE}.taints") or []
        if taints:
            spec["taints"] = [*spec.get("taints", ()), *map(core.taint_text, taints)]
        spec.update(self._place(cluster, str(get(found, f"{_MACHINE}.failureDomain") or "")))
        return group

    def _empty(self, name: str, role: str) -> dict[str, Any]:
        metadata = {"labels": {LABEL_CLUSTER: self._name}, "name": name}
        return {"apiVersion": _API_VERSION, "kind": "InstanceGroup", "metadata": metadata, "spec": {"role": role}}


def _with_zones(subnets: Sequence[dict[str, Any]], zones: Sequence[str]) -> list[dict[str, Any]]:
    """Subnets as kops has them: one for each zone if they say none, with names and types as kops gives them."""
    found = [dict(each) for each in subnets]
    if not any(each.get("zone") or each.get("region") for each in found):
        found += [{} for _zone in zones[len(found) :]]
        for each, zone in zip(found, zones):
            each["zone"] = zone
    has_private = any(each.get("type") == "Private" for each in found)
    for number, each in enumerate(found, 1):
        # Beside private subnets, public ones are for load balancers and gateways.
        if has_private and each.get("type") == "Public":
            each["type"] = "Utility"
        if not each.get("name"):
            prefix = "utility-" if each.get("type") == "Utility" else ""
            each["name"] = f"{prefix}{each.get('zone') or each.get('region') or each.get('id') or number}"
    return found
