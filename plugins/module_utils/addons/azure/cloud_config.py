# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration that programs on Azure share (azure-cloud-config.addons.k8s.io of kops).

Source: cloudconfig.go in upup/pkg/fi/cloudup/azure of kops.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from ...api.clouds import AZURE
from ...api.cluster import Cluster
from ...api.components import AzureSpec
from ..conditions import on_cloud
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.core import kubernetes_object

SECRET, NAMESPACE = "azure-cloud-provider", "kube-system"


def _build(context: AddonContext) -> list[dict[str, Any]]:
    # No white space, as Go writes it: the text counts in the manifest's hash.
    config = json.dumps(_config(context.cluster), separators=(",", ":"))
    encoded = base64.b64encode(config.encode()).decode()
    return [kubernetes_object("v1", "Secret", SECRET, namespace=NAMESPACE, data={"cloud-config": encoded})]


def _config(cluster: Cluster) -> dict[str, Any]:
    """No credentials: instances have an identity of their own."""
    azure = cluster.spec.cloud_provider.azure or AzureSpec()
    name = str(cluster.metadata.name)
    # The network and its security group have one name.
    network = cluster.spec.networking.network_id or name
    subnet = next(iter(cluster.spec.networking.subnets), None)
    config: dict[str, Any] = {
        "tenantId": azure.tenant_id,
        "subscriptionId": azure.subscription_id,
        "useManagedIdentityExtension": True,
        "resourceGroup": azure.resource_group_name or name,
        "location": subnet.region if subnet else None,
        "vnetName": network,
        "subnetName": subnet.name if subnet else None,
        "routeTableName": azure.route_table_name or name,
        "securityGroupName": network,
        "useInstanceMetadata": True,
        "disableAvailabilitySetNodes": True,
    }
    return {key: value for key, value in config.items() if value}


ADDON = AddonDefinition(name="azure-cloud-config.addons.k8s.io", condition=on_cloud(AZURE), build=_build, id="k8s-1.31")
