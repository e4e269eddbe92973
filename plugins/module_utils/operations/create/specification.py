# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A new cluster's Cluster and InstanceGroups from a handful of options.

The order of the steps is kops' own, because ``set`` and ``unset`` come between inference and assignment of what was
left open.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...api.additional import AdditionalObject
from ...api.cluster import (
    AlwaysAllowAuthorizationSpec,
    AuthorizationSpec,
    Cluster,
    IAMSpec,
    KarpenterConfig,
    RBACAuthorizationSpec,
    ServiceAccountIssuerDiscoveryConfig,
)
from ...api.facts import CloudFacts
from ...api.instance_group import InstanceGroup
from ...api.kubelet import KubeletConfigSpec
from ...api.meta import ObjectMeta
from ...api.paths import apply_settings
from ...api.validation.entry import deep_validate, raise_for
from ...base.errors import FieldError, ValidationError
from ...completion.assignments import perform_assignments
from ...completion.cluster import complete_cluster
from ...completion.instance_group import complete_instance_group
from ...completion.settings import Settings
from .addons import additional_objects
from .checks import check_options
from .cloud import add_cloud, cloud_of
from .draft import Draft, Settled
from .feature_gates import add_feature_gates
from .finish import apply_group_options, finish_groups
from .groups import add_etcd_clusters, api_server_groups, control_plane_groups, node_groups
from .networking import add_networking, apply_calico_bpf_rule
from .options import CreateOptions
from .ssh_keys import ssh_public_keys
from .subnets import add_subnets
from .topology import add_api_access, add_topology, topology_of


@dataclass
class NewCluster:
    """What creating a cluster stores: the spec as a user would have written it, nothing completed.

    ssh_public_keys: name -> text in OpenSSH's form.
    """

    cluster: Cluster
    groups: list[InstanceGroup]
    additional_objects: list[AdditionalObject] = field(default_factory=list)
    ssh_public_keys: dict[str, str] = field(default_factory=dict)


def new_cluster(
    options: CreateOptions, *, facts: CloudFacts, settings: Settings, settled: Settled | None = None
) -> NewCluster:
    """Infer a cluster from options, fill what must be explicit, and validate it; nothing is written.

    settled: the cluster as stored, if it exists: versions, images, machine types and address ranges that were chosen
        for it then are kept unless an option says otherwise.
    Raises ValidationError with all problems of the options, or all of the inferred spec; KopsError otherwise.
    """
    raise_for(check_options(options, settings.feature_flags), "create_cluster")
    draft = Draft(
        options=options,
        cloud=cloud_of(options),
        topology=topology_of(options),
        facts=facts,
        settings=settings,
        cluster=_first_cluster(options, settings, settled),
        settled=settled,
    )
    _check_zones_exist(draft)
    groups = _infer(draft)
    cluster = draft.cluster
    _apply_cluster_options(draft)
    apply_group_options(draft, groups)
    apply_settings(cluster, sets=options.set, unsets=options.unset)
    apply_calico_bpf_rule(draft)
    _keep_settled(draft)
    perform_assignments(cluster, facts=facts, settings=settings)
    objects = _validate(draft, groups)
    for group in groups:
        group.metadata.labels["kops.k8s.io/cluster"] = options.name
    return NewCluster(cluster, groups, objects, ssh_public_keys(options, draft.cloud))


def below(store: str, name: str) -> str:
    """The address of a cluster's directory in a store."""
    return f"{store.rstrip('/')}/{name}"


def _first_cluster(options: CreateOptions, settings: Settings, settled: Settled | None) -> Cluster:
    cluster = Cluster(metadata=ObjectMeta(name=options.name))
    spec = cluster.spec
    spec.channel = options.channel
    spec.kubernetes_version = (
        options.kubernetes_version
        or (settled.cluster.spec.kubernetes_version if settled else None)
        or settings.channel.default_kubernetes_version(settings.kops_version)
    )
    spec.config_store.base = options.config_base or below(options.state_store, options.name)
    always_allow = options.authorization == "AlwaysAllow"
    spec.authorization = (
        AuthorizationSpec(always_allow=AlwaysAllowAuthorizationSpec())
        if always_allow
        else AuthorizationSpec(rbac=RBACAuthorizationSpec())
    )
    spec.iam = IAMSpec(allow_container_registry=True)
    spec.kubelet = KubeletConfigSpec(anonymous_auth=False)
    spec.api.access = list(options.admin_access)
    spec.ssh_access = list(options.ssh_access or options.admin_access)
    return cluster


def _check_zones_exist(draft: Draft) -> None:
    known = draft.facts.zones() if draft.cloud in ("aws", "gce") else []
    missing = [zone for zone in draft.all_zones if known and zone not in known]
    if missing:
        allowed = f"does not exist; {draft.facts.region} has {', '.join(known)}"
        options = draft.options
        raise ValidationError(
            [
                FieldError("NotFound", "zones" if zone in options.zones else "control_plane_zones", allowed, zone)
                for zone in missing
            ],
            "create_cluster",
        )


def _infer(draft: Draft) -> list[InstanceGroup]:
    add_feature_gates(draft)
    add_cloud(draft)
    _add_discovery(draft)
    add_subnets(draft)
    add_networking(draft)
    bastions = add_topology(draft)
    control_planes = control_plane_groups(draft)
    add_etcd_clusters(draft, control_planes)
    if draft.options.instance_manager == "karpenter":
        draft.cluster.spec.karpenter = KarpenterConfig(enabled=True)
    groups = [*control_planes, *api_server_groups(draft), *node_groups(draft), *bastions]
    add_api_access(draft)
    finish_groups(draft, groups)
    return groups


def _add_discovery(draft: Draft) -> None:
    options, spec = draft.options, draft.cluster.spec
    if not options.discovery_store:
        return
    spec.service_account_issuer_discovery = ServiceAccountIssuerDiscoveryConfig(
        discovery_store=below(options.discovery_store, options.name)
    )
    if draft.cloud == "aws" and spec.iam:
        spec.service_account_issuer_discovery.enable_awsoidc_provider = True
        spec.iam.use_service_account_external_permissions = True


def _apply_cluster_options(draft: Draft) -> None:
    options, spec = draft.options, draft.cluster.spec
    spec.cloud_labels = dict(options.cloud_labels)
    spec.dns_zone = options.dns_zone or None
    if options.network_cidr:
        spec.networking.network_cidr, *spec.networking.additional_network_cidrs = options.network_cidr
    if options.disable_subnet_tags:
        spec.networking.tag_subnets = False
    spec.api.public_name = options.api_public_name or None


def _keep_settled(draft: Draft) -> None:
    """Ranges that were assigned when the cluster was created: a network that exists by now would change the answer."""
    if draft.settled is None:
        return
    stored, networking = draft.settled.cluster.spec.networking, draft.cluster.spec.networking
    ranges = {subnet.name: subnet.cidr for subnet in stored.subnets}
    for subnet in networking.subnets:
        subnet.cidr = subnet.cidr or ranges.get(subnet.name)
    if draft.cloud == "gce":
        networking.pod_cidr = networking.pod_cidr or stored.pod_cidr
        networking.service_cluster_ip_range = networking.service_cluster_ip_range or stored.service_cluster_ip_range
        networking.non_masquerade_cidr = networking.non_masquerade_cidr or stored.non_masquerade_cidr


def _validate(draft: Draft, groups: list[InstanceGroup]) -> list[AdditionalObject]:
    """Refuse what does not complete to a valid cluster; returns the additional objects, which need the complete one.

    As in kops, what only the cloud knows of machine types and images is left to the update.
    """
    cluster, facts, settings = draft.cluster, draft.facts, draft.settings
    subject, flags = f"cluster {draft.options.name}", settings.feature_flags
    raise_for(deep_validate(cluster, groups, strict=False, feature_flags=flags), subject)
    complete = complete_cluster(cluster, groups, facts=facts, settings=settings)
    objects = additional_objects(draft.options, complete, settings)
    complete_groups = [complete_instance_group(cluster, group, facts=facts, settings=settings) for group in groups]
    raise_for(deep_validate(complete, complete_groups, strict=True, feature_flags=flags), subject)
    return objects
