# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.cloudProvider.vsphere."""

from __future__ import annotations

import pytest

PEM = "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n"


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({}, []),
        (
            {
                "server": "vcenter.example.com:8443",
                "datacenter": "DC0",
                "computeCluster": "DC0_C0",
                "resourcePool": "Resources/k8s",
                "folder": "/DC0/vm/k8s",
                "datastore": "ds",
                "etcdDatastore": "fast",
                "network": "VM Network",
                "thumbprint": "ab" * 32,
            },
            [],
        ),
        ({"server": "[2001:db8::1]:443"}, []),
        ({"thumbprint": ":".join(["AB"] * 32)}, []),
        ({"caCertificate": PEM}, []),
        ({"insecureSkipVerify": True}, []),
        ({"insecureSkipVerify": False, "thumbprint": "ab" * 32}, []),
        ({"server": "https://vcenter.example.com/sdk"}, ["Invalid::server"]),
        ({"server": "user@vcenter"}, ["Invalid::server"]),
        ({"etcdDatastore": ""}, ["Invalid::etcdDatastore"]),
        ({"folder": "/", "computeCluster": " x"}, ["Invalid::computeCluster", "Invalid::folder"]),
        ({"thumbprint": "ab" * 20}, ["Invalid::thumbprint"]),
        ({"caCertificate": "/etc/ssl/ca.pem"}, ["Invalid::caCertificate"]),
        ({"thumbprint": "ab" * 32, "caCertificate": PEM}, ["Forbidden::caCertificate"]),
        (
            {"thumbprint": "ab" * 32, "caCertificate": PEM, "insecureSkipVerify": True},
            ["Forbidden::caCertificate", "Forbidden::insecureSkipVerify"],
        ),
    ],
)
def test_what_a_specification_says(judge, part, expected):
    found = judge({"cloudProvider": {"vsphere": part}}, cloud="vsphere")
    assert [each.replace("::spec.cloudProvider.vsphere.", "::") for each in found] == expected
