# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cloud/digitalocean/numbers.py: which number each droplet of a group has."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.numbers import (
    name_of,
    numbered,
    numbers_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.ownership import read_droplets
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.numbers import Numbers
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.places import places_of_groups

NAME, GROUP = "demo.example.com", "nodes"
_CLUSTER = ("KubernetesCluster:demo-example-com", f"kops-instancegroup:{GROUP}")
_MARKS = ("kubeops-cluster:demo_example_com", "kubeops-made-from:image:3f0a91c2")


def droplet(identifier: int, *tags: str, **changes: Any) -> dict[str, Any]:
    """One that was made here."""
    networks = {"v4": [{"type": "private", "ip_address": f"10.0.0.{identifier}"}]}
    found = {"id": identifier, "name": f"{GROUP}-{identifier:08x}", "status": "active", "networks": networks}
    return {**found, "tags": [*_CLUSTER, *_MARKS, *tags], **changes}


def of_kops(identifier: int, *tags: str) -> dict[str, Any]:
    return droplet(identifier, name=f"{GROUP}.{NAME}", tags=[*_CLUSTER, *tags])


def cloud(*droplets: dict[str, Any], places: frozenset[int] = frozenset()) -> DigitalOceanCloud:
    found = DigitalOceanCloud("fra1", NAME, "memfs://store/demo.example.com")
    found.know([*droplets], read_droplets)
    found.know({GROUP: places}, places_of_groups)
    return found


def numbers(known: DigitalOceanCloud) -> dict[int, int]:
    """Id -> number."""
    return {int(each["id"]): number for number, each in numbered(known, GROUP)}


def test_those_of_kops_have_free_numbers_in_the_order_of_their_ids() -> None:
    found = cloud(of_kops(9), of_kops(5), droplet(7, "kubeops-number:1"), droplet(8, "kubeops-number:3"))
    assert numbers(found) == {5: 2, 7: 1, 8: 3, 9: 4}
    assert [name_of(each) for each in (of_kops(9), droplet(7))] == ["10.0.0.9", f"{GROUP}-00000007"]


def test_others_are_not_counted() -> None:
    """Of another group, of a cluster that kops writes in the same way, and what is put away."""
    found = cloud(
        droplet(1, "kubeops-number:1"),
        droplet(2, tags=[_CLUSTER[0], "kops-instancegroup:others", *_MARKS, "kubeops-number:1"]),
        droplet(3, tags=[*_CLUSTER, "kubeops-cluster:demo_example-com", _MARKS[1], "kubeops-number:2"]),
        droplet(4, "kubeops-number:3", status="archive"),
    )
    assert numbers(found) == {1: 1}


def test_a_group_has_what_serves_and_places_that_wait() -> None:
    found = cloud(
        droplet(1, "kubeops-number:1"),
        droplet(2, "kubeops-number:2", "kubeops-leaving:3"),
        places=frozenset({1, 4}),
    )
    assert numbers_of(found, GROUP) == Numbers(frozenset({1}), frozenset({4}), {2: 3})


def test_twins_are_refused_unless_one_leaves() -> None:
    twins = droplet(1, "kubeops-number:1"), droplet(2, "kubeops-number:1")
    with pytest.raises(KopsError, match=rf"2 droplets are {GROUP}-1 of the cluster: .*\(1\), .*\(2\)"):
        numbered(cloud(*twins), GROUP)
    twins[1]["tags"].append("kubeops-leaving:1")
    assert numbers_of(cloud(*twins), GROUP) == Numbers(frozenset({1}), frozenset(), {})
