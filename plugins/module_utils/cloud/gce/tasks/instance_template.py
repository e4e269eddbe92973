# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GCE task: an instance template: what each instance of an instance group is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ....engine.targets.hcl import Block, Literal, reference
from ....engine.targets.variables import IMAGE, MACHINE_TYPE, ROOT_VOLUME_SIZE
from ....engine.task import Change, Deferred, Deletion, comparable, computed, differences, internal, unordered
from ...user_data import changes_of, consequence_of
from ..cloud import GCECloud
from ..identifiers import image_url, last_component, path_of, url_of
from ..instances import (
    GROUP_NAME,
    MADE_FROM,
    metadata_of,
    owned_instances,
    owned_managers,
    owned_templates,
    templates_of,
)
from ..user_data import KEYS as USER_DATA_KEYS
from ._compute import Described, given, number, refer, text
from ._google import GoogleTask
from .network import Network
from .service_account import ServiceAccount
from .subnet import Subnet

if TYPE_CHECKING:
    from ....engine.targets.terraform import TerraformTarget

STANDARD, EXTERNAL_ACCESS = "STANDARD", "ONE_TO_ONE_NAT"
BOOT_DEVICE = "persistent-disks-0"
# Machine families whose instances have GPUs: Google cannot move them to another host while they run.
GPU_FAMILIES = ("a2", "a3", "a4", "a4x", "g2", "g4")
_HASH_LENGTH = 16


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


@dataclass(eq=False, repr=False)
class InstanceTemplate(GoogleTask):
    """A template. Templates never change: a change is another one, whose name is name_prefix and a hash of its content.

    id: its name. project: the cluster's, in which images without a project are. boot_disk_size_gb in GiB,
    boot_disk_throughput in MiB/s. alias_ip_ranges: name of a subnet's secondary range -> size of the part that each
    instance gets ("/24"). scopes: URLs of what the instances' service account may use. metadata: key -> text.
    gcp_provisioning_model: SPOT or STANDARD. labels_in_terraform: further ones, which kops writes and Google refuses.
    """

    name_prefix: str | None = internal()
    id: str | None = computed()
    project: str = internal("")
    network: Network | None = None
    tags: list[str] | None = unordered()
    labels: dict[str, str] | None = None
    labels_in_terraform: dict[str, str] | None = internal()
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

    starts_instances: ClassVar[bool] = True

    def url(self, cloud: GCECloud) -> str:
        """By which managed groups refer to the template that is, or will be."""
        return url_of(f"{_collection(cloud)}/{self.id}")

    # -- what exists --------------------------------------------------------------------------------------------

    def find(self, cloud: GCECloud) -> InstanceTemplate | None:
        """A template of the instance group that is as wanted, whatever its name; else the one in use, or the newest."""
        found = [self._read(cloud, each) for each in self._of_group(cloud)]
        equal = next((each for each in found if not differences(self, each)), None)
        # Now, since managed groups are compared by the name that theirs will have.
        self.id = equal.id if equal is not None else self._content_name(cloud)
        return equal or next(iter(found), None)

    def _of_group(self, cloud: GCECloud) -> list[Described]:
        """The instance group's templates: first those that are in use, then from the newest."""
        in_use, templates = _used_by_managers(cloud), cloud.once(owned_templates).values()
        own = [each for each in templates if metadata_of(each["properties"]).get(GROUP_NAME) == self._group]
        own.sort(key=lambda each: str(each.get("creationTimestamp", "")), reverse=True)
        return sorted(own, key=lambda each: each["name"] not in in_use)

    @property
    def _group(self) -> str | None:
        """The name of the instance group; None if nothing says it."""
        return str((self.metadata or {}).get(GROUP_NAME) or "") or None

    def _read(self, cloud: GCECloud, found: Described) -> InstanceTemplate:
        properties = found["properties"]
        interface: Described = next(iter(properties.get("networkInterfaces") or ()), {})
        disks = properties.get("disks") or ()
        disk = next((each.get("initializeParams") or {} for each in disks if each.get("boot")), {})
        scheduling = properties.get("scheduling") or {}
        accounts = properties.get("serviceAccounts") or ()
        aliases = interface.get("aliasIpRanges") or ()
        return InstanceTemplate(
            self.name,
            id=found["name"],
            network=refer(interface.get("network"), self.network, lambda each: each.path(cloud), Network),
            tags=list((properties.get("tags") or {}).get("items") or ()),
            labels=dict(properties.get("labels") or {}),
            preemptible=bool(scheduling.get("preemptible")),
            gcp_provisioning_model=scheduling.get("provisioningModel") or STANDARD,
            boot_disk_image=self._image(str(disk.get("sourceImage", ""))),
            boot_disk_size_gb=number(disk.get("diskSizeGb")),
            boot_disk_type=last_component(str(disk.get("diskType", ""))),
            boot_disk_iops=number(disk.get("provisionedIops")) or 0,
            boot_disk_throughput=number(disk.get("provisionedThroughput")) or 0,
            can_ip_forward=bool(properties.get("canIpForward")),
            subnet=refer(interface.get("subnetwork"), self.subnet, lambda each: each.path(cloud), Subnet),
            alias_ip_ranges={each["subnetworkRangeName"]: each["ipCidrRange"] for each in aliases},
            scopes=sorted({scope for account in accounts for scope in account.get("scopes") or ()}),
            service_accounts=[ServiceAccount(each["email"], email=each["email"]) for each in accounts],
            metadata={**metadata_of(properties)},
            machine_type=last_component(str(properties.get("machineType", ""))),
            has_external_ip=bool(interface.get("accessConfigs")),
            stack_type=interface.get("stackType") or "IPV4_ONLY",
            guest_accelerators=[
                AcceleratorConfig(each.get("acceleratorCount"), last_component(str(each.get("acceleratorType", ""))))
                for each in properties.get("guestAccelerators") or ()
            ],
        )

    def _image(self, url: str) -> str:
        """The image as the specification names it, if it is the same one; else "<project>/<image>"."""
        path = path_of(url)
        if path and path == path_of(image_url(self.boot_disk_image or "", self.project)):
            return str(self.boot_disk_image)
        return f"{path.partition('/')[0]}/{last_component(path)}" if path else url

    # -- what is wanted -----------------------------------------------------------------------------------------

    def check(self, cloud: GCECloud, actual: InstanceTemplate | None, changes: dict[str, Change]) -> None:
        self.needed(self.machine_type, "has no machine type")
        super().check(cloud, actual, changes)

    def properties(self, cloud: GCECloud) -> dict[str, Any]:
        """What instances are, as the API takes it."""
        return given(
            {
                "canIpForward": bool(self.can_ip_forward),
                "disks": [self._disk()],
                "guestAccelerators": [
                    {"acceleratorCount": each.accelerator_count, "acceleratorType": each.accelerator_type}
                    for each in self.guest_accelerators or ()
                ]
                or None,
                "labels": self.labels,
                "machineType": self.machine_type,
                "metadata": {
                    "items": [{"key": key, "value": str(one)} for key, one in sorted((self.metadata or {}).items())]
                },
                "networkInterfaces": [self._interface(cloud)],
                "scheduling": self._scheduling(),
                "serviceAccounts": [
                    {"email": account.email, "scopes": self.scopes or []} for account in self.service_accounts or ()
                ],
                "tags": {"items": sorted(self.tags)} if self.tags is not None else None,
            }
        )

    def _disk(self) -> dict[str, Any]:
        return {
            "autoDelete": True,
            "boot": True,
            "deviceName": BOOT_DEVICE,
            "initializeParams": given(
                {
                    "diskSizeGb": text(self.boot_disk_size_gb),
                    "diskType": self.boot_disk_type,
                    "provisionedIops": text(self.boot_disk_iops or None),
                    "provisionedThroughput": text(self.boot_disk_throughput or None),
                    "sourceImage": image_url(self.boot_disk_image or "", self.project),
                }
            ),
            "mode": "READ_WRITE",
            "type": "PERSISTENT",
        }

    def _interface(self, cloud: GCECloud) -> dict[str, Any]:
        access = {"networkTier": "PREMIUM", "type": EXTERNAL_ACCESS}
        return given(
            {
                "accessConfigs": [access] if self.has_external_ip else None,
                "aliasIpRanges": [
                    {"ipCidrRange": size, "subnetworkRangeName": name}
                    for name, size in sorted((self.alias_ip_ranges or {}).items())
                ]
                or None,
                "network": self.network.url(cloud) if self.network else None,
                "stackType": self.stack_type,
                "subnetwork": self.subnet.url(cloud) if self.subnet else None,
            }
        )

    def _scheduling(self) -> dict[str, Any]:
        scheduling = self.scheduling
        return given(
            {
                "automaticRestart": scheduling.automatic_restart,
                "onHostMaintenance": scheduling.on_host_maintenance,
                "preemptible": scheduling.preemptible,
                "provisioningModel": scheduling.provisioning_model,
            }
        )

    def _content_name(self, cloud: GCECloud) -> str:
        """The same content always has the same name: an answer that was lost makes no second template."""
        content = json.dumps(self.properties(cloud), sort_keys=True)
        return f"{self.name_prefix}-{hashlib.sha256(content.encode()).hexdigest()[:_HASH_LENGTH]}"

    def create(self, cloud: GCECloud) -> None:
        # Anew, since user data can name what is known only now.
        self.id = self._content_name(cloud)
        # No description: kops takes a template with one for another than it wants.
        cloud.insert(_collection(cloud), {"name": self.id, "properties": self.properties(cloud)})

    def update(self, cloud: GCECloud, actual: InstanceTemplate, changes: dict[str, Change]) -> None:
        self.create(cloud)

    def consequence(self, actual: InstanceTemplate, changes: dict[str, Change]) -> str:
        """Why instances that run are not what new ones will be."""
        words = [name.replace("_", " ") for name in sorted(changes.keys() - {"metadata"})]
        reasons = [f"{'other' if word.endswith('s') else 'another'} {word}" for word in words]
        if "metadata" in changes:
            before, after = actual.metadata or {}, self.metadata or {}
            was, is_now = _user_data(before), _user_data(after)
            reasons = [*changes_of(was, is_now), *reasons]
            reasons += [
                f"another {key} in the metadata"
                for key in sorted({*before, *after} - {*USER_DATA_KEYS})
                if comparable(before.get(key)) != comparable(after.get(key))
            ]
        return consequence_of(reasons)

    # -- what is left over --------------------------------------------------------------------------------------

    def deletions(self, cloud: GCECloud, actual: InstanceTemplate | None) -> list[Deletion]:
        """Former templates of the instance group that neither a managed group nor an instance is made from."""
        kept = {self.id, *_used_by_managers(cloud)}
        former = sorted(each["name"] for each in self._of_group(cloud) if each["name"] not in kept)
        in_use = used_by_instances(cloud) if former else set()
        return [
            Deletion(self.key, "InstanceTemplate", name, partial(delete_template, cloud, name), deferred=True)
            for name in former
            if name not in in_use
        ]

    # -- Terraform ----------------------------------------------------------------------------------------------
    # It imports none: it would destroy one whose name it has not made of a name_prefix. It makes one beside it.

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

    @property
    def doubts_when_rendered(self) -> list[str]:
        refused = ", ".join(f"{key}={value}" for key, value in sorted((self.labels_in_terraform or {}).items()))
        doubt = f"{self.name}: Google Cloud will refuse the labels {refused}, which kops writes, too"
        return [doubt] if refused else []

    def terraform(self, target: TerraformTarget) -> None:
        target.resource(
            "google_compute_instance_template",
            self.name,
            {
                "can_ip_forward": bool(self.can_ip_forward),
                "disk": self._terraform_disk(target),
                "guest_accelerator": [
                    Block(count=accelerator.accelerator_count, type=accelerator.accelerator_type)
                    for accelerator in self.guest_accelerators or ()
                ],
                "labels": {**(self.labels or {}), **(self.labels_in_terraform or {})},
                "lifecycle": Block(create_before_destroy=True),
                "machine_type": target.variable(self._group, MACHINE_TYPE, self.machine_type),
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

    def _terraform_disk(self, target: TerraformTarget) -> Block:
        image = image_url(self.boot_disk_image or "", self.project)
        # The empty and zero arguments are what the provider has for "not set", and what kops writes.
        return Block(
            auto_delete=True,
            boot=True,
            device_name=BOOT_DEVICE,
            disk_name="",
            disk_size_gb=target.variable(self._group, ROOT_VOLUME_SIZE, self.boot_disk_size_gb),
            disk_type=self.boot_disk_type,
            interface="",
            mode="READ_WRITE",
            provisioned_iops=self.boot_disk_iops or 0,
            provisioned_throughput=self.boot_disk_throughput or 0,
            source="",
            source_image=target.variable(self._group, IMAGE, image),
            type="PERSISTENT",
        )

    def _terraform_text(self, target: TerraformTarget, key: str) -> Literal | str:
        """A value of the metadata: in place, or in a file when it has several lines."""
        text = str((self.metadata or {})[key])
        if "\n" not in text:
            return text
        return target.file("google_compute_instance_template", self.name, f"metadata_{key}", text)


def used_by_instances(cloud: GCECloud) -> set[str]:
    """Names of the templates that the cluster's instances were made from."""
    return {last_component(metadata_of(each).get(MADE_FROM, "")) for each in cloud.once(owned_instances)}


def delete_template(cloud: GCECloud, name: str) -> None:
    """Delete a template; one that is gone already is no error."""
    cloud.delete(f"{_collection(cloud)}/{name}")


def _used_by_managers(cloud: GCECloud) -> set[str]:
    return {name for manager in cloud.once(owned_managers).values() for name in templates_of(manager)}


def _collection(cloud: GCECloud) -> str:
    return f"{cloud.project}/global/instanceTemplates"


def _user_data(metadata: Mapping[str, str | Deferred]) -> str:
    return next((str(metadata[key]) for key in USER_DATA_KEYS if metadata.get(key)), "")
