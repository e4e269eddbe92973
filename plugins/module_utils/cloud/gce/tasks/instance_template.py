# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: an instance template: what each instance of an instance group is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....engine.targets.hcl import Block, Literal, reference
from ....engine.task import Deferred, computed, internal, unordered
from ..identifiers import image_url
from ._google import GoogleTask
from .network import Network
from .service_account import ServiceAccount
from .subnet import Subnet

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget

BOOT_DEVICE = "persistent-disks-0"
# Machine families whose instances have GPUs: Google cannot move them to another host while they run.
GPU_FAMILIES = ("a2", "a3", "a4", "a4x", "g2", "g4")


@dataclass
class AcceleratorConfig:
    """A number of GPUs of a type ("nvidia-tesla-t4") that are attached to each instance."""

    accelerator_count: int | None
    accelerator_type: str | None


@dataclass
class Scheduling:
    """How Google may treat running instances. on_host_maintenance: MIGRATE or TERMINATE."""

    automatic_restart: bool
    on_host_maintenance: str
    preemptible: bool
    provisioning_model: str | None


@dataclass(eq=False)
class InstanceTemplate(GoogleTask):
    """A template. Templates never change: each has a name of its own, which begins with name_prefix.

    project: the cluster's, in which images without a project are. boot_disk_size_gb in GiB, boot_disk_throughput in
    MiB/s. alias_ip_ranges: name of a subnet's secondary range -> size of the part that each instance gets ("/24").
    scopes: URLs of what the instances' service account may use. metadata: key -> text.
    gcp_provisioning_model: SPOT or STANDARD.
    """

    name_prefix: str | None = internal()
    id: str | None = computed()
    project: str = internal("")
    network: Network | None = None
    tags: list[str] | None = unordered()
    labels: dict[str, str] | None = None
    preemptible: bool | None = None
    gcp_provisioning_model: str | None = None
    boot_disk_image: str | None = None
    boot_disk_size_gb: int | None = None
    boot_disk_type: str | None = None
    boot_disk_iops: int | None = None
    boot_disk_throughput: int | None = None
    can_ip_forward: bool | None = None
    subnet: Subnet | None = None
    alias_ip_ranges: dict[str, str] | None = None
    scopes: list[str] | None = unordered()
    service_accounts: list[ServiceAccount] | None = None
    metadata: dict[str, str | Deferred] | None = None
    machine_type: str | None = None
    has_external_ip: bool | None = None
    stack_type: str | None = None
    guest_accelerators: list[AcceleratorConfig] | None = None

    @property
    def scheduling(self) -> Scheduling:
        """Scheduling options. Spot instances may be ended at any time; others are moved where their type allows it."""
        if self.preemptible:
            return Scheduling(False, "TERMINATE", True, self.gcp_provisioning_model)
        family = (self.machine_type or "").partition("-")[0]
        stays = bool(self.guest_accelerators) or family in GPU_FAMILIES
        return Scheduling(True, "TERMINATE" if stays else "MIGRATE", False, "STANDARD")

    def terraform_link(self) -> Literal:
        """The template's URL as other resources write it."""
        return reference("google_compute_instance_template", self.name, "self_link")

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            "google_compute_instance_template",
            self.name,
            {
                "can_ip_forward": bool(self.can_ip_forward),
                "disk": self._terraform_disk(),
                "guest_accelerator": [
                    Block(count=accelerator.accelerator_count, type=accelerator.accelerator_type)
                    for accelerator in self.guest_accelerators or ()
                ],
                "labels": self.labels,
                "lifecycle": Block(create_before_destroy=True),
                "machine_type": self.machine_type,
                "metadata": {key: self._terraform_text(target, key) for key in self.metadata or ()},
                "name_prefix": f"{self.name_prefix}-",
                "network_interface": Block(
                    access_config=Block() if self.has_external_ip else None,
                    network=self.network.terraform_link() if self.network else None,
                    stack_type=self.stack_type,
                    subnetwork=self.subnet.terraform_link() if self.subnet else None,
                ),
                "scheduling": Block(vars(self.scheduling)),
                "service_account": [
                    Block(email=account.terraform_email(), scopes=self.scopes)
                    for account in self.service_accounts or ()
                ],
                "tags": self.tags,
            },
        )

    def _terraform_disk(self) -> Block:
        # The empty and zero arguments are what the provider has for "not set", and what kops writes.
        return Block(
            auto_delete=True,
            boot=True,
            device_name=BOOT_DEVICE,
            disk_name="",
            disk_size_gb=self.boot_disk_size_gb,
            disk_type=self.boot_disk_type,
            interface="",
            mode="READ_WRITE",
            provisioned_iops=self.boot_disk_iops or 0,
            provisioned_throughput=self.boot_disk_throughput or 0,
            source="",
            source_image=image_url(self.boot_disk_image or "", self.project),
            type="PERSISTENT",
        )

    def _terraform_text(self, target: TerraformTarget, key: str) -> Literal | str:
        """A value of the metadata: in place, or in a file when it has several lines."""
        text = str((self.metadata or {})[key])
        if "\n" not in text:
            return text
        return target.file("google_compute_instance_template", self.name, f"metadata_{key}", text)
