# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The droplet that this process runs on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...base.errors import KopsError
from ..cloud.challenge import Listener
from ..cloud.given import given_store_key
from ..cloud.plain import PlainInstance
from ..stores.given_credentials import GivenAccess
from . import metadata
from .api import DigitalOcean
from .cluster_instances import Droplets
from .disks import MemberVolumes
from .records import Domain
from .verification import SCHEME


class Droplet(PlainInstance):
    """What booting asks of it. Workers have no token, and need none."""

    def __init__(self) -> None:
        self.api = DigitalOcean()
        self._told: dict[str, Any] = {}
        self._listener: Listener | None = None

    def facts(self) -> dict[str, str]:
        """Its name as a node is its own, by which DigitalOcean's cloud controller manager finds it."""
        return {
            "NODE_NAME": str(self._own["hostname"]),
            "INTERNAL_IP": self._address(),
            "PROVIDER_ID": f"digitalocean://{self._own['droplet_id']}",
        }

    def access_to(self, scheme: str) -> GivenAccess:
        """The key that the controller has given it, for stores with the protocol of S3."""
        if scheme not in ("do", "s3"):
            raise KopsError(f"droplets have no credentials for stores of the kind {scheme}://")
        return GivenAccess(given_store_key)

    def cluster_disks(self, cluster: str) -> MemberVolumes:
        """The volumes of the cluster's members of etcd."""
        return MemberVolumes(self.api, cluster, str(self._own["droplet_id"]), str(self._own["region"]))

    def cluster_instances(self, cluster: str) -> Droplets:
        """Those whose tags name the cluster."""
        return Droplets(self.api, cluster, str(self._own["hostname"]))

    def records(self, zone: str, *, private: bool, role: str, token: Callable[[str], str]) -> Domain:
        """Those of a domain of the account: there are no private ones. Raises KopsError for a role."""
        del private, token
        if role:
            raise KopsError(f"droplets take no role such as {role}")
        return Domain(self.api, zone)

    def proof(self, body: bytes) -> str:
        """It says which droplet it is, and answers for the request at its own address."""
        if self._listener is None:
            self._listener = Listener(SCHEME, self._address())
        return self._listener.proof(str(self._own["droplet_id"]), body)

    def _address(self) -> str:
        private = (self._own.get("interfaces") or {}).get("private") or ()
        found = [str(each["ipv4"]["ip_address"]) for each in private if each.get("ipv4")]
        if not found:
            # It is asked again.
            self._told = {}
            raise KopsError("the metadata service knows no private address of this droplet yet")
        return found[0]

    @property
    def _own(self) -> Mapping[str, Any]:
        """What it says, which does not change once there is an address. Raises OSError, ValueError."""
        if not self._told:
            self._told = metadata.described()
        return self._told
