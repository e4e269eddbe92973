# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What booting asks of an instance's cloud."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..controllers.cloud import CloudInstances, CloudRecords
from ..machine import Machine


@dataclass(frozen=True)
class EtcdDisk:
    """The disk of a member of etcd. volume: its name in the cloud. device: on this machine.

    members: the names of all members of its etcd cluster.
    """

    volume: str
    device: str
    member: str
    members: tuple[str, ...]


class Instance(Protocol):
    """The instance, as its cloud knows it. All methods raise KopsError or OSError, which are worth another try."""

    def facts(self) -> dict[str, str]:
        """The facts that the cloud decides (NODE_NAME, INTERNAL_IP, PROVIDER_ID)."""

    def name_by_address(self, facts: Mapping[str, str]) -> str:
        """The node's name in a cluster that names nodes by their addresses. facts: as above."""

    def facts_named(self, names: Collection[str], machine: Machine, *, check: bool) -> dict[str, str]:
        """Those of these facts of a NodeConfig that only this cloud can find out (the paths of disks).

        check: change nothing of the instance.
        """

    def is_prepared(self) -> bool:
        """Whether it is only prepared now, for a warm pool, and becomes a node when it starts again."""

    def tell_group(self, group: str, hook: str) -> bool:
        """Say that it is ready to the group of instances, which waits by this hook. False if it does not wait."""

    def read(self, url: str) -> bytes | None:
        """A file of the state store; None if there is none."""

    def read_changed(self, url: str, tag: str) -> tuple[bytes, str] | None:
        """A file of the state store, which must be there, and the tag of its content; None if it still has this tag."""

    def write(self, url: str, content: bytes) -> None:
        """Write a file of the state store; only what the instance's role may write."""

    def upload(self, url: str, path: str, sha256: str) -> None:
        """Write a local file to the state store, whole or not at all. sha256: of the file."""

    def download(self, url: str, path: str) -> None:
        """Write a file of the state store, which must be there, to a local one that only its owner reads."""

    def names(self, url: str) -> list[str]:
        """The paths of all files below a directory of the state store."""

    def remove(self, url: str) -> None:
        """Remove a file of the state store, if it is there; only what the instance's role may remove."""

    def etcd_disks(self, cluster: str, group: str, etcds: Sequence[str], *, check: bool) -> dict[str, EtcdDisk]:
        """Attach the disks of one member of these etcd clusters, which no other instance has. check: only look."""

    def etcd_addresses(self, cluster: str) -> dict[tuple[str, str], str]:
        """Etcd cluster and member -> the address of the instance that has its disk now."""

    def cluster_instances(self, cluster: str) -> CloudInstances:
        """The instances of a cluster, for its controllers."""

    def records(self, zone: str, *, private: bool, role: str, token: Callable[[], str]) -> CloudRecords:
        """The record sets of a hosted zone, for the cluster's controllers. zone: its name or its id.

        role: of a service account, if the instance has no rights to the zone. token: gives one of that account.
        """

    def proof(self, body: bytes) -> str:
        """The header ``Authorization`` by which a bootstrap server knows the instance. body: of the request."""
