# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The server of Hetzner Cloud that this process runs on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.errors import KopsError
from ..cloud.challenge import Listener
from ..cloud.given import given_store_key
from ..cloud.plain import PlainInstance
from ..stores.given_credentials import GivenAccess
from . import metadata
from .api import Hetzner
from .cluster_instances import Servers
from .disks import MemberVolumes
from .verification import SCHEME


class HetznerServer(PlainInstance):
    """What booting asks of it. Workers have no token, and need none."""

    def __init__(self) -> None:
        self.hetzner = Hetzner()
        self._id = ""
        self._listener: Listener | None = None

    def facts(self) -> dict[str, str]:
        """Its name as a node is its own, as in kops and in the cloud controller manager of Hetzner."""
        return {
            "NODE_NAME": metadata.host_name(),
            "INTERNAL_IP": self._address(),
            "PROVIDER_ID": f"hcloud://{self.id}",
        }

    @property
    def id(self) -> str:
        """Its number. Raises OSError, ValueError."""
        if not self._id:
            self._id = metadata.server_id()
        return self._id

    def access_to(self, scheme: str) -> GivenAccess:
        """The key that the controller has given it, for stores with the protocol of S3."""
        if scheme not in ("hos", "s3"):
            raise KopsError(f"servers of Hetzner have no credentials for stores of the kind {scheme}://")
        return GivenAccess(given_store_key)

    def cluster_disks(self, cluster: str) -> MemberVolumes:
        """The volumes of the cluster's members of etcd."""
        return MemberVolumes(self.hetzner, cluster, self.id, metadata.location())

    def cluster_instances(self, cluster: str) -> Servers:
        """Those whose labels name the cluster."""
        return Servers(self.hetzner, cluster, metadata.host_name())

    def records(self, zone: str, *, private: bool, role: str, token: Callable[[str], str]) -> Any:
        """Raises KopsError: clusters there have no names in DNS, as in kops."""
        del private, role, token
        raise KopsError(f"clusters on Hetzner have no records in DNS, so none in {zone}")

    def proof(self, body: bytes) -> str:
        """It says which server it is, and answers for the request at its own address."""
        if self._listener is None:
            self._listener = Listener(SCHEME, self._address())
        return self._listener.proof(self.id, body)

    def _address(self) -> str:
        address = metadata.private_address()
        if not address:
            raise KopsError("the metadata service knows no address of this server in the cluster's network yet")
        return address
