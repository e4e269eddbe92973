# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instance of Google Cloud that the process runs on."""

from __future__ import annotations

from collections.abc import Callable

from ...base.errors import KopsError
from ...base.google_instance_ids import COMPUTE_ENGINE
from ..cloud.plain import PlainInstance
from . import identity
from .api import Google
from .attestation_key import AttestationKey
from .cloud_dns import ManagedZone
from .cluster_instances import GoogleInstances
from .disks import LabelledDisks
from .marks import CLUSTER_NAME
from .metadata import Metadata
from .tpm import TPM, open_device

_INTERFACE = "instance/network-interfaces/0"


class GoogleInstance(PlainInstance):
    """What booting asks of it. open_tpm: gives the instance's TPM, for one use."""

    def __init__(self, open_tpm: Callable[[], TPM] = lambda: TPM(open_device())) -> None:
        self.google = Google(Metadata())
        self._open_tpm = open_tpm

    def facts(self) -> dict[str, str]:
        """Its name as a node is its own, as in kops and in the cloud controller manager of Google."""
        google = self.google
        address = google.find(f"{_INTERFACE}/ip") or google.find(f"{_INTERFACE}/ipv6s").partition("\n")[0]
        if not address:
            raise KopsError("the metadata server knows no address of this instance yet")
        return {
            "NODE_NAME": google.instance,
            "INTERNAL_IP": address,
            "PROVIDER_ID": COMPUTE_ENGINE.provider_id(google.instance, f"{google.project}/{google.zone}"),
        }

    def access_to(self, scheme: str) -> Metadata:
        """For Cloud Storage: tokens of its service account."""
        if scheme != "gs":
            raise KopsError(f"instances of Google Cloud have no credentials for stores of the kind {scheme}://")
        return self.google.metadata

    def cluster_disks(self, cluster: str) -> LabelledDisks:
        """The persistent disks with the cluster's label."""
        return LabelledDisks(self.google, cluster)

    def cluster_instances(self, cluster: str) -> GoogleInstances:
        """Those with the cluster's label and metadata."""
        return GoogleInstances(self.google, cluster)

    def records(self, zone: str, *, private: bool, role: str, token: Callable[[str], str]) -> ManagedZone:
        """Those of a managed zone of Cloud DNS. Raises KopsError for a role: control planes have the rights."""
        del token
        if role:
            raise KopsError(f"instances of Google Cloud take no role such as {role}")
        return ManagedZone(self.google, zone, private=private)

    def proof(self, body: bytes) -> str:
        """A statement that only this instance can sign."""
        google = self.google
        cluster = google.told(f"instance/attributes/{CLUSTER_NAME}")
        place = (google.project, google.zone, google.instance)
        with self._open_tpm() as tpm, AttestationKey(tpm) as key:
            return identity.token(body, place, cluster, key.sign)
