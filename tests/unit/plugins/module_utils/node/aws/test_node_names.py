# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.instance import AWSInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.node_names import name_by_address


@pytest.mark.parametrize(
    ("region", "name"),
    [
        ("us-east-1", "ip-10-0-0-7.ec2.internal"),
        ("eu-west-1", "ip-10-0-0-7.eu-west-1.compute.internal"),
        ("cn-north-1", "ip-10-0-0-7.cn-north-1.compute.internal"),
    ],
)
def test_names_are_those_of_kops(region, name):
    assert name_by_address("10.0.0.7", region) == name


def test_an_instance_with_a_name_of_the_other_kind_becomes_no_node(service):
    facts = AWSInstance().facts()
    assert AWSInstance().name_by_address(facts) == "ip-10-0-0-7.ec2.internal"
    service.paths["meta-data/local-hostname"] = "ip-10-0-0-7.corp.example.com"
    assert AWSInstance().name_by_address(facts) == "ip-10-0-0-7.ec2.internal"
    service.paths["meta-data/local-hostname"] = f"{facts['NODE_NAME']}.ec2.internal"
    with pytest.raises(KopsError, match="launched with the name i-0123456789abcdef0.ec2.internal"):
        AWSInstance().name_by_address(facts)
