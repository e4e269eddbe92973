# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: a volume of Cinder, on which a member of etcd keeps its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ....base.errors import KopsError
from ....engine.targets.hcl import NEVER_DESTROYED, Block, Literal, data_reference, function, ignoring, quote
from ....engine.task import Change, internal
from ..cloud import Described, OpenStackCloud
from ..errors import explain
from ..kinds import VOLUME
from ._openstack import SettlingTask, id_of

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget

# Of Terraform's provider: Cinder's zones.
_ZONES = ("openstack_blockstorage_availability_zones_v3", "volumes")
# What Cinder adds to the metadata of a volume that is attached.
_ATTACHED = ('metadata["attached_mode"]', 'metadata["readonly"]')


def storage_zones(cloud: OpenStackCloud) -> list[str]:
    """The availability zones of Cinder, which need not be those of Nova."""
    try:
        return [str(each.name) for each in cloud.service("block_storage").availability_zones()]
    except Exception as error:
        raise explain(error, "reading the availability zones of volumes") from error


@dataclass(eq=False, repr=False)
class Volume(SettlingTask):
    """A volume. size: in GiB. metadata: of kops; others may have theirs. zone: of the servers that attach it."""

    size: int | None = None
    volume_type: str | None = None
    metadata: dict[str, str] | None = None
    zone: str | None = internal()

    of = VOLUME
    resource = "openstack_blockstorage_volume_v3"
    coming = frozenset({"creating", "downloading"})
    failed = frozenset({"error", "error_deleting", "error_extending", "error_restoring"})
    immutable: ClassVar[frozenset[str]] = frozenset({"size", "volume_type"})

    def find(self, cloud: OpenStackCloud) -> Volume | None:
        found = self.described(cloud)
        if found is None:
            return None
        metadata = found.get("metadata") or {}
        return Volume(
            self.name,
            id=found["id"],
            size=int(found["size"]),
            volume_type=found.get("volume_type"),
            state=self.state_of(found),
            metadata={key: metadata[key] for key in self.metadata or () if key in metadata},
        )

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {
            "name": self.name,
            "size": self.size,
            "volume_type": self.volume_type,
            "availability_zone": self._storage_zone(cloud),
            "metadata": self.metadata,
        }

    def _storage_zone(self, cloud: OpenStackCloud) -> str:
        """Cinder's zone for one of Nova: that of the same name, or the only one (as kops). Raises KopsError."""
        zones = cloud.once(storage_zones)
        if self.zone in zones:
            return str(self.zone)
        if len(zones) == 1:
            return zones[0]
        raise KopsError(
            f"volume {self.name}: there is no zone {self.zone} for volumes, only {', '.join(zones) or 'none'};"
            " name one in spec.cloudProvider.openstack.blockStorage.override-volume-az"
        )

    def update(self, cloud: OpenStackCloud, actual: Volume, changes: dict[str, Change]) -> None:
        if "metadata" in changes:
            body = {"metadata": self.metadata}
            cloud.ask("POST", self.of, f"/{id_of(actual)}/metadata", body, f"describe volume {self.name}")
        if "state" in changes:
            self.wait(cloud)

    def failure(self, found: Described) -> str:
        # It may hold data: nobody deletes it unasked.
        return f"is in the state {found[self.status]}: if it has never held data, delete it, and run again"

    def terraform(self, target: TerraformTarget) -> None:
        super().terraform(target)
        target.data(*_ZONES, {})

    def terraform_arguments(self) -> dict[str, Any]:
        return {
            "availability_zone": self._terraform_zone(),
            # Where it is stays, as the data do.
            "lifecycle": Block({**NEVER_DESTROYED, **ignoring("availability_zone", *_ATTACHED)}),
            "metadata": self.metadata,
            "name": self.name,
            "size": self.size,
            "volume_type": self.volume_type,
        }

    def _terraform_zone(self) -> Literal:
        """As _storage_zone(): Terraform asks Cinder."""
        zones = data_reference(*_ZONES, "names")
        only = function("one", zones)
        if not self.zone:
            return only
        return Literal(f"{function('contains', zones, self.zone).text} ? {quote(self.zone)} : {only.text}")
