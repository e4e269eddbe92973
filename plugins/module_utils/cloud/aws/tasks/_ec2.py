# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Helpers of the EC2 tasks: batched listings, tags, and the errors that mean "not yet" or "already gone"."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Protocol, TypeVar

from ....base.errors import KopsError
from ....engine.targets.hcl import Literal
from ....engine.task import Change, Task, TryAgainLater, Twins
from ..cloud import from_tags, missing_tags, parts, to_tags
from ..errors import error_code
from ..ownership import cluster_tag, is_owned
from ..resources.gone import call, is_gone

if TYPE_CHECKING:
    from ..cloud import AWSCloud


class Identified(Protocol):
    """A task whose object EC2 names by an id."""

    @property
    def id(self) -> str | None:
        """None while there is no object."""


class Tagged(Identified, Protocol):
    """One whose object carries tags."""

    @property
    def tags(self) -> dict[str, str] | None:
        """None if it has none."""


class Linked(Protocol):
    """A task that Terraform resources can refer to."""

    def terraform_link(self) -> Literal | str:
        """How they write it."""


Kind = TypeVar("Kind", bound=Task[Any])


@dataclass(frozen=True)
class Listing:
    """Listing of one kind of EC2 objects: all that matter, in one paged call, remembered for the run.

    operation, result: boto3's method and the key of its answer. id_key: the object's identifier.
    id_filter: the filter that selects by identifier; it passes over what does not exist, where the
        identifier argument would fail as a whole.
    filters: the name of the filter argument.
    delete: boto3's method that removes one by its identifier. used: whether something uses one, so that it stays.
        Both are only for kinds of which several can have the same name. holds_data: one that nothing uses may, too.
    """

    operation: str
    result: str
    id_key: str
    id_filter: str
    filters: str = "Filters"
    delete: str = ""
    used: Callable[[AWSCloud, dict[str, Any]], bool] = lambda cloud, item: True
    holds_data: bool = False

    def where(self, cloud: AWSCloud, name: str, *values: str) -> list[dict[str, Any]]:
        """The objects that a filter selects; no call when there are no values."""
        return cloud.once(_read, self, name, values) if values else []

    def tagged(self, cloud: AWSCloud) -> list[dict[str, Any]]:
        """Objects with the cluster's tag, owned or shared."""
        return self.where(cloud, "tag-key", cluster_tag(cloud))

    def want(self, cloud: AWSCloud, identifier: str | None) -> None:
        """Announce an object that is named by its identifier."""
        if identifier:
            cloud.want(self.operation, identifier)

    def wanted(self, cloud: AWSCloud) -> list[dict[str, Any]]:
        """The announced objects, as far as they exist."""
        return self.where(cloud, self.id_filter, *cloud.wanted(self.operation))

    def by_id(self, objects: Iterable[dict[str, Any]], identifier: str | None) -> dict[str, Any] | None:
        """The object of that identifier."""
        return next((item for item in objects if item[self.id_key] == identifier), None)

    def owned(
        self, cloud: AWSCloud, task: Task[Any], among: Iterable[dict[str, Any]] | None = None
    ) -> dict[str, Any] | None:
        """The cluster's own object of the task's name, among these (None: all that carry the cluster's tag).

        Raises Twins when there are several: which one is to stay is then for the user to say.
        """
        found = [
            item
            for item in (self.tagged(cloud) if among is None else among)
            if is_owned(cloud, item.get("Tags")) and from_tags(item.get("Tags")).get("Name") == task.name
        ]
        return self.single(cloud, task, found)

    def single(self, cloud: AWSCloud, task: Task[Any], found: list[dict[str, Any]]) -> dict[str, Any] | None:
        """The only object found, or None. Raises Twins when there are several, with what is to be done."""
        if len(found) < 2:
            return found[0] if found else None
        every = sorted(item[self.id_key] for item in found)
        used = sorted(item[self.id_key] for item in found if self.used(cloud, item))
        kept = used or every[:1]
        spare = [identifier for identifier in every if identifier not in kept]
        message = f"several objects are named {task.name} and carry the cluster's tag: {', '.join(every)}"
        if not used and self.holds_data:
            message += "; none of them is in use, so look which one holds data, and delete the others"
        elif spare:
            of_them = f"in use: {', '.join(used)}" if used else f"none of them is in use, and {kept[0]} can stay"
            commands = "; ".join(f"{self._command(cloud)} {identifier}" for identifier in spare)
            message += f" ({of_them}). Remove the others: {commands}"
        raise Twins(message, [partial(self._remove, cloud, identifier) for identifier in spare])

    def _command(self, cloud: AWSCloud) -> str:
        """What a user types to remove one, but for its identifier."""
        option = re.sub(r"(?<!^)(?=[A-Z])", "-", self.id_key).lower()
        return f"aws ec2 {self.delete.replace('_', '-')} --region {cloud.region} --{option}"

    def _remove(self, cloud: AWSCloud, identifier: str) -> None:
        call(cloud, "ec2", self.delete, **{self.id_key: identifier})


# What CloudFormation calls the attachment of an internet gateway, without which nothing has a public address.
GATEWAY_ATTACHMENT = "AWS::EC2::VPCGatewayAttachment"

SUBNETS = Listing("describe_subnets", "Subnets", "SubnetId", "subnet-id")
VPCS = Listing(
    *("describe_vpcs", "Vpcs", "VpcId", "vpc-id"),
    delete="delete_vpc",
    used=lambda cloud, vpc: bool(SUBNETS.where(cloud, "vpc-id", vpc["VpcId"])),
)
DHCP_OPTIONS = Listing(
    *("describe_dhcp_options", "DhcpOptions", "DhcpOptionsId", "dhcp-options-id"),
    delete="delete_dhcp_options",
    used=lambda cloud, options: bool(VPCS.where(cloud, "dhcp-options-id", options["DhcpOptionsId"])),
)
ROUTE_TABLES = Listing(
    *("describe_route_tables", "RouteTables", "RouteTableId", "route-table-id"),
    delete="delete_route_table",
    used=lambda cloud, table: bool(table.get("Associations")),
)
INTERNET_GATEWAYS = Listing(
    *("describe_internet_gateways", "InternetGateways", "InternetGatewayId", "internet-gateway-id"),
    delete="delete_internet_gateway",
    used=lambda cloud, gateway: bool(gateway.get("Attachments")),
)
NAT_GATEWAYS = Listing(
    *("describe_nat_gateways", "NatGateways", "NatGatewayId", "nat-gateway-id"),
    filters="Filter",
    delete="delete_nat_gateway",
    used=lambda cloud, gateway: bool(ROUTE_TABLES.where(cloud, "route.nat-gateway-id", gateway["NatGatewayId"])),
)
ADDRESSES = Listing(
    *("describe_addresses", "Addresses", "AllocationId", "allocation-id"),
    delete="release_address",
    used=lambda cloud, address: bool(address.get("AssociationId")),
)
SECURITY_GROUPS = Listing("describe_security_groups", "SecurityGroups", "GroupId", "group-id")
SECURITY_GROUP_RULES = Listing(
    "describe_security_group_rules", "SecurityGroupRules", "SecurityGroupRuleId", "security-group-rule-id"
)
KEY_PAIRS = Listing("describe_key_pairs", "KeyPairs", "KeyName", "key-name")
VOLUMES = Listing(
    *("describe_volumes", "Volumes", "VolumeId", "volume-id"),
    delete="delete_volume",
    used=lambda cloud, volume: bool(volume.get("Attachments")),
    holds_data=True,
)


# The field of an object that a filter is about.
_FIELDS = {"vpc-id": "VpcId", "group-id": "GroupId", "public-ip": "PublicIp"}


def _read(cloud: AWSCloud, listing: Listing, name: str, values: tuple[str, ...]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for part in parts(values):
        chosen = {"Name": name, "Values": list(part)}
        found += cloud.paged("ec2", listing.operation, listing.result, **{listing.filters: [chosen]})
    # A server may pass over the filter, and what is found here is taken for ours.
    return [item for item in found if _is_meant(listing, item, name, values)]


def _is_meant(listing: Listing, item: dict[str, Any], name: str, values: tuple[str, ...]) -> bool:
    if name == "tag-key":
        return bool(from_tags(item.get("Tags")).keys() & set(values))
    if name == "attachment.vpc-id":
        return any(attachment.get("VpcId") in values for attachment in item.get("Attachments") or ())
    return item.get(listing.id_key if name == listing.id_filter else _FIELDS[name]) in values


def forget(cloud: AWSCloud, listing: Listing, name: str, *values: str) -> None:
    """Read a selection anew the next time that it is asked for."""
    cloud.forget(_read, listing, name, values)


def refer(kind: Callable[..., Kind], identifier: str | None) -> Kind | None:
    """A reference to an object that exists, for use in what find() returns."""
    return kind(name=identifier, id=identifier) if identifier else None


def id_of(task: Identified | None) -> str | None:
    """The id of a task that is referred to, once it is known."""
    return task.id if task is not None else None


def link(task: Linked | None) -> Literal | str | None:
    """How Terraform resources refer to a task."""
    return task.terraform_link() if task is not None else None


def add_tags(cloud: AWSCloud, identifier: str, wanted: dict[str, str] | None, present: dict[str, str] | None) -> None:
    """Write wanted tags that are missing or have another value. Other tags stay as they are."""
    missing = missing_tags(present, wanted)
    if missing:
        cloud.client("ec2").create_tags(Resources=[identifier], Tags=to_tags(missing))


def update_tags(cloud: AWSCloud, task: Tagged, actual: Tagged, changes: dict[str, Change]) -> None:
    """The tag part of an update."""
    if "tags" in changes:
        add_tags(cloud, str(actual.id), task.tags, actual.tags)


def given(**arguments: Any) -> dict[str, Any]:
    """Arguments of a call, without any that are None."""
    return {key: value for key, value in arguments.items() if value is not None}


def require_shared(task: Any, actual: object, what: str) -> None:
    """A shared object is not ours to create. Raises KopsError when it does not exist."""
    if task.shared and actual is None:
        raise KopsError(f"{task.key}: the cluster is to use an existing {what}, and it was not found")


@contextlib.contextmanager
def settling() -> Iterator[None]:
    """EC2 may not know yet, at one of its many places, what it has just created: then try again later."""
    try:
        yield
    except Exception as error:
        if error_code(error).endswith(".NotFound"):
            raise TryAgainLater(str(error)) from error
        raise


@contextlib.contextmanager
def already_gone() -> Iterator[None]:
    """What is to be removed and does not exist any more is removed."""
    try:
        yield
    except Exception as error:
        if not is_gone(error_code(error)):
            raise
