# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and authorities that every cloud has: etcd, the issuer's documents, what the store keeps of an update."""

from __future__ import annotations

import json

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model.issuer_discovery import jwks
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki

DISCOVERY = "serviceAccountIssuerDiscovery"
ISSUER = "kubeAPIServer.serviceAccountIssuer"


def certificate():
    request = pki.CertificateRequest(type="ca", subject=pki.Subject.parse("cn=service-account"))
    return pki.issue(request).certificate.encode()


def test_store_keeps_version_and_completed_cluster(model):
    tasks = model(kops_version="1.34.0")
    assert tasks["ManagedFile/kops-version.txt"].contents == "1.34.0"
    completed = tasks["ManagedFile/cluster-completed.spec"]
    assert (completed.base, completed.location) == ("s3://store/demo.example.com", "cluster-completed.spec")
    assert yaml.safe_load(completed.contents)["metadata"]["name"] == "demo.example.com"


def test_completed_cluster_has_no_field_that_the_schedulers_file_took_over(model):
    tasks = model({"kubeScheduler": {"qps": "3140m", "burst": 123, "logLevel": 4, "kubeAPIBurst": 5}})
    completed = yaml.safe_load(tasks["ManagedFile/cluster-completed.spec"].contents)
    assert completed["spec"]["kubeScheduler"] == {"logLevel": 4, "kubeAPIBurst": 5}


def test_etcd_control_file_lies_beside_the_backups(model):
    tasks = model()
    control = tasks["ManagedFile/etcd-cluster-spec-events"]
    assert control.base == "s3://store/demo.example.com/backups/etcd/events"
    assert control.location == "control/etcd-cluster-spec"
    assert json.loads(control.contents) == {"memberCount": 1, "etcdVersion": "3.5.21"}
    authorities = {task.name for task in tasks.values() if task.kind == "Keypair"}
    assert {"etcd-manager-ca-events", "etcd-peers-ca-events", "etcd-clients-ca", "kubernetes-ca"} <= authorities


def test_etcd_without_backups_is_refused(model):
    with pytest.raises(KopsError, match="main has no backups"):
        model({"etcdClusters": [{"name": "main", "etcdMembers": []}]})


def test_keysets_lie_where_the_store_says(model):
    assert model()["Keypair/kubernetes-ca"].base == "s3://store/demo.example.com/pki"
    assert model({"configStore.keypairs": "s3://keys/pki"})["Keypair/kubernetes-ca"].base == "s3://keys/pki"


def test_no_discovery_store_no_documents(model):
    assert "ManagedFile/keys.json" not in model()


@pytest.mark.parametrize(
    ("issuer", "public"),
    [
        ("https://issuers.s3.us-east-1.amazonaws.com/demo", True),
        ("https://issuers.s3.dualstack.us-east-1.amazonaws.com/demo", True),
        ("https://issuers.example.com/demo", None),
        ("https://other.s3.us-east-1.amazonaws.com/demo", None),
    ],
)
def test_documents_are_public_when_the_bucket_is_the_issuer(model, issuer, public):
    tasks = model({DISCOVERY: {"discoveryStore": "s3://issuers/demo"}, ISSUER: issuer})
    document = tasks["ManagedFile/discovery.json"]
    assert document.public is public
    assert document.location == ".well-known/openid-configuration"
    assert json.loads(document.contents)["jwks_uri"] == f"{issuer}/openid/v1/jwks"


def test_keys_are_those_at_the_time_of_writing(model):
    found = []
    tasks = model({DISCOVERY: {"discoveryStore": "s3://issuers/demo"}}, signing_certificates=lambda: found)
    keys = tasks["ManagedFile/keys.json"]
    assert tasks["Keypair/service-account"] in list(keys.dependencies())
    assert json.loads(str(keys.contents)) == {"keys": []}
    found.append(certificate())
    assert len(json.loads(str(keys.contents))["keys"]) == 1


def test_key_set_is_sorted_and_public_only():
    keys = json.loads(jwks([certificate(), certificate()]))["keys"]
    assert [key["kid"] for key in keys] == sorted(key["kid"] for key in keys)
    assert all(key.keys() == {"use", "kty", "kid", "alg", "n", "e"} for key in keys)


def test_discovery_service_has_an_authority_of_its_own(model):
    assert "Keypair/discovery-ca" not in model()
    assert "Keypair/discovery-ca" in model({DISCOVERY: {"discoveryService": {"url": "https://d.example.com"}}})
