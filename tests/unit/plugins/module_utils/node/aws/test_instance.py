# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.instance import AWSInstance


def test_facts_are_those_of_kops_nodes(service):
    assert AWSInstance().facts() == {
        "NODE_NAME": "i-0123456789abcdef0",
        "INTERNAL_IP": "10.0.0.7",
        "PROVIDER_ID": "aws:///us-east-1a/i-0123456789abcdef0",
    }


def test_an_instance_without_ipv4_has_the_address_that_it_has(service):
    del service.paths["meta-data/local-ipv4"]
    service.paths["meta-data/ipv6"] = "2600:1f18::7"
    assert AWSInstance().facts()["INTERNAL_IP"] == "2600:1f18::7"


def test_it_has_access_to_s3_only():
    instance = AWSInstance()
    assert instance.access_to("s3") is instance.aws.metadata
    with pytest.raises(KopsError, match="have no credentials for stores of the kind gs://"):
        instance.access_to("gs")


def test_its_proof_is_a_request_to_sts(service):
    assert AWSInstance().proof(b"{}").startswith("x-aws-sts ")
