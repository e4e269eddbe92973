# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clouds that clusters are applied to: one entry each. A cloud is added by its rooms and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ..api.cluster import Cluster
from ..base.errors import FieldError, KopsError, ValidationError

if TYPE_CHECKING:
    from ..api.facts import CloudFacts
    from ..api.instance_group import InstanceGroup
    from ..engine.resource import Resource
    from ..engine.targets.terraform import TerraformTarget
    from ..engine.task import Task
    from ..model.context import ModelContext


class Provider(Protocol):
    """What operations need of a cloud. cloud/<name>/provider.py and model/<name>/ give it."""

    def open(self, region: str, cluster_name: str) -> Any:
        """A client for one region; tasks get it as their cloud. Raises KopsError when libraries are missing."""

    def facts(self, cloud: Any) -> CloudFacts:
        """Answers to what completion and validation ask."""

    def read_ahead(self, facts: Any, groups: Sequence[InstanceGroup]) -> None:
        """Ask together for what completion and validation of these groups will ask one by one."""

    def account(self, cloud: Any) -> tuple[str, str]:
        """(account, partition) of the credentials; empty where the cloud has no such thing."""

    def build(self, context: ModelContext) -> dict[str, Task]:
        """The tasks of a completed cluster."""

    def terraform_target(self, cluster: Cluster, region: str) -> TerraformTarget:
        """An empty Terraform target for the cluster."""

    def discover(self, cloud: Any) -> dict[str, Resource]:
        """Every object of the cluster that exists, found by its tags."""

    def explain(self, error: Exception) -> str:
        """A sentence for an exception of the cloud's library."""


class _AWS:
    def open(self, region: str, cluster_name: str) -> Any:
        from ..cloud.aws.cloud import AWSCloud

        return AWSCloud(region, cluster_name)

    def facts(self, cloud: Any) -> CloudFacts:
        from ..cloud.aws.facts import AWSFacts

        return AWSFacts(cloud)

    def read_ahead(self, facts: Any, groups: Sequence[InstanceGroup]) -> None:
        types = [group.spec.machine_type or "" for group in groups]
        for group in groups:
            policy = group.spec.mixed_instances_policy
            types += policy.instances if policy else []
        facts.read_ahead(types, [group.spec.image or "" for group in groups])

    def account(self, cloud: Any) -> tuple[str, str]:
        return cloud.account_id, cloud.partition

    def build(self, context: ModelContext) -> dict[str, Task]:
        from ..model.aws.builders import build

        return build(context)

    def terraform_target(self, cluster: Cluster, region: str) -> TerraformTarget:
        from ..engine.targets.terraform import TerraformTarget

        extra, files = _extra_config(cluster)
        return TerraformTarget("aws", {"region": region, **extra}, files)

    def discover(self, cloud: Any) -> dict[str, Resource]:
        from ..cloud.aws.resources.discovery import discover

        return discover(cloud)

    def explain(self, error: Exception) -> str:
        from ..cloud.aws.errors import explain

        return str(explain(error))


class _GCE:
    """project: the project that a cluster names; "" is the environment's."""

    def __init__(self, project: str = "") -> None:
        self._project = project

    def open(self, region: str, cluster_name: str) -> Any:
        from ..cloud.gce.cloud import GCECloud

        return GCECloud(region, cluster_name, self._project)

    def facts(self, cloud: Any) -> CloudFacts:
        from ..cloud.gce.facts import GCEFacts

        return GCEFacts(cloud)

    def read_ahead(self, facts: Any, groups: Sequence[InstanceGroup]) -> None:
        """Nothing: Google Cloud is not asked for machine types and images."""

    def account(self, cloud: Any) -> tuple[str, str]:
        return "", ""

    def build(self, context: ModelContext) -> dict[str, Task]:
        from ..model.gce.builders import build

        return build(context)

    def terraform_target(self, cluster: Cluster, region: str) -> TerraformTarget:
        from ..engine.targets.terraform import TerraformTarget

        project = project_of(cluster)
        extra, files = _extra_config(cluster)
        target = TerraformTarget("google", {"project": project, "region": region, **extra}, files)
        target.output("project", project)
        return target

    def discover(self, cloud: Any) -> dict[str, Resource]:
        raise KopsError(
            "objects in Google Cloud cannot be deleted yet: run terraform destroy in the directory of the cluster's"
            " configuration, then delete the cluster with unregister: true"
        )

    def explain(self, error: Exception) -> str:
        from ..cloud.gce.errors import explain

        return str(explain(error))


class _Metal:
    """Hosts of one's own: only the state store is written, the hosts are reached through an inventory."""

    def open(self, region: str, cluster_name: str) -> Any:
        from ..cloud.reads import Reads

        return Reads()

    def facts(self, cloud: Any) -> CloudFacts:
        from ..cloud.metal.facts import MetalFacts

        return MetalFacts()

    def read_ahead(self, facts: Any, groups: Sequence[InstanceGroup]) -> None:
        """Nothing: there is nobody to ask."""

    def account(self, cloud: Any) -> tuple[str, str]:
        return "", ""

    def build(self, context: ModelContext) -> dict[str, Task]:
        from ..model.metal.builders import build

        return build(context)

    def terraform_target(self, cluster: Cluster, region: str) -> TerraformTarget:
        raise KopsError("target terraform is for clouds: hosts of one's own are no resources of a provider")

    def discover(self, cloud: Any) -> dict[str, Resource]:
        return {}

    def explain(self, error: Exception) -> str:
        return str(error)


PROVIDERS: dict[str, Callable[..., Provider]] = {"aws": _AWS, "gce": _GCE, "metal": _Metal}


def provider_name(cluster: Cluster) -> str:
    """The cloud that spec.cloudProvider names, in its manifest spelling; "metal" when it names none."""
    union = cluster.spec.cloud_provider
    return next((name for name in vars(union) if getattr(union, name) is not None), "metal")


def provider_of(cluster: Cluster) -> Provider:
    """The cloud of a cluster; raises KopsError for one that cannot be applied to yet."""
    name = provider_name(cluster)
    if name not in PROVIDERS:
        raise KopsError(
            f"cluster {cluster.metadata.name}: clusters on {name} cannot be applied yet, only on {', '.join(PROVIDERS)}"
        )
    return provider_for(name, project_of(cluster))


def provider_for(cloud: str, project: str = "") -> Provider:
    """The cloud of that name, which must be one of PROVIDERS; project: where a cloud has such (Google Cloud)."""
    return PROVIDERS[cloud](project) if project else PROVIDERS[cloud]()


def project_of(cluster: Cluster) -> str:
    """The project that a cluster lies in; "" where its cloud has no such thing."""
    gce = cluster.spec.cloud_provider.gce
    return (gce.project if gce else None) or ""


def _extra_config(cluster: Cluster) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """What spec.target.terraform adds to the provider of the cloud, and to the one that writes the store's files."""
    terraform = cluster.spec.target.terraform if cluster.spec.target else None
    return (terraform.provider_extra_config, terraform.files_provider_extra_config) if terraform else ({}, {})


def region_of(cluster: Cluster) -> str:
    """The region that the cluster's subnets lie in; raises ValidationError when there is none, or more than one.

    "" for hosts of one's own, which lie in none.
    """
    if provider_name(cluster) == "metal":
        return ""
    regions: dict[str, str] = {}
    for index, subnet in enumerate(cluster.spec.networking.subnets):
        region = subnet.region or (subnet.zone or "")[:-1]
        if region:
            regions.setdefault(region, f"spec.networking.subnets[{index}].zone")
    if len(regions) == 1:
        return next(iter(regions))
    if not regions:
        problem = FieldError("Required", "spec.networking.subnets", "name at least one subnet with its zone")
        raise ValidationError([problem], f"cluster {cluster.metadata.name}")
    problems = [
        FieldError("Invalid", path, f"a cluster lies in one region, these subnets lie in {', '.join(regions)}", region)
        for region, path in regions.items()
    ]
    raise ValidationError(problems, f"cluster {cluster.metadata.name}")
