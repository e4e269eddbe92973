# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons of Scaleway, of which there is no case of kops: the facts on which a cluster depends."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.addons.scaleway import csi_driver

from tests.support.addons import asked_of, made


def test_scaleway_gets_region_and_zone_of_its_subnets() -> None:
    spec = {"cloudProvider": {"scaleway": {}}, "networking": {"subnets": [{"name": "a", "zone": "nl-ams-2"}]}}
    objects = made(csi_driver.ADDON, asked_of(spec, SCW_ACCESS_KEY="SCWKEY"))
    assert objects["Secret", "scaleway-secret"]["stringData"] == {
        "SCW_ACCESS_KEY": "SCWKEY",
        "SCW_SECRET_KEY": None,
        "SCW_DEFAULT_PROJECT_ID": None,
        "SCW_DEFAULT_REGION": "nl-ams",
        "SCW_DEFAULT_ZONE": "nl-ams-2",
    }
