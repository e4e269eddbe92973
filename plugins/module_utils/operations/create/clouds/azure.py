# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of create_cluster that are for Azure alone, and the section of the specification made of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from ....api.clouds import AZURE
from ....api.components import AzureSpec
from ..option import option
from ..shared_options import SharedOptions

_option = functools.partial(option, clouds=(AZURE.name,))


@dataclass(frozen=True)
class AzureOptions(SharedOptions):
    """The options of Azure."""

    azure_subscription_id: str = _option(
        "",
        "azure-subscription-id",
        "AzureSubscriptionID",
        environment=("AZURE_SUBSCRIPTION_ID",),
    )
    azure_tenant_id: str = _option("", "azure-tenant-id", "AzureTenantID")
    azure_resource_group_name: str = _option(
        "",
        "azure-resource-group-name",
        "AzureResourceGroupName",
    )
    azure_route_table_name: str = _option("", "azure-route-table-name", "AzureRouteTableName")
    azure_admin_user: str = _option("kops", "azure-admin-user", "AzureAdminUser")


def section(options: AzureOptions) -> AzureSpec:
    """The section of Azure in spec.cloudProvider."""
    return AzureSpec(
        subscription_id=options.azure_subscription_id,
        tenant_id=options.azure_tenant_id,
        resource_group_name=options.azure_resource_group_name,
        route_table_name=options.azure_route_table_name,
        admin_user=options.azure_admin_user,
    )
