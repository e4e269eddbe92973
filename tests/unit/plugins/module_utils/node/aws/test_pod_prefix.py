# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.instance import AWSInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.pod_prefix import pod_prefix
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import read_xml
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import Host
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import Machine

MAC, PREFIX = "02:00:00:00:00:07", "2600:1f18:1:2:3::/80"
INTERFACE = f"meta-data/network/interfaces/macs/{MAC}"


@pytest.fixture()
def calls(aws, service, monkeypatch):
    """What EC2 is asked for; it answers as AWS does, moto's prefixes are empty."""
    service.paths.update({"meta-data/mac": MAC, f"{INTERFACE}/interface-id": "eni-1"})
    asked = []
    item = f"<A><assignedIpv6PrefixSet><item>{PREFIX}</item></assignedIpv6PrefixSet></A>"

    def call(*arguments):
        asked.append(arguments)
        return read_xml(item.encode())

    monkeypatch.setattr(aws, "call", call)
    return asked


def test_an_instance_without_a_prefix_assigns_one_to_itself(aws, calls):
    assert pod_prefix(aws) == PREFIX
    request = {"NetworkInterfaceId": "eni-1", "Ipv6PrefixCount": "1"}
    assert calls == [("ec2", "AssignIpv6Addresses", request)]


def test_the_prefix_that_is_there_stays(aws, calls, service):
    service.paths[f"{INTERFACE}/ipv6-prefix"] = f"{PREFIX}\n2600:1f18:1:2:4::/80"
    assert pod_prefix(aws) == PREFIX
    assert calls == []


def test_looking_assigns_nothing(aws, calls, tmp_path):
    assert pod_prefix(aws, check=True) == "none yet"
    instance = AWSInstance()
    instance.aws = aws
    machine = Machine(str(tmp_path), Host(), None)
    assert instance.facts_named(["POD_PREFIX"], machine, check=True) == {"POD_PREFIX": "none yet"}
    assert calls == []
    assert instance.facts_named(["POD_PREFIX"], machine, check=False) == {"POD_PREFIX": PREFIX}


def test_an_answer_without_a_prefix_is_an_error(aws, calls, monkeypatch):
    monkeypatch.setattr(aws, "call", lambda *_arguments: read_xml(b"<A/>"))
    with pytest.raises(KopsError, match="no IPv6 prefix to network interface eni-1"):
        pod_prefix(aws)
