# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The server of OpenStack that the process runs on."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from ...base.errors import KopsError
from ..cloud.challenge import Listener
from ..cloud.plain import PlainInstance
from . import metadata
from .api import OpenStack
from .cluster_instances import Servers
from .designate import Zone
from .disks import MemberVolumes
from .keystone import Login
from .verification import SCHEME


class OpenStackServer(PlainInstance):
    """What booting asks of it. Workers have no login, and need none."""

    def __init__(self) -> None:
        self.login = Login()
        self.openstack = OpenStack(self.login)
        self._told: dict[str, Any] = {}
        self._listener: Listener | None = None

    def facts(self) -> dict[str, str]:
        """Its name as a node is its own, as in kops and in the cloud controller manager of OpenStack."""
        address = metadata.own_address()
        if not address:
            raise KopsError("the metadata service knows no address of this server yet")
        return {
            "NODE_NAME": str(self._own["name"]),
            "INTERNAL_IP": address,
            "PROVIDER_ID": f"openstack:///{self._own['uuid']}",
        }

    def access_to(self, scheme: str) -> Any:
        """The login for Swift, and the key for S3 that control planes are given if a part of the store is there."""
        if scheme == "s3":
            # A program has it if it has S3 (model/node/program/program.py): it is nothing to clusters in Swift alone.
            return importlib.import_module(f"{__package__}.store_key").access()
        if scheme != "swift":
            raise KopsError(f"servers of OpenStack have no credentials for stores of the kind {scheme}://")
        return self.login

    def cluster_disks(self, cluster: str) -> MemberVolumes:
        """The volumes of the cluster's members of etcd."""
        return MemberVolumes(self.openstack, cluster, str(self._own["uuid"]), str(self._own["availability_zone"]))

    def cluster_instances(self, cluster: str) -> Servers:
        """Those whose metadata names the cluster."""
        return Servers(self.openstack, cluster, str(self._own["name"]))

    def records(self, zone: str, *, private: bool, role: str, token: Callable[[str], str]) -> Zone:
        """Those of a zone of Designate, which knows no private ones. Raises KopsError for a role."""
        del private, token
        if role:
            raise KopsError(f"servers of OpenStack take no role such as {role}")
        return Zone(self.openstack, zone)

    def proof(self, body: bytes) -> str:
        """It says which server it is, and answers for the request at its own address."""
        if self._listener is None:
            self._listener = Listener(SCHEME, metadata.own_address())
        return self._listener.proof(str(self._own["uuid"]), body)

    @property
    def _own(self) -> Mapping[str, Any]:
        """What never changes of what the metadata service says. Raises OSError."""
        if not self._told:
            self._told = metadata.described()
        return self._told
