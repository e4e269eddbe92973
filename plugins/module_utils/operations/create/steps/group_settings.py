# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the groups of a new cluster: images, machine types, subnets, labels, and options for whole roles."""

from __future__ import annotations

from ....api.instance_group import InstanceRootVolumeSpec
from ....base import labels
from ....base.errors import KopsError
from ....completion.group_defaults import default_image, default_machine_type, default_subnets
from ....statestore.objects import LABEL_CLUSTER
from ..draft import Draft


def fill_groups(draft: Draft) -> None:
    """Fill image, machine type, subnets and labels of every group. Raises KopsError when one cannot be inferred."""
    for group in draft.groups:
        spec = group.spec
        stored = draft.settled.group(group.metadata.name) if draft.settled else None
        # The image goes by the architecture of a machine type that was named; the default ones are of the usual one.
        if not spec.image:
            spec.image = (
                draft.options.image
                or (stored.spec.image if stored else None)
                or default_image(draft.cluster, group, facts=draft.facts, settings=draft.settings)
            )
        if not spec.machine_type:
            spec.machine_type = (stored.spec.machine_type if stored else None) or default_machine_type(
                draft.cluster, group, facts=draft.facts
            )
        spec.subnets = spec.subnets or default_subnets(draft.cluster, group)
        if not spec.subnets:
            raise KopsError(f"no subnets can be inferred for the instance group {group.metadata.name}")
        spec.node_labels[labels.INSTANCE_GROUP] = str(group.metadata.name)
        group.metadata.labels[LABEL_CLUSTER] = draft.options.name


def apply_group_options(draft: Draft) -> None:
    """Write what options say of all groups, of the control plane's, or of the nodes'."""
    options = draft.options
    for group in draft.groups:
        spec = group.spec
        if options.associate_public_ip is not None:
            spec.associate_public_ip = options.associate_public_ip
        if spec.role == "ControlPlane":
            spec.tenancy = options.control_plane_tenancy or None
            spec.additional_security_groups = list(options.control_plane_security_groups)
            spec.root_volume = _root_volume(options.control_plane_volume_size, options.control_plane_volume_type)
        elif spec.role == "Node":
            spec.tenancy = options.node_tenancy or None
            spec.additional_security_groups = list(options.node_security_groups)
            spec.root_volume = _root_volume(options.node_volume_size, options.node_volume_type)


def _root_volume(size: int, kind: str) -> InstanceRootVolumeSpec | None:
    return InstanceRootVolumeSpec(size=size or None, type=kind or None) if size or kind else None
