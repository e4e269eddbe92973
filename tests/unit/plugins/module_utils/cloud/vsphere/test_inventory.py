# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a specification means by names and paths."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.inventory import Inventory, Unclear, named

FOUND = [
    {"id": "root", "type": "Folder", "name": "Datacenters"},
    {"id": "dc", "type": "Datacenter", "name": "DC0", "parent": "root"},
    {"id": "vm", "type": "Folder", "name": "vm", "parent": "dc"},
    {"id": "a", "type": "Folder", "name": "a", "parent": "vm"},
    {"id": "a-k8s", "type": "Folder", "name": "k8s", "parent": "a"},
    {"id": "k8s", "type": "Folder", "name": "k8s", "parent": "vm"},
    {"id": "slash", "type": "Folder", "name": "with%2fslash", "parent": "vm"},
    {"id": "own-vm", "type": "Folder", "name": "vm", "parent": "a"},
    {"id": "net", "type": "Network", "name": "VM Network", "parent": "dc"},
]
INVENTORY = Inventory(FOUND)


@pytest.mark.parametrize(
    ("reference", "identifier"),
    [
        ("a", "a"),
        ("a/k8s", "a-k8s"),
        ("DC0/k8s", "k8s"),
        ("DC0/vm/k8s", "k8s"),
        ("/DC0/vm/a/k8s/", "a-k8s"),
        ("a/vm", "own-vm"),
    ],
)
def test_by_name_or_path(reference: str, identifier: str) -> None:
    assert INVENTORY.one(("Folder",), reference, "vm", "spec.x")["id"] == identifier


def test_several_are_named() -> None:
    with pytest.raises(Unclear, match=r"spec.x: 2 objects are called folder k8s; give the path of one: DC0/vm/a/k8s, "):
        INVENTORY.one(("Folder",), "k8s", "vm", "spec.x")


def test_none_says_which_there_are() -> None:
    with pytest.raises(Unclear, match="spec.x: there is no network other, only DC0/VM Network"):
        INVENTORY.one(("Network",), "other", "dc", "spec.x")
    with pytest.raises(Unclear, match="spec.x: there is no network other, only none"):
        INVENTORY.one(("Network",), "other", "vm", "spec.x")


def test_the_only_one_need_not_be_named() -> None:
    assert INVENTORY.one(("Network",), "", "dc", "spec.x")["id"] == "net"
    with pytest.raises(Unclear, match="spec.x: name one folder: there are DC0/vm/a, "):
        INVENTORY.one(("Folder",), "", "vm", "spec.x")


def test_names_as_people_know_them() -> None:
    found = INVENTORY.get("slash")
    assert found is not None and named(found) == "with/slash"
    assert INVENTORY.child("vm", "Folder", "with/slash") == found
    assert INVENTORY.child("dc", "Folder", "a") is None
