# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A subnet: known by its range, and refused where another overlaps it."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.network import Network
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.network_subnet import NetworkSubnet
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer


def test_made_in_its_zone(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    (network,) = server.project.objects.all("networks")
    (subnet,) = network["subnets"]
    assert (subnet["type"], subnet["ip_range"], subnet["network_zone"]) == ("cloud", applying.RANGE, "eu-central")


def test_zone_is_never_changed(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    wanted = applying.tasks()
    wanted[f"NetworkSubnet/{applying.NAME}-{applying.RANGE}"].zone = "us-east"
    with pytest.raises(KopsError, match="cannot be changed in place .zone: eu-central -> us-east"):
        applying.applied(applying.client(), wanted)


def test_one_that_overlaps_is_refused_before_anything_is_written(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    network = Network(applying.NAME)
    subnet = NetworkSubnet("more", network=network, ip_range="10.10.8.0/24", zone=applying.ZONE)
    server.calls.clear()
    with pytest.raises(KopsError, match="NetworkSubnet/more: its network has 10.10.0.0/16 already"):
        applying.applied(applying.client(), {each.key: each for each in (network, subnet)})
    assert server.writes == []
