# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bastion of a new cluster: a host through which private nodes are reached."""

from __future__ import annotations

from ....api.clouds import GCE
from ....api.instance_group import InstanceGroup, InstanceGroupSpec
from ....api.meta import ObjectMeta
from ....api.topology import BastionSpec
from ..draft import Draft


def add_bastion(draft: Draft) -> None:
    """Add the group of bastions, and their name where names are published."""
    networking = draft.cluster.spec.networking
    if not draft.options.bastion or draft.options.topology != "private":
        return
    group = InstanceGroup(
        metadata=ObjectMeta(name="bastions"),
        spec=InstanceGroupSpec(role="Bastion", min_size=1, max_size=1, image=draft.options.bastion_image or None),
    )
    if networking.topology and networking.topology.dns != "None":
        networking.topology.bastion = BastionSpec(public_name=f"bastion.{draft.options.name}")
    if draft.options.ipv6:
        group.spec.subnets = [str(subnet.name) for subnet in networking.subnets if subnet.type == "DualStack"]
    if draft.cloud is GCE:
        group.spec.zones = draft.all_zones
    draft.groups.append(group)
