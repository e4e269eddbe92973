# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks, as far as every cloud agrees: their sizes, and where those of etcd lie.

Source: pkg/model/defaults/volumes.go and pkg/model/master_volumes.go of kops.
"""

from __future__ import annotations

from ..api.etcd import EtcdClusterSpec, EtcdMemberSpec
from ..base.errors import KopsError
from . import group_tags
from .context import ModelContext

ROOT_SIZES_GB = {"ControlPlane": 64, "APIServer": 128, "Node": 128, "Bastion": 32}
ETCD_SIZE_GB = 20
ETCD_PREFIX = "k8s.io/etcd/"


def zone_of_member(context: ModelContext, etcd: EtcdClusterSpec, member: EtcdMemberSpec) -> str:
    """The one zone of the group that holds an etcd member: disks do not leave it. KopsError when it is not one."""
    if not member.instance_group:
        raise KopsError(f"etcd cluster {etcd.name}: member {member.name} names no instance group")
    zones = context.zones_of(context.group(member.instance_group))
    if len(zones) != 1:
        raise KopsError(
            f"instance group {member.instance_group} holds member {member.name} of etcd cluster {etcd.name}:"
            f" it must be in exactly one zone, not in {zones or 'none'}"
        )
    return zones[0]


def tags_of_member(etcd: EtcdClusterSpec, member: EtcdMemberSpec) -> dict[str, str]:
    """By which etcd-manager, and we, know a member's disk: the member beside all of its cluster, and who may attach."""
    members = sorted(str(other.name) for other in etcd.etcd_members)
    return {
        f"{ETCD_PREFIX}{etcd.name}": f"{member.name}/{','.join(members)}",
        group_tags.ROLE_PREFIX + "control-plane": "1",
        group_tags.ROLE_PREFIX + "master": "1",
    }
