# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instance groups that Karpenter launches, as its objects: an EC2NodeClass and a NodePool for each.

Source: template_functions_karpenter.go of kops.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....api.instance_group import InstanceGroup
from ....api.taints import parse_taint
from ...launch import Disk, Launch
from ...objects.core import kubernetes_object
from ...objects.pods import expression
from .parts import AWS, CORE, NODE_POOL

_CAPACITY = f"{CORE}/capacity-type"
_CLASS = "EC2NodeClass"
_KEPT_BY_CLUSTERS = "kubernetes.io/cluster"
# Tags that Karpenter sets itself, and refuses.
_RESERVED_TAGS = ("eks:eks-cluster-name", NODE_POOL, f"{CORE}/nodeclaim", f"{AWS}/ec2nodeclass")


def node_class(launch: Launch) -> dict[str, Any]:
    """What an instance of a group is: the counterpart of a launch template."""
    spec, name = launch.group.spec, str(launch.group.metadata.name)
    optional = {
        "kubelet": _kubelet(launch.group),
        "metadataOptions": _metadata_service(launch),
        "detailedMonitoring": spec.detailed_instance_monitoring,
    }
    return kubernetes_object(
        f"{AWS}/v1",
        _CLASS,
        name,
        spec={
            "amiFamily": "Custom",
            "amiSelectorTerms": [_image(launch)],
            "associatePublicIPAddress": launch.public_address,
            "blockDeviceMappings": [
                # Karpenter cannot tell the first one from such an image.
                {**_disk(launch.root_volume), "rootVolume": True},
                *map(_disk, launch.disks),
            ],
            "tags": {key: value for key, value in launch.tags.items() if not _is_reserved_tag(key)},
            "subnetSelectorTerms": [{"tags": {**launch.owned, f"kops.k8s.io/instance-group/{name}": "true"}}],
            "securityGroupSelectorTerms": [
                {"id": spec.security_group_override}
                if spec.security_group_override is not None
                else {"tags": {**launch.owned, "Name": launch.security_group}},
                *({"id": identifier} for identifier in spec.additional_security_groups),
            ],
            "instanceProfile": launch.instance_profile,
            "userData": launch.user_data,
            **{key: value for key, value in optional.items() if value},
        },
    )


def _is_reserved_tag(key: str) -> bool:
    return not key or key.startswith(_KEPT_BY_CLUSTERS) or key in _RESERVED_TAGS


def _image(launch: Launch) -> dict[str, str]:
    reference = (launch.group.spec.image or "").strip()
    if reference.startswith("ami-"):
        return {"id": reference}
    if reference.startswith("ssm:"):
        return {"ssmParameter": reference[len("ssm:") :]}
    return {"name": launch.image_name, "owner": launch.image_owner}


def _metadata_service(launch: Launch) -> dict[str, Any]:
    """How the metadata service answers, where that is not as Karpenter has it: tokens are required, with one hop."""
    options = launch.group.spec.instance_metadata
    given = {
        "httpTokens": options.http_tokens if options else None,
        "httpPutResponseHopLimit": options.http_put_response_hop_limit if options else None,
        "httpProtocolIPv6": "enabled" if launch.has_ipv6 else None,
    }
    return {key: value for key, value in given.items() if value is not None}


def _disk(volume: Disk) -> dict[str, Any]:
    ebs = {
        "deleteOnTermination": volume.is_deleted,
        "encrypted": volume.encrypted,
        "iops": volume.iops,
        "kmsKeyID": volume.key,
        "throughput": volume.throughput,
        "volumeSize": f"{volume.size}Gi",
        "volumeType": volume.kind,
    }
    return {
        "deviceName": volume.device,
        "ebs": {key: value for key, value in ebs.items() if value is not None},
    }


def _kubelet(group: InstanceGroup) -> dict[str, Any]:
    """What Karpenter needs to know of a node's room for pods."""
    kubelet = group.spec.kubelet
    if kubelet is None:
        return {}
    found: dict[str, Any] = {} if kubelet.max_pods is None else {"maxPods": kubelet.max_pods}
    reserved = {"systemReserved": kubelet.system_reserved, "kubeReserved": kubelet.kube_reserved}
    return {**found, **{key: dict(values) for key, values in reserved.items() if values}}


def node_pool(launch: Launch) -> dict[str, Any]:
    """How many instances of a group there may be, and which: the counterpart of an autoscaling group."""
    group, spec = launch.group, launch.group.spec
    template: dict[str, Any] = {
        "requirements": _requirements(group),
        "nodeClassRef": {"group": AWS, "kind": _CLASS, "name": group.metadata.name},
    }
    if spec.taints:
        template["taints"] = [parse_taint(taint) for taint in spec.taints]
    labels = _without_reserved(launch.node_labels)
    whole: dict[str, Any] = {"template": {**({"metadata": {"labels": labels}} if labels else {}), "spec": template}}
    if spec.min_size:
        whole["replicas"] = spec.min_size
    if spec.max_size is not None:
        whole["limits"] = {"nodes": str(spec.max_size)}
    return kubernetes_object(f"{CORE}/v1", "NodePool", str(group.metadata.name), spec=whole)


def _without_reserved(labels: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in labels.items() if not _is_reserved_label(key)}


def _is_reserved_label(key: str) -> bool:
    """Whether Karpenter sets a label itself, and refuses it."""
    if key == _CAPACITY:
        return False
    domain, slash, _name = key.partition("/")
    own = any(domain == group or domain.endswith(f".{group}") for group in (CORE, AWS))
    return key == "kubernetes.io/hostname" or (bool(slash) and own)


def _requirements(group: InstanceGroup) -> list[dict[str, Any]]:
    types = _instance_types(group)
    return [
        expression("kubernetes.io/os", "In", "linux"),
        *([expression("node.kubernetes.io/instance-type", "In", *types)] if types else []),
        expression(_CAPACITY, "In", *_capacity_types(group)),
    ]


def _instance_types(group: InstanceGroup) -> list[str]:
    policy = group.spec.mixed_instances_policy
    named = [*(policy.instances if policy else ()), *(group.spec.machine_type or "").split(",")]
    return sorted({name.strip() for name in named} - {""})


def _capacity_types(group: InstanceGroup) -> list[str]:
    spec, policy = group.spec, group.spec.mixed_instances_policy
    if spec.max_price is not None or spec.spot_duration_in_minutes is not None:
        return ["spot"]
    above = policy.on_demand_above_base if policy else None
    return ["on-demand", "spot"] if above is not None and above < 100 else ["on-demand"]
