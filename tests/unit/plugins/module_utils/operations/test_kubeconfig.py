# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubeconfig of a cluster with a load balancer: which server, which port, which CA."""

from __future__ import annotations

import base64
import pathlib
from collections.abc import Iterator

import boto3
import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import LoadBalancerAccessSpec
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.kubeconfig.export import (
    KubeconfigOptions,
    KubeconfigResult,
    export_kubeconfig,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.pki import CertificateRequest, Subject
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.memory import MemoryPath
from ansible_collections.kubeops.kops.tests.support.moto_here import moto_here

NAME = "demo.example.com"
REGION = "us-east-1"
OWN_CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/x"


@pytest.fixture(scope="module")
def aws() -> Iterator[str]:
    with moto_here() as url:
        yield url


@pytest.fixture(autouse=True)
def environment(aws: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "AWS_ENDPOINT_URL": aws,
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": REGION,
        "KOPS_RSA_PRIVATE_KEY_SIZE": "1024",
    }.items():
        monkeypatch.setenv(name, value)


def add_load_balancer(name: str, tags: dict[str, str]) -> str:
    """A network load balancer; its host name."""
    ec2, elb = boto3.client("ec2"), boto3.client("elbv2")
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    made = elb.create_load_balancer(Name=name, Type="network", Subnets=[subnet], Tags=listed)
    return made["LoadBalancers"][0]["DNSName"]


def export(golden, path: pathlib.Path, balancer: LoadBalancerAccessSpec, **options) -> KubeconfigResult:
    MemoryPath.clear()
    text = (golden / "update_cluster" / "minimal-aws" / "in-v1alpha2.yaml").read_text().split("\n---\n")[0]
    text = text.replace("minimal-aws.example.com", NAME).replace("us-test-1a", f"{REGION}a")
    cluster = manifest.load(text)[0]
    cluster.spec.config_store.base = None
    cluster.spec.api.load_balancer = balancer
    store = ClusterStore.open("memfs://tests", NAME)
    store.write_cluster(cluster)
    store.keysets.create("kubernetes-ca", CertificateRequest("ca", Subject("kubernetes-ca")))
    return export_kubeconfig(KubeconfigOptions("memfs://tests", NAME, path=str(path), **options))


def authority(path: pathlib.Path) -> str | None:
    entry = yaml.safe_load(path.read_text())["clusters"][0]["cluster"]
    encoded = entry.get("certificate-authority-data")
    return base64.b64decode(encoded).decode() if encoded else None


def test_a_load_balancer_that_is_not_there_yet(golden, tmp_path: pathlib.Path) -> None:
    result = export(golden, tmp_path / "config", LoadBalancerAccessSpec(class_="Network", type="Public"))
    assert result.server == f"https://api.{NAME}"
    assert "load balancer of the API was not found" in result.warnings[0]


def test_the_latest_load_balancer_of_the_cluster(golden, tmp_path: pathlib.Path) -> None:
    add_load_balancer("first", {"Name": f"api.{NAME}"})
    latest = add_load_balancer("second", {"Name": f"api.{NAME}", "kops.k8s.io/revision": "2"})
    add_load_balancer("other", {"Name": "api.other.example.com", "kops.k8s.io/revision": "9"})
    path = tmp_path / "config"
    network = LoadBalancerAccessSpec(class_="Network", type="Public")
    result = export(golden, path, network)
    assert (result.server, result.warnings) == (f"https://{latest}", [])
    assert authority(path)

    network.ssl_certificate = OWN_CERTIFICATE
    assert export(golden, path, network).server == f"https://{latest}:8443"
    assert export(golden, path, network, admin="0").server == f"https://api.{NAME}"
    assert authority(path)

    classic = LoadBalancerAccessSpec(class_="Classic", type="Public", ssl_certificate=OWN_CERTIFICATE)
    assert export(golden, path, classic, admin="0").server == f"https://api.{NAME}"
    assert authority(path) is None
    assert export(golden, path, classic, admin="0", internal=True).server == f"https://api.internal.{NAME}"
    assert authority(path)


@pytest.mark.parametrize(
    ("fields", "options", "server"),
    [
        ({"public_name": "10.0.0.100"}, {}, "https://10.0.0.100"),
        ({"public_name": "api.example.com", "load_balancer": LoadBalancerAccessSpec()}, {}, "https://api.example.com"),
        ({"public_name": "fd00::1"}, {}, "https://[fd00::1]"),
        ({}, {"api_server": "10.0.0.1"}, "https://10.0.0.1"),
        ({}, {"api_server": "10.0.0.1:6443"}, "https://10.0.0.1:6443"),
        ({}, {"api_server": "https://10.0.0.1"}, "https://10.0.0.1"),
        ({}, {"internal": True}, f"https://api.internal.{NAME}"),
    ],
)
def test_on_hosts_of_ones_own(golden, tmp_path: pathlib.Path, fields, options, server: str) -> None:
    store_on_metal(golden, tmp_path, **fields)
    result = export_kubeconfig(
        KubeconfigOptions("memfs://tests", NAME, path=str(tmp_path / "config"), admin="0", **options)
    )
    assert (result.server, result.warnings) == (server, [])
    entry = yaml.safe_load((tmp_path / "config").read_text())["clusters"][0]["cluster"]
    assert entry["tls-server-name"] == f"api.internal.{NAME}"


def test_on_hosts_of_ones_own_somebody_has_to_say_where(golden, tmp_path: pathlib.Path) -> None:
    store_on_metal(golden, tmp_path)
    with pytest.raises(KopsError, match="give api_server, the address of a control plane, or set spec.api.publicName"):
        export_kubeconfig(KubeconfigOptions("memfs://tests", NAME, path=str(tmp_path / "config")))
    assert not (tmp_path / "config").exists()


def store_on_metal(golden, tmp_path: pathlib.Path, **fields: object) -> None:
    """Store the cluster as one on bare metal, with fields of spec.api."""
    export(golden, tmp_path / "on-aws", LoadBalancerAccessSpec(class_="Network", type="Public"), admin="0")
    store = ClusterStore.open("memfs://tests", NAME)
    cluster = store.read_cluster()
    cluster.metadata.labels["alpha.kops.k8s.io/cloud"] = "metal"
    cluster.spec.cloud_provider.aws = None
    cluster.spec.api.load_balancer = None
    for name, value in {"public_name": None, **fields}.items():
        setattr(cluster.spec.api, name, value)
    store.write_cluster(cluster)


def test_addresses_of_version_6(golden, tmp_path: pathlib.Path) -> None:
    options = KubeconfigOptions("memfs://tests", NAME, path=str(tmp_path / "config"), admin="0")
    export(golden, tmp_path / "config", LoadBalancerAccessSpec(ssl_certificate=OWN_CERTIFICATE), admin="0")
    store = ClusterStore.open("memfs://tests", NAME)
    cluster = store.read_cluster()
    cluster.spec.api.public_name = "fd00::1"
    store.write_cluster(cluster)
    assert export_kubeconfig(options).server == "https://[fd00::1]"
