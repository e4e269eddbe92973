# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes of etcd's members, as one server sees them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.disks import Holder, MemberDisk
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack.disks import MemberVolumes
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError

from .fake_openstack import CLUSTER, OTHER, SERVER, FakeOpenStack, server

VOLUME = "11111111-2222-3333-4444-555555555555"


def volume(status: str = "available", holder: str = "", **metadata: str) -> dict[str, Any]:
    known = {"KubernetesCluster": CLUSTER, "k8s.io/etcd/main": "a/a,b,c", "k8s.io/role/master": "1", **metadata}
    attachments = [{"server_id": holder, "device": "/dev/vdb"}] if holder else []
    return {"id": VOLUME, "status": status, "metadata": known, "attachments": attachments}


def volumes(*found: dict[str, Any]) -> tuple[FakeOpenStack, MemberVolumes]:
    openstack = FakeOpenStack()
    openstack.volumes = [*found]
    return openstack, MemberVolumes(openstack, CLUSTER, SERVER, "az-1")


def disk(**changes: Any) -> MemberDisk:
    known: dict[str, Any] = {"id": VOLUME, "zone": "az-1", "etcd": "main", "member": "a", "members": ("a", "b", "c")}
    return MemberDisk(**{**known, **changes})


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (volume(), [disk()]),
        (volume("in-use", OTHER), [disk(holder=OTHER)]),
        (volume("attaching", SERVER), [disk(holder=SERVER, device="/dev/vdb")]),
        (volume("in-use", SERVER), [disk(holder=SERVER, device="/dev/vdb", is_attached=True)]),
        (volume("deleting"), []),
        (volume("error"), []),
        (volume(KubernetesCluster="demo.example.com2"), []),
        ({**volume(), "metadata": {"KubernetesCluster": CLUSTER}}, []),
    ],
)
def test_members(found: dict[str, Any], expected: list[MemberDisk]) -> None:
    assert volumes(found)[1].all() == expected


def test_a_disk_is_attached_or_another_was_faster() -> None:
    openstack, found = volumes(volume())
    assert found.attach(disk())
    assert openstack.attached == [(SERVER, VOLUME)]
    openstack.refused = ServiceError("compute", 400, "", "Invalid volume: volume 1 status must be available")
    assert not found.attach(disk())
    openstack.refused = ServiceError("compute", 409)
    assert not found.attach(disk())
    openstack.refused = ServiceError("compute", 403, "", "Forbidden")
    with pytest.raises(ServiceError, match="403"):
        found.attach(disk())


def test_who_has_it() -> None:
    openstack, found = volumes()
    openstack.servers[OTHER] = server(OTHER, status="SHUTOFF")
    assert found.holders([SERVER, OTHER, "gone"]) == {
        SERVER: Holder("active", False, "10.0.0.7"),
        # It starts again with its disks.
        OTHER: Holder("shutoff", False, "10.0.0.7"),
        "gone": Holder("gone", True),
    }
    openstack.servers[OTHER]["OS-EXT-STS:task_state"] = "deleting"
    assert found.holders([OTHER])[OTHER].lets_go


def test_where_the_kernel_has_it() -> None:
    """The kernel cuts the serial number of virtio's disks."""
    paths = volumes()[1].paths(disk(device="/dev/vdb"))
    assert paths[0] == "/dev/disk/by-id/virtio-11111111-2222-3333-4"
    assert paths[-1] == "/dev/vdb"
