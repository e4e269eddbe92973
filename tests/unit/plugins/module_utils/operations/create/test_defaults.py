# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What options say for others that were not given."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.defaults import with_defaults
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.options import CreateOptions


@pytest.mark.parametrize(
    ("values", "environment", "cloud"),
    [
        ({"state_store": "s3://x"}, {}, "aws"),
        ({"state_store": "s3://x"}, {"HCLOUD_TOKEN": "t"}, "hetzner"),
        ({"state_store": "s3://x"}, {"LINODE_TOKEN": "t"}, "linode"),
        ({"state_store": "gs://x"}, {}, "gce"),
        ({"state_store": "file:///x"}, {}, ""),
        ({"state_store": "gs://x", "cloud": "aws"}, {}, "aws"),
    ],
)
def test_cloud(values, environment, cloud):
    assert with_defaults(CreateOptions(**values), environment).cloud == cloud


@pytest.mark.parametrize(
    ("values", "name", "decided"),
    [
        ({}, "topology", "public"),
        ({"ipv6": True}, "topology", "private"),
        ({"ipv6": True, "topology": "public"}, "topology", "public"),
        ({}, "dns", "none"),
        ({"dns_zone": "example.com"}, "dns", "public"),
        ({"admin_access": ["10.0.0.0/8"]}, "ssh_access", ["10.0.0.0/8"]),
        ({"cloud": "aws"}, "encrypt_etcd_storage", True),
        ({"cloud": "aws", "encrypt_etcd_storage": False}, "encrypt_etcd_storage", False),
        ({"cloud": "gce"}, "encrypt_etcd_storage", False),
    ],
)
def test_decided(values, name, decided):
    assert getattr(with_defaults(CreateOptions(**values), {}), name) == decided
