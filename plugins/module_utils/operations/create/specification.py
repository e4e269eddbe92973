# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A new cluster's Cluster and InstanceGroups: written step by step, then validated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

from ...api.additional import AdditionalObject
from ...api.cluster import Cluster
from ...api.facts import CloudFacts
from ...api.instance_group import InstanceGroup
from ...api.paths import apply_settings
from ...api.validation.entry import deep_validate, raise_for
from ...completion.assignments import perform_assignments
from ...completion.cluster import complete_cluster
from ...completion.instance_group import complete_instance_group
from ...completion.settings import Settings
from .addons import additional_objects
from .draft import Draft, Settled
from .options import CreateOptions
from .ssh_keys import ssh_public_keys
from .steps.api_access import add_api_access
from .steps.basics import add_basics
from .steps.bastion import add_bastion
from .steps.cloud_provider import add_cloud_provider
from .steps.discovery import add_discovery
from .steps.etcd import add_etcd
from .steps.feature_gates import add_feature_gates
from .steps.group_settings import apply_group_options, fill_groups
from .steps.groups import add_api_servers, add_control_plane, add_nodes, check_names
from .steps.hardening import add_hardening
from .steps.networking import add_networking, apply_calico_bpf_rule
from .steps.settled import keep_settled_ranges
from .steps.subnets import add_subnets
from .steps.topology import add_topology
from .steps.zones import check_zones_exist


@dataclass
class NewCluster:
    """A new cluster as it is stored: the specification that a user would have written, not completed.

    ssh_public_keys: texts in OpenSSH's form.
    """

    cluster: Cluster
    groups: list[InstanceGroup]
    additional_objects: list[AdditionalObject] = field(default_factory=list)
    ssh_public_keys: list[str] = field(default_factory=list)


def new_cluster(
    options: CreateOptions, *, facts: CloudFacts, settings: Settings, settled: Settled | None = None
) -> NewCluster:
    """Infer a cluster from checked options, fill what must be explicit, and validate it; nothing is written.

    settled: the cluster as stored, if it exists: versions, images, machine types and address ranges that were chosen
        for it then are kept unless an option says otherwise.
    Raises ValidationError with all problems of the inferred spec; KopsError otherwise.
    """
    draft = Draft(options, facts, settings, settled)
    for step in STEPS:
        step(draft)
    complete = _validate(draft)
    return NewCluster(
        draft.cluster, draft.groups, additional_objects(options, complete, settings), ssh_public_keys(options)
    )


def _set_and_unset(draft: Draft) -> None:
    apply_settings(draft.cluster, sets=draft.options.set, unsets=draft.options.unset)


def _assign(draft: Draft) -> None:
    perform_assignments(draft.cluster, facts=draft.facts, settings=draft.settings)


# Each writes its part of the draft, and does nothing for clusters that it is not for. The order is kops' own: set and
# unset come after everything that is inferred, and before what is left open is assigned.
STEPS: tuple[Callable[[Draft], None], ...] = (
    check_zones_exist,
    add_basics,
    add_feature_gates,
    add_cloud_provider,
    add_discovery,
    add_subnets,
    add_networking,
    add_topology,
    add_control_plane,
    add_etcd,
    add_api_servers,
    add_nodes,
    add_bastion,
    check_names,
    add_api_access,
    fill_groups,
    apply_group_options,
    add_hardening,
    _set_and_unset,
    apply_calico_bpf_rule,
    keep_settled_ranges,
    _assign,
)


def _validate(draft: Draft) -> Cluster:
    """Complete and validate the cluster. Raises ValidationError with all problems, the ones of user fields first.

    As in kops, what only the cloud knows of machine types and images is left to the update.
    """
    cluster, groups, facts, settings = draft.cluster, draft.groups, draft.facts, draft.settings
    subject, flags = f"cluster {draft.options.name}", settings.feature_flags
    raise_for(deep_validate(cluster, groups, strict=False, feature_flags=flags), subject)
    complete = complete_cluster(cluster, groups, facts=facts, settings=settings)
    complete_groups = [complete_instance_group(cluster, group, facts=facts, settings=settings) for group in groups]
    raise_for(deep_validate(complete, complete_groups, strict=True, feature_flags=flags), subject)
    return complete
