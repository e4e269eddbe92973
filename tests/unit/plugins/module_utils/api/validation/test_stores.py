# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stores that the spec names."""

from __future__ import annotations

import pytest

AZURE = "azureblob://kopsstate/state/demo.example.com"
PATH = "spec.serviceAccountIssuerDiscovery"


def backups(store):
    return {
        "etcdClusters": [
            {"name": "main", "etcdMembers": [{"name": "a", "instanceGroup": "a"}], "backups": {"backupStore": store}}
        ]
    }


@pytest.mark.parametrize(
    ("discovery", "expected"),
    [
        ({"discoveryStore": "s3://bucket/path"}, []),
        ({"discoveryStore": "gs://bucket.with.dots/path"}, []),
        ({"discoveryStore": "s3://a.b.c/x"}, [f"Invalid::{PATH}.serviceAccountIssuerDiscovery.discoveryStore"]),
        ({"discoveryStore": "s3:///x"}, [f"Invalid::{PATH}.serviceAccountIssuerDiscovery.discoveryStore"]),
        ({"discoveryStore": "/x"}, [f"Invalid::{PATH}.serviceAccountIssuerDiscovery.discoveryStore"]),
        ({"discoveryStore": "azureblob://a/b"}, [f"Invalid::{PATH}.serviceAccountIssuerDiscovery.discoveryStore"]),
        ({"discoveryStore": "foo://a/b"}, [f"Invalid::{PATH}.serviceAccountIssuerDiscovery.discoveryStore"]),
        ({"discoveryService": {"url": "https://x"}}, []),
        ({"discoveryService": {}}, [f"Required::{PATH}.serviceAccountIssuerDiscovery.discoveryService.url"]),
        (
            {"discoveryStore": "s3://a/x", "discoveryService": {"url": "https://x"}},
            [f"Forbidden::{PATH}.discoveryStore"],
        ),
        (
            {"enableAWSOIDCProvider": True},
            [f"Forbidden::{PATH}.serviceAccountIssuerDiscovery.enableAWSOIDCProvider"],
        ),
        ({"enableAWSOIDCProvider": True, "discoveryStore": "s3://a/x"}, []),
    ],
)
def test_discovery(judge, discovery, expected):
    assert judge({"serviceAccountIssuerDiscovery": discovery}) == expected


@pytest.mark.parametrize(
    ("store", "more", "expected"),
    [
        ({"base": AZURE, "keypairs": f"{AZURE}/pki"}, backups(f"{AZURE}/backups"), []),
        ({"base": "s3://b/c"}, backups("s3://b/backups"), []),
        ({"base": AZURE}, backups("memfs://b/backups"), []),
        ({"base": AZURE, "keypairs": "azureblob://other/state"}, {}, ["Invalid::spec.configStore.keypairs"]),
        ({"base": AZURE, "secrets": "azureblob://other/state"}, {}, ["Invalid::spec.configStore.secrets"]),
        ({"base": AZURE, "keypairs": "azureblob://kopsstate"}, {}, ["Invalid::spec.configStore.keypairs"]),
        (
            {"base": AZURE},
            backups("azureblob://other/backups"),
            ["Invalid::spec.etcdClusters[0].backups.backupStore"],
        ),
        ({"base": "s3://b/c"}, backups(AZURE), ["Invalid::spec.etcdClusters[0].backups.backupStore"]),
        ({"base": "azureblob://kopsstate"}, {}, ["Invalid::spec.configStore.base"]),
    ],
)
def test_one_azure_account(judge, store, more, expected):
    assert judge({"configStore": store, **more}) == expected


@pytest.mark.parametrize(
    ("store", "expected"),
    [
        ({"base": "file:///srv/kops/demo", "keypairs": "/srv/pki", "secrets": "s3://b/secrets"}, []),
        ({"base": "foo://x"}, ["Other::spec.configStore.base"]),
        ({"keypairs": "s4://x"}, ["Other::spec.configStore.keypairs"]),
    ],
)
def test_kinds_of_stores(judge, store, expected):
    assert judge({"configStore": store}) == expected
