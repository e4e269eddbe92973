# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons of Hetzner, of which there is no case of kops: the facts on which a cluster depends."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.hetzner import cloud_controller, config

from tests.support.addons import asked_of, made, pod


@pytest.mark.parametrize(("networking", "network"), [({}, "demo.example.com"), ({"networkID": "mine"}, "mine")])
def test_hetzner_gets_network_and_token(networking: dict[str, str], network: str) -> None:
    asked = asked_of({"cloudProvider": {"hetzner": {}}, "networking": networking}, HCLOUD_TOKEN="t0ken")
    objects = made(config.ADDON, asked)
    assert objects["Secret", "hcloud"]["stringData"] == {"network": network, "token": "t0ken"}


def test_the_manager_of_hetzner_takes_little_from_the_specification() -> None:
    spec = {"cloudProvider": {"hetzner": {}}, "networking": {"podCIDR": "10.9.0.0/16"}, "cloudControllerManager": {}}
    objects = made(cloud_controller.ADDON, asked_of(spec))
    args = pod(objects, "Deployment", "hcloud-cloud-controller-manager")["containers"][0]["args"]
    assert {"--cluster-cidr=10.9.0.0/16", "--v=2", "--leader-elect=false"} <= set(args)
