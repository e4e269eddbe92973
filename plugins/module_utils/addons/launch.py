# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How instances are launched by a program in the cluster, in place of a group of the cloud."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..api.instance_group import InstanceGroup


@dataclass(frozen=True)
class Disk:
    """A disk of an instance. device: as its image names the first one, and the user the others. size: in GiB. key: of
    its encryption, if not the account's own. iops, throughput: None where its kind has no such setting. is_deleted:
    with its instance.
    """

    device: str
    size: int
    kind: str
    encrypted: bool
    key: str | None = None
    iops: int | None = None
    throughput: int | None = None
    is_deleted: bool = True


@dataclass(frozen=True)
class Launch:
    """What is known of the instances of a group beside its specification.

    image_owner, image_name: of an image that is given by its name. public_address: whether they get one.
    owned: the tags of what belongs to the cluster. tags, node_labels: of the instances, and of their nodes.
    security_group: name of the one of its role. user_data: what an instance runs at its first boot.
    disks: besides the first one. has_ipv6: whether they have addresses of IPv6.
    """

    group: InstanceGroup
    image_owner: str
    image_name: str
    public_address: bool
    root_volume: Disk
    owned: Mapping[str, str]
    tags: Mapping[str, str]
    node_labels: Mapping[str, str]
    security_group: str
    instance_profile: str
    user_data: str
    disks: Sequence[Disk] = ()
    has_ipv6: bool = False
