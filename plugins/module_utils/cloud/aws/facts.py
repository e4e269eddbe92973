# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of AWS for completion and validation: zones, instance types, images, networks, hosted zones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any

from ...api.facts import CloudDNSZone, CloudNetwork, CloudSubnet, Image, InstanceType
from ..errors import explained
from .cloud import parts
from .errors import error_code, explain
from .tasks._ec2 import SUBNETS, VPCS
from .tasks.dns_zone import read_hosted_zones, short_id

if TYPE_CHECKING:
    from .cloud import AWSCloud

# EC2's architectures by Kubernetes' names; others (i386, macOS) do not run a cluster.
ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}

# The accounts behind the names that may stand before the slash of an image (ubuntu/<image name>).
IMAGE_OWNERS = {
    "amazon": "137112412989",
    "amazon.com": "137112412989",
    "debian": "136693071363",
    "debian11": "136693071363",
    "flatcar": "075585003325",
    "redhat": "309956199498",
    "redhat.com": "309956199498",
    "rocky": "792107900819",
    "rockylinux": "792107900819",
    "ubuntu": "099720109477",
}

# Where nothing is chosen: the first of these that every zone of the group offers (t4g runs arm64, the others amd64).
# t3.medium is the cheapest with 4 GiB; the c types are for zones that lack it.
DEFAULT_TYPES = {
    "ControlPlane": ("t3.medium", "c5.large", "c4.large", "t4g.medium"),
    "APIServer": ("t3.medium", "c5.large", "c4.large", "t4g.medium"),
    "Node": ("t3.medium", "c5.large", "c4.large", "t4g.medium"),
    "Bastion": ("t3.micro", "t2.micro", "t4g.micro"),
}
ARM_FAMILY = "t4g."

# In a filter they stand for other characters.
WILDCARDS = "*?\\"

ABSENT_IMAGE = (
    "InvalidAMIID.NotFound",
    "InvalidAMIID.Malformed",
    "InvalidAMIID.Unavailable",
    "ParameterNotFound",
)


class AWSFacts:
    """:class:`api.facts.CloudFacts` for one account and region.

    Every answer is read once. All methods raise KopsError, with what to do, when AWS cannot be asked.
    """

    def __init__(self, cloud: AWSCloud) -> None:
        self.cloud = cloud
        self.region = cloud.region
        self._types: dict[str, InstanceType | None] = {}
        self._images: dict[str, Image | None] = {}

    def read_ahead(self, instance_types: Iterable[str], images: Iterable[str]) -> None:
        """Read at the same time, each kind in one call, what is sure to be asked for: zones, account, these names."""
        reads: list[Callable[[], Any]] = [
            self.zones,
            partial(self.prefetch, list(instance_types)),
            partial(self._read_images, list(images)),
            lambda: self.cloud.account_id,
        ]
        with ThreadPoolExecutor(len(reads)) as pool:
            for done in [pool.submit(read) for read in reads]:
                done.result()

    def zones(self) -> list[str]:
        """Names of the zones of the region, sorted; local zones too where the account has switched them on."""
        with self._explained("reading the zones"):
            return sorted(zone["ZoneName"] for zone in self.cloud.once(_read_zones))

    def prefetch(self, names: Iterable[str]) -> None:
        """Read these instance types in one call, before instance_type() asks for them one by one."""
        missing = sorted({name for name in names if name} - self._types.keys())
        with self._explained("reading instance types"):
            for part in parts(missing):
                chosen = [{"Name": "instance-type", "Values": list(part)}]
                found = self.cloud.paged("ec2", "describe_instance_types", "InstanceTypes", Filters=chosen)
                self._types.update(dict.fromkeys(part))
                self._types.update({entry["InstanceType"]: as_instance_type(entry) for entry in found})

    def instance_type(self, name: str) -> InstanceType | None:
        """The machine type of that name; None when the region has none."""
        self.prefetch([name])
        return self._types.get(name)

    def default_instance_type(self, role: str, zones: list[str], architecture: str | None = None) -> str | None:
        """The type for a group of that role where none is chosen; None when no candidate is in all the zones."""
        with self._explained("reading which zones offer which instance types"):
            offered = self.cloud.once(_read_offerings)
        arm = architecture == "arm64"
        for name in DEFAULT_TYPES.get(role, ()):
            if name.startswith(ARM_FAMILY) == arm and offered.get(name, set()).issuperset(zones):
                return name
        return None

    def image(self, reference: str) -> Image | None:
        """The image that reference names: ami-..., ssm:<parameter>, <owner>/<name>, or the account's own <name>.

        Of several images of one name, the newest.
        """
        self._read_images([reference])
        return self._images[reference]

    def _read_images(self, references: Iterable[str]) -> None:
        missing = sorted({reference for reference in references if reference} - self._images.keys())
        for together in _readable_together(missing):
            with self._explained(
                f"looking for {'the image' if len(together) == 1 else 'images'} {', '.join(together)}"
            ):
                self._images.update(_read_images(self.cloud, together))

    def network(self, network_id: str) -> CloudNetwork | None:
        """The VPC of that id with all its subnets; None when the region has none."""
        with self._explained(f"reading the VPC {network_id}"):
            vpc = VPCS.by_id(VPCS.where(self.cloud, VPCS.id_filter, network_id), network_id)
            if vpc is None:
                return None
            subnets = SUBNETS.where(self.cloud, "vpc-id", network_id)
        blocks = [block["CidrBlock"] for block in vpc.get("CidrBlockAssociationSet", ())]
        return CloudNetwork(
            id=network_id,
            cidr=vpc["CidrBlock"],
            additional_cidrs=tuple(block for block in blocks if block != vpc["CidrBlock"]),
            subnets=tuple(_subnet(subnet) for subnet in subnets),
        )

    def network_of_subnet(self, subnet_id: str) -> CloudNetwork | None:
        """The VPC that a subnet lies in; None when the region has no such subnet."""
        with self._explained(f"reading the subnet {subnet_id}"):
            found = SUBNETS.where(self.cloud, SUBNETS.id_filter, subnet_id)
        return self.network(found[0]["VpcId"]) if found else None

    def dns_zones(self) -> list[CloudDNSZone]:
        """Every hosted zone of the account."""
        with self._explained("reading the hosted zones"):
            zones = self.cloud.once(read_hosted_zones)
        return [
            CloudDNSZone(
                id=short_id(zone["Id"]), name=zone["Name"].rstrip("."), private=bool(zone["Config"]["PrivateZone"])
            )
            for zone in zones
        ]

    def _explained(self, what: str) -> AbstractContextManager[None]:
        return explained(explain, f"AWS {self.region}, {what}")


def _read_zones(cloud: AWSCloud) -> list[dict[str, Any]]:
    return cloud.paged("ec2", "describe_availability_zones", "AvailabilityZones")


def _read_offerings(cloud: AWSCloud) -> dict[str, set[str]]:
    return zones_of_types(cloud, sorted({name for names in DEFAULT_TYPES.values() for name in names}))


def zones_of_types(cloud: AWSCloud, names: Sequence[str]) -> dict[str, set[str]]:
    """The zones that offer each of the machine types."""
    zones: dict[str, set[str]] = {}
    for part in parts(names):
        offerings = cloud.paged(
            "ec2",
            "describe_instance_type_offerings",
            "InstanceTypeOfferings",
            LocationType="availability-zone",
            Filters=[{"Name": "instance-type", "Values": list(part)}],
        )
        for offering in offerings:
            zones.setdefault(offering["InstanceType"], set()).add(offering["Location"])
    return zones


def _readable_together(references: list[str]) -> list[list[str]]:
    """Groups of references that one call can answer: the identifiers, and the names of each owner."""
    groups: dict[str, list[str]] = {}
    for reference in references:
        if reference.startswith("ssm:") or any(sign in reference for sign in WILDCARDS):
            groups[reference] = [reference]
        else:
            kind = "ami-" if reference.startswith("ami-") else owner_and_name(reference)[0]
            groups.setdefault(kind, []).append(reference)
    return [list(part) for group in groups.values() for part in parts(group)]


def _read_images(cloud: AWSCloud, references: list[str]) -> dict[str, Image | None]:
    """The image of each reference; None for one that does not exist."""
    try:
        found = cloud.paged("ec2", "describe_images", "Images", **_image_selection(cloud, references))
    except Exception as error:
        if error_code(error) not in ABSENT_IMAGE:
            raise
        if len(references) == 1:
            return {references[0]: None}
        # One identifier that does not exist fails the call as a whole.
        return {name: image for one in references for name, image in _read_images(cloud, [one]).items()}
    if len(references) == 1:
        return {references[0]: _newest(found)}
    return {
        reference: _newest(
            image
            for image in found
            if reference == image["ImageId"] or owner_and_name(reference)[1] == image.get("Name")
        )
        for reference in references
    }


def _image_selection(cloud: AWSCloud, references: list[str]) -> dict[str, Any]:
    first = references[0]
    if first.startswith("ssm:"):
        parameter = cloud.client("ssm").get_parameter(Name=first[len("ssm:") :])
        return {"ImageIds": [parameter["Parameter"]["Value"]]}
    if first.startswith("ami-"):
        return {"ImageIds": references}
    names = sorted({owner_and_name(reference)[1] for reference in references})
    return {"Owners": [owner_and_name(first)[0]], "Filters": [{"Name": "name", "Values": names}]}


def owner_and_name(reference: str) -> tuple[str, str]:
    """Whose image it is, as DescribeImages takes it, and its name."""
    owner, slash, name = reference.partition("/")
    return (IMAGE_OWNERS.get(owner, owner), name) if slash else ("self", reference)


def _newest(images: Iterable[dict[str, Any]]) -> Image | None:
    found = max(images, key=lambda image: str(image.get("CreationDate", "")), default=None)
    if found is None:
        return None
    architecture = found.get("Architecture") or "x86_64"
    return Image(
        id=found["ImageId"],
        name=found.get("Name", ""),
        architecture=ARCHITECTURES.get(architecture, architecture),
        root_device=found.get("RootDeviceName", ""),
    )


def as_instance_type(entry: dict[str, Any]) -> InstanceType:
    """A type as DescribeInstanceTypes describes it."""
    network = entry.get("NetworkInfo", {})
    supported = entry.get("ProcessorInfo", {}).get("SupportedArchitectures", ())
    return InstanceType(
        name=entry["InstanceType"],
        architectures=tuple(ARCHITECTURES[name] for name in supported if name in ARCHITECTURES),
        vcpus=entry.get("VCpuInfo", {}).get("DefaultVCpus", 0),
        memory_mib=entry.get("MemoryInfo", {}).get("SizeInMiB", 0),
        max_network_interfaces=network.get("MaximumNetworkInterfaces", 1),
        ipv4_per_interface=network.get("Ipv4AddressesPerInterface", 1),
        instance_storage=tuple(
            (disk["Count"], disk["SizeInGB"]) for disk in entry.get("InstanceStorageInfo", {}).get("Disks", ())
        ),
        gpu="GpuInfo" in entry,
    )


def _subnet(subnet: dict[str, Any]) -> CloudSubnet:
    blocks = [block["Ipv6CidrBlock"] for block in subnet.get("Ipv6CidrBlockAssociationSet", ())]
    return CloudSubnet(
        id=subnet["SubnetId"],
        zone=subnet["AvailabilityZone"],
        cidr=subnet.get("CidrBlock", ""),
        ipv6_cidr=next(iter(blocks), None),
    )
