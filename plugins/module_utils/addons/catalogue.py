# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which addons a cluster has: those that this collection brings, and those that kops would bring besides.

Source of the conditions and of the order: bootstrapchannelbuilder of kops. Its kops-controller is not here: what it
does for nodes (labels, addresses, certificates) is done by this collection's own runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..api.additional import AdditionalObject
from ..api.cluster import Cluster
from ..api.instance_group import InstanceGroup
from ..api.questions import cert_manager_enabled, cloud_of, uses_none_dns
from . import coredns, flannel, ground, gvisor, node_local_dns
from .addon import NAME_LABEL, Addon

ADDITIONAL = "cluster-addons.kops.k8s.io"
# Objects that kops gives to programs of the control plane as files, rather than to the API server.
_FILES = (("kubescheduler.config.k8s.io", "KubeSchedulerConfiguration"),)
_EXTERNAL_DNS = "external-dns"


@dataclass(frozen=True)
class Situation:
    """What the conditions look at. features: kops' feature flags. brought: addons that the user brings instead."""

    cluster: Cluster
    groups: Sequence[InstanceGroup]
    features: frozenset[str] = frozenset()
    brought: frozenset[str] = frozenset()

    @property
    def cloud(self) -> str:
        """The cloud by kops' name."""
        return cloud_of(self.cluster)

    @property
    def dns_provider(self) -> str:
        """CoreDNS or KubeDNS; "" where operators bring CoreDNS."""
        dns = self.cluster.spec.kube_dns
        provider = (dns.provider if dns else None) or "CoreDNS"
        return "" if provider == "CoreDNS" and "UseAddonOperators" in self.features else provider

    @property
    def uses_external_dns(self) -> bool:
        """Whether external-dns publishes the DNS records, rather than dns-controller."""
        external = self.cluster.spec.external_dns
        return external is not None and external.provider == _EXTERNAL_DNS

    @property
    def manages_storage_classes(self) -> bool:
        """Whether kops brings the storage classes of the cloud."""
        config = self.cluster.spec.cloud_config
        return bool(config and config.manage_storage_classes)


Condition = Callable[[Situation], bool]
Build = Callable[[Cluster, int], Addon]


@dataclass(frozen=True)
class Addons:
    """The addons of a cluster.

    addons: to apply, in the index's order. unavailable: names of those that kops would bring, but this collection does
    not. retired: names of those that this collection knows, but the cluster has not: what is left of them goes.
    """

    addons: list[Addon]
    unavailable: list[str]
    retired: list[str]


def addons_of(
    cluster: Cluster,
    groups: Sequence[InstanceGroup],
    *,
    nodes: int | None = None,
    features: frozenset[str] = frozenset(),
    additional: Sequence[AdditionalObject] = (),
) -> Addons:
    """The addons of a cluster.

    cluster, groups: completed. nodes: how many nodes there are; by default as many as the groups have at least.
    features: kops' feature flags that are on. additional: the user's own objects from the state store.
    """
    brought = frozenset(_labels(thing.data).get(NAME_LABEL, "") for thing in additional)
    situation = Situation(cluster, groups, features, brought)
    count = _expected_nodes(groups) if nodes is None else nodes
    wanted = [(name, build) for name, build, condition in _ROWS if condition(situation)]
    names = {name for name, _build in wanted}
    addons = [build(cluster, count) for _name, build in wanted if build is not None]
    own = [thing.data for thing in additional if not _is_file(thing)]
    if own:
        addons.append(Addon(ADDITIONAL, own, "default.yaml", selector={"k8s-addon": ADDITIONAL}))
    return Addons(
        addons,
        unavailable=[name for name, build in wanted if build is None],
        retired=sorted({name for name, build, _condition in _ROWS if build is not None} - names),
    )


def _labels(data: dict[str, Any]) -> dict[str, str]:
    return data.get("metadata", {}).get("labels") or {}


def _is_file(thing: AdditionalObject) -> bool:
    return (thing.api_version.partition("/")[0], thing.kind) in _FILES


def _expected_nodes(groups: Sequence[InstanceGroup]) -> int:
    return sum(group.spec.min_size or 0 for group in groups if group.spec.role != "Bastion")


def _enabled(part: Any) -> bool:
    return part is not None and bool(part.enabled)


def _on(*clouds: str) -> Condition:
    return lambda situation: situation.cloud in clouds


def _switched_on(field: str) -> Condition:
    """By enabled in a part of the specification."""
    return lambda situation: _enabled(getattr(situation.cluster.spec, field))


def _aws(field: str) -> Condition:
    """By enabled in a part of spec.cloudProvider.aws."""
    return lambda it: _enabled(getattr(it.cluster.spec.cloud_provider.aws, field, None))


def _network(field: str) -> Condition:
    """By the choice of the network."""
    return lambda situation: getattr(situation.cluster.spec.networking, field) is not None


def _stores_on(cloud: str) -> Condition:
    return lambda situation: situation.cloud == cloud and situation.manages_storage_classes


def _unless_brought(name: str, wanted: Condition) -> Condition:
    return lambda situation: wanted(situation) and name not in situation.brought


def _always(situation: Situation) -> bool:
    return True


def _publishes_by_dns_controller(situation: Situation) -> bool:
    return not uses_none_dns(situation.cluster) and not situation.uses_external_dns


def _publishes_by_external_dns(situation: Situation) -> bool:
    return not uses_none_dns(situation.cluster) and situation.uses_external_dns


def _caches_dns(situation: Situation) -> bool:
    dns = situation.cluster.spec.kube_dns
    return dns is not None and (dns.provider or "CoreDNS") == "CoreDNS" and _enabled(dns.node_local_dns)


def _manages_cert_manager(situation: Situation) -> bool:
    manager = situation.cluster.spec.cert_manager
    return cert_manager_enabled(situation.cluster) and manager is not None and manager.managed is not False


def _has_gpus(situation: Situation) -> bool:
    parts = [situation.cluster.spec.containerd, *(group.spec.containerd for group in situation.groups)]
    return any(part is not None and _enabled(part.nvidia_gpu) for part in parts)


def _has_gvisor(situation: Situation) -> bool:
    workers = [group.spec.containerd for group in situation.groups if group.spec.role == "Node"]
    return any(part is not None and _enabled(part.gvisor) for part in workers)


def _has_pd_driver(situation: Situation) -> bool:
    gce = situation.cluster.spec.cloud_provider.gce
    return situation.cloud == "gce" and gce is not None and _enabled(gce.pd_csi_driver)


def _has_ebs_driver(situation: Situation) -> bool:
    aws = situation.cluster.spec.cloud_provider.aws
    if situation.cloud != "aws" or aws is None:
        return False
    return aws.ebs_csi_driver is None or aws.ebs_csi_driver.managed is not False


def _has_kopeio_network(situation: Situation) -> bool:
    return _network("kopeio")(situation) and "UseAddonOperators" not in situation.features


def _authenticates_by(field: str) -> Condition:
    return lambda situation: getattr(situation.cluster.spec.authentication, field, None) is not None


def _has_spotinst(situation: Situation) -> bool:
    return {"Spotinst", "SpotinstController"} <= situation.features


# Name, what builds it (None: only kops does), when a cluster has it.
_ROWS: tuple[tuple[str, Build | None, Condition], ...] = (
    ("kube-dns.addons.k8s.io", None, lambda it: it.dns_provider == "KubeDNS"),
    (coredns.NAME, coredns.build, lambda it: it.dns_provider == "CoreDNS"),
    (ground.KUBELET_API, ground.kubelet_api, _always),
    (ground.LIMIT_RANGE, ground.limit_range, _always),
    (ground.DNS_CONTROLLER, None, _publishes_by_dns_controller),
    (ground.DNS_CONTROLLER, ground.no_dns_controller, lambda it: not _publishes_by_dns_controller(it)),
    ("external-dns.addons.k8s.io", None, _publishes_by_external_dns),
    (node_local_dns.NAME, node_local_dns.build, _caches_dns),
    ("cluster-autoscaler.addons.k8s.io", None, _switched_on("cluster_autoscaler")),
    ("metrics-server.addons.k8s.io", None, _switched_on("metrics_server")),
    ("certmanager.io", None, _manages_cert_manager),
    ("node-termination-handler.aws", None, _aws("node_termination_handler")),
    ("node-problem-detector.addons.k8s.io", None, _switched_on("node_problem_detector")),
    ("nvidia.addons.k8s.io", None, _has_gpus),
    (gvisor.NAME, gvisor.build, _has_gvisor),
    ("aws-load-balancer-controller.addons.k8s.io", None, _aws("load_balancer_controller")),
    ("eks-pod-identity-webhook.addons.k8s.io", None, _aws("pod_identity_webhook")),
    ("storage-aws.addons.k8s.io", None, _stores_on("aws")),
    ("storage-azure.addons.k8s.io", None, _stores_on("azure")),
    ("digitalocean-cloud-controller.addons.k8s.io", None, _on("digitalocean")),
    ("digitalocean-csi-driver.addons.k8s.io", None, _on("digitalocean")),
    ("hcloud-config.addons.k8s.io", None, _on("hetzner")),
    ("hcloud-cloud-controller.addons.k8s.io", None, _on("hetzner")),
    ("hcloud-csi-driver.addons.k8s.io", None, _on("hetzner")),
    ("azure-cloud-config.addons.k8s.io", None, _on("azure")),
    ("azure-cloud-controller.addons.k8s.io", None, _on("azure")),
    ("azuredisk-csi-driver.addons.k8s.io", None, _on("azure")),
    ("storage-gce.addons.k8s.io", None, _stores_on("gce")),
    ("gcp-pd-csi-driver.addons.k8s.io", None, _has_pd_driver),
    ("scaleway-cloud-controller.addons.k8s.io", None, _on("scaleway")),
    ("scaleway-csi-driver.addons.k8s.io", None, _on("scaleway")),
    ("spotinst-kubernetes-cluster-controller.addons.k8s.io", None, _has_spotinst),
    (
        "gcp-cloud-controller.addons.k8s.io",
        None,
        _unless_brought("gcp-cloud-controller.addons.k8s.io", _on("gce")),
    ),
    ("networking.kope.io", None, _unless_brought("networking.kope.io", _has_kopeio_network)),
    (flannel.NAME, flannel.build, _network("flannel")),
    ("networking.projectcalico.org", None, _network("calico")),
    ("networking.kuberouter", None, _network("kube_router")),
    ("networking.amazon-vpc-routed-eni", None, _network("amazon_vpc")),
    ("networking.kindnet", None, _network("kindnet")),
    ("networking.cilium.io", None, _unless_brought("networking.cilium.io", _network("cilium"))),
    ("authentication.kope.io", None, _authenticates_by("kopeio")),
    ("authentication.aws", None, _authenticates_by("aws")),
    ("storage-openstack.addons.k8s.io", None, _on("openstack")),
    ("openstack.addons.k8s.io", None, _on("openstack")),
    ("aws-cloud-controller.addons.k8s.io", None, _on("aws")),
    ("aws-ebs-csi-driver.addons.k8s.io", None, _has_ebs_driver),
    ("snapshot-controller.addons.k8s.io", None, _switched_on("snapshot_controller")),
    ("karpenter.sh", None, _switched_on("karpenter")),
)
