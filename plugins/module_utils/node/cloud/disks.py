# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The disks of etcd's members in a cloud."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class EtcdDisk:
    """The disk of a member of etcd. volume: its name in the cloud. device: on this machine.

    members: the names of all members of its etcd cluster.
    """

    volume: str
    device: str
    member: str
    members: tuple[str, ...]


class Disks(Protocol):
    """The disks of a cluster's members of etcd. All methods raise KopsError or OSError, which are worth another try."""

    def etcd_disks(self, cluster: str, group: str, etcds: Sequence[str], *, check: bool) -> dict[str, EtcdDisk]:
        """Attach the disks of one member of these etcd clusters, which no other instance has. check: only look."""

    def etcd_addresses(self, cluster: str) -> dict[tuple[str, str], str]:
        """Etcd cluster and member -> the address of the instance that has its disk now."""
