# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What booting asks of a virtual machine."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.challenge import read_header
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere import cloud, metadata, store_key
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere.verification import SCHEME

UUID = "421c0f5a-aabb-ccdd-eeff-001122334455"


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VSPHERE_FOLDER", "/DC0/vm/demo")
    monkeypatch.setattr(metadata, "host_name", lambda: "nodes-a-3fa09c")
    monkeypatch.setattr(metadata, "uuid", lambda: UUID)
    monkeypatch.setattr(metadata, "own_address", lambda: "127.0.0.1")


def test_its_facts_are_those_of_the_cloud_controller() -> None:
    assert cloud.this_instance().facts() == {
        "NODE_NAME": "nodes-a-3fa09c",
        "INTERNAL_IP": "127.0.0.1",
        "PROVIDER_ID": f"vsphere://{UUID}",
    }


def test_without_an_address_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "own_address", lambda: "")
    with pytest.raises(KopsError, match="has no address yet"):
        cloud.this_instance().facts()


def test_it_says_which_machine_it_is() -> None:
    said = read_header(SCHEME, cloud.this_instance().proof(b"body"))
    assert said is not None
    assert said[0] == UUID


def test_it_asks_for_its_cluster() -> None:
    own = cloud.this_instance()
    disks, instances = own.cluster_disks("demo.example.com"), own.cluster_instances("demo.example.com")
    assert (disks.zone, disks.instance, disks.folder) == ("DC0", UUID, "/DC0/vm/demo")
    assert (instances.own_id(), instances.folder) == ("nodes-a-3fa09c", "/DC0/vm/demo")


def test_it_reads_stores_in_s3_by_the_key_that_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_key, "given_store_key", lambda: {"id": "AKEY", "secret": "a-secret"})
    found = cloud.this_instance().access_to("s3").credentials()
    assert (found.access_key_id, found.secret_access_key) == ("AKEY", "a-secret")
    with pytest.raises(KopsError, match="no credentials for stores of the kind gs://"):
        cloud.this_instance().access_to("gs")
    with pytest.raises(KopsError, match="no records in DNS"):
        cloud.this_instance().records("example.com", private=False, role="", token=lambda role: role)
