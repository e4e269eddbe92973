# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual machine that the process runs on."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ...base.errors import KopsError
from ..cloud.challenge import Listener
from ..cloud.plain import PlainInstance
from ..stores.given_credentials import GivenAccess
from . import metadata, store_key
from .api import VCenter
from .cluster_instances import VirtualMachines
from .disks import MemberDisksOfMachines
from .verification import SCHEME


def folder_of_cluster() -> str:
    """The inventory path of the folder that has the cluster's machines, as the controller has said it."""
    folder = os.environ.get("VSPHERE_FOLDER") or ""
    if not folder:
        raise KopsError("user data has not told this server where its cluster is: VSPHERE_FOLDER is not set")
    return folder


class VSphereMachine(PlainInstance):
    """What booting asks of it. Workers have no login, and need none."""

    def __init__(self) -> None:
        self.vcenter = VCenter()
        self._listener: Listener | None = None

    def facts(self) -> dict[str, str]:
        """Its name as a node is its own; the provider id is that of the cloud controller of vSphere."""
        return {
            "NODE_NAME": metadata.host_name(),
            "INTERNAL_IP": self._address(),
            "PROVIDER_ID": f"vsphere://{metadata.uuid()}",
        }

    def access_to(self, scheme: str) -> GivenAccess:
        """The key that the controller has given it."""
        if scheme != "s3":
            raise KopsError(f"virtual machines of vSphere have no credentials for stores of the kind {scheme}://")
        return store_key.access()

    def cluster_disks(self, cluster: str) -> MemberDisksOfMachines:
        """The disks of the cluster's members of etcd."""
        zone = folder_of_cluster().strip("/").partition("/")[0]
        return MemberDisksOfMachines(self.vcenter, cluster, folder_of_cluster(), metadata.uuid(), zone)

    def cluster_instances(self, cluster: str) -> VirtualMachines:
        """Those of the cluster's folder that say that they are the cluster's."""
        return VirtualMachines(self.vcenter, cluster, folder_of_cluster(), metadata.host_name())

    def records(self, zone: str, *, private: bool, role: str, token: Callable[[str], str]) -> Any:
        """Raises KopsError: vSphere has no DNS."""
        del private, role, token
        raise KopsError(f"clusters on vSphere have no records in DNS, so none in {zone}")

    def proof(self, body: bytes) -> str:
        """It says which machine it is, and answers for the request at its own address."""
        if self._listener is None:
            self._listener = Listener(SCHEME, self._address())
        return self._listener.proof(metadata.uuid(), body)

    def _address(self) -> str:
        address = metadata.own_address()
        if not address:
            raise KopsError("this virtual machine has no address yet")
        return address
