# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instances of the account, as the data centre needs them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ansible_collections.kubeops.kops.tests.lab.cloud import account

# In these states an instance has a machine; in the last one, it is off.
PRESENT = ("pending", "running", "stopping", "stopped")


@dataclass(frozen=True)
class Template:
    """What an instance has from its launch template, and moto does not show of the instance.

    hops: how many hops answers of its metadata service live.
    """

    profile: str
    role: str
    hops: int
    public_key: str = ""


@dataclass(frozen=True)
class Instance:
    """An instance. name: its private DNS name. data: as DescribeInstances gives it."""

    id: str
    name: str
    address: str
    zone: str
    template: Template
    user_data: str
    data: Mapping[str, Any]

    @property
    def runs(self) -> bool:
        """Whether its machine is to run."""
        return self.data["State"]["Name"] in ("pending", "running")

    @property
    def interface(self) -> Mapping[str, Any]:
        """Its first network interface."""
        found: Mapping[str, Any] = self.data["NetworkInterfaces"][0]
        return found


class Reader:
    """Reads the instances. What cannot change of one is asked for once."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Template, str]] = {}

    def read(self) -> dict[str, Instance]:
        """Instance id -> instance, of all that are present."""
        states = [{"Name": "instance-state-name", "Values": list(PRESENT)}]
        found = {}
        for reservation in account.pages("ec2", "describe_instances", "Reservations", Filters=states):
            for data in reservation["Instances"]:
                name = data["InstanceId"]
                if name not in self._known:
                    self._known[name] = (_template(data), _user_data(name))
                zone = data["Placement"]["AvailabilityZone"]
                found[name] = Instance(
                    name, data["PrivateDnsName"], data["PrivateIpAddress"], zone, *self._known[name], data
                )
        return found


def _template(data: Mapping[str, Any]) -> Template:
    """Of an instance that no launch template has made: no role, and the metadata service is near."""
    tags = {tag["Key"]: tag["Value"] for tag in data.get("Tags", ())}
    if "aws:ec2launchtemplate:id" not in tags:
        return Template("", "", 1)
    (version,) = account.client("ec2").describe_launch_template_versions(
        LaunchTemplateId=tags["aws:ec2launchtemplate:id"], Versions=[tags["aws:ec2launchtemplate:version"]]
    )["LaunchTemplateVersions"]
    given = version["LaunchTemplateData"]
    hops = int(given.get("MetadataOptions", {}).get("HttpPutResponseHopLimit", 1))
    profile, key = given.get("IamInstanceProfile", {}).get("Name", ""), _public_key(given.get("KeyName", ""))
    if not profile:
        return Template("", "", hops, key)
    roles = account.client("iam").get_instance_profile(InstanceProfileName=profile)["InstanceProfile"]["Roles"]
    return Template(profile, roles[0]["RoleName"] if roles else "", hops, key)


def _public_key(name: str) -> str:
    """That of a key pair; "" without one."""
    if not name:
        return ""
    (found,) = account.client("ec2").describe_key_pairs(KeyNames=[name], IncludePublicKey=True)["KeyPairs"]
    return str(found["PublicKey"])


def _user_data(instance: str) -> str:
    answer = account.client("ec2").describe_instance_attribute(InstanceId=instance, Attribute="userData")
    return base64.b64decode(answer["UserData"].get("Value", "")).decode()
