# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of etcd are booted by what the NodeConfig of a control plane in a cloud says of them."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Sequence
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot.etcd import Members
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot.member_disks import EtcdDisk
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.secrets_document import StoreSource
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import find_machine
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keysets import Keysets
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.fake_host import FakeHost

NAMES = {"main": ("etcd", 2380), "events": ("etcd-events", 2381)}


class Cloud:
    """An instance with the volumes of member a. Another instance has member b."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def facts(self) -> dict[str, str]:
        return {"NODE_NAME": "i-1", "INTERNAL_IP": "10.0.0.7"}

    def read(self, url: str) -> bytes | None:
        return self.files.get(url)

    def write(self, url: str, content: bytes) -> None:
        self.files[url] = content

    def proof(self, body: bytes) -> str:
        return ""

    def etcd_disks(self, cluster: str, group: str, etcds: Sequence[str], *, check: bool) -> dict[str, EtcdDisk]:
        return {etcd: EtcdDisk(f"vol-{etcd}", f"/dev/{etcd}", "a", ("a", "b")) for etcd in etcds}

    def etcd_addresses(self, cluster: str) -> dict[tuple[str, str], str]:
        return {(etcd, member): "127.0.0.1" for etcd in NAMES for member in "ab"}


@pytest.fixture(name="cloud")
def make_cloud() -> Cloud:
    return Cloud()


@pytest.fixture(name="config")
def make_config(config_of) -> dict[str, Any]:
    return config_of("control-plane", {"networking.serviceClusterIPRange": "100.64.0.0/13"}, on_metal=False)


@pytest.fixture(name="members")
def make_members(cloud, config, tmp_path: pathlib.Path) -> Members:
    store = tmp_path / "store"
    request = pki.CertificateRequest("ca", pki.Subject("etcd"), private_key=pki.generate_elliptic_key())
    Keysets(open_path(f"file://{store}/pki")).create("etcd-clients-ca", request)

    def read(path: str) -> bytes | None:
        return (store / path).read_bytes() if (store / path).exists() else None

    host = FakeHost.make(tmp_path / "node")
    machine = find_machine(str(host.root), host)
    return Members(cloud, cloud, machine, config, "s3://unused", cloud.facts(), StoreSource(read))


def test_who_forms_an_etcd_cluster_knows_all_members(members: Members, config) -> None:
    facts = members.facts()
    assert {name for name in config["facts"] if name.startswith("ETCD_")} <= facts.keys()
    for etcd, (prefix, port) in NAMES.items():
        assert facts[f"ETCD_{etcd.upper()}_INITIAL_CLUSTER"] == ",".join(
            f"{prefix}-{member}=https://{prefix}-{member}.internal.demo.example.com:{port}" for member in "ab"
        )


def test_who_comes_later_asks_the_others_by_their_names(members: Members, cloud: Cloud, config) -> None:
    control = config["etcdControl"]["main"]
    cloud.files[f"{control}/etcd-cluster-created"] = json.dumps({"timestamp": 1}).encode()
    with pytest.raises(KopsError, match=r"https://etcd-b\.internal\.demo\.example\.com:4001: Connection refused"):
        members.facts()
