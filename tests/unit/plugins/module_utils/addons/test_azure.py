# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons of Azure, of which there is no case of kops: the facts on which a cluster depends."""

from __future__ import annotations

import base64
import json

from ansible_collections.kubeops.kops.plugins.module_utils.addons.azure import cloud_config, cloud_controller

from tests.support.addons import asked_of, made, pod


def test_the_configuration_of_azure_has_no_credentials() -> None:
    subnet = {"name": "a", "region": "westus"}
    azure = {"subscriptionID": "s", "tenantID": "t", "resourceGroupName": "group"}
    spec = {"cloudProvider": {"azure": azure}, "networking": {"networkID": "net", "subnets": [subnet]}}
    data = made(cloud_config.ADDON, asked_of(spec, AZURE_CLIENT_SECRET="no"))["Secret", "azure-cloud-provider"]["data"]
    assert json.loads(base64.b64decode(data["cloud-config"])) == {
        "tenantId": "t",
        "subscriptionId": "s",
        "useManagedIdentityExtension": True,
        "resourceGroup": "group",
        "location": "westus",
        "vnetName": "net",
        "subnetName": "a",
        "routeTableName": "demo.example.com",
        "securityGroupName": "net",
        "useInstanceMetadata": True,
        "disableAvailabilitySetNodes": True,
    }


def test_a_second_control_plane_of_azure_has_a_second_manager() -> None:
    spec = {"cloudProvider": {"azure": {}}, "cloudControllerManager": {"configureCloudRoutes": True, "logLevel": 3}}
    objects = made(cloud_controller.ADDON, asked_of(spec, [{"role": "ControlPlane"}, {"role": "ControlPlane"}]))
    assert objects["Deployment", "cloud-controller-manager"]["spec"]["replicas"] == 2
    args = pod(objects, "Deployment", "cloud-controller-manager")["containers"][0]["args"]
    assert {"--configure-cloud-routes=true", "--v=3", "--leader-elect=true"} <= set(args)
