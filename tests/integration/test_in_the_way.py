# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletion of a cluster whose network others use: it is said before anything is deleted, and what is to be done."""

from __future__ import annotations

import time

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.cloud import AWSCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import IN_THE_WAY
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, ZONE, Account


def _network(account: Account) -> tuple[str, str]:
    """The cluster's VPC, and one of its subnets."""
    found = discover(AWSCloud("us-east-1", NAME)).values()
    vpc, subnet = (next(each.id for each in found if each.kind == kind) for kind in ("vpc", "subnet"))
    return vpc, subnet


def _lines(error: pytest.ExceptionInfo[KopsError]) -> list[str]:
    head, *lines, remedy = str(error.value).splitlines()
    assert head == IN_THE_WAY
    assert remedy.startswith("Delete or detach what is named")
    return [line.removeprefix("- ") for line in lines]


@pytest.mark.long
def test_what_others_have_in_the_network_is_named_before_anything_is_deleted(account: Account) -> None:
    account.create(zones=[ZONE], topology="private")
    account.update()
    vpc, subnet = _network(account)
    ec2 = account.client("ec2")
    assert account.delete(check=True).resources
    made = ec2.create_network_interface(SubnetId=subnet, Description="for the database")["NetworkInterface"]
    interface, owner = made["NetworkInterfaceId"], made["OwnerId"]
    group = ec2.create_security_group(GroupName="theirs", Description="theirs", VpcId=vpc)["GroupId"]
    endpoint = ec2.create_vpc_endpoint(VpcId=vpc, ServiceName="com.amazonaws.us-east-1.s3", VpcEndpointType="Gateway")[
        "VpcEndpoint"
    ]
    acl = ec2.create_network_acl(VpcId=vpc)["NetworkAcl"]["NetworkAclId"]
    before, stored = account.inventory(), account.stored()
    started = time.monotonic()
    for check in (True, False):
        with pytest.raises(KopsError) as error:
            account.delete(check=check)
        lines = _lines(error)
        assert f"network-interface {interface} in {subnet} (description for the database; owner {owner})" in lines
        assert f"security-group {group} in {vpc} (name theirs; description theirs; owner {owner})" in lines
        assert f"vpc-endpoint {endpoint['VpcEndpointId']} in {vpc}" in "\n".join(lines)
        assert [line.split()[1] for line in lines if line.startswith("network-acl")] == [acl]
        assert len(lines) == 4
    assert time.monotonic() - started < 60
    assert account.inventory() == before and account.stored().keys() == stored.keys()
    ec2.delete_network_interface(NetworkInterfaceId=interface)
    ec2.delete_security_group(GroupId=group)
    ec2.delete_vpc_endpoints(VpcEndpointIds=[endpoint["VpcEndpointId"]])
    ec2.delete_network_acl(NetworkAclId=acl)
    # That was what the message asked for: now it goes.
    assert account.delete().changed and account.stored() == {}
