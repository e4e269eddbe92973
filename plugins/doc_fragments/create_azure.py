# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of create_cluster for Azure."""

from __future__ import annotations


class ModuleDocFragment:
    """Options that only clusters on Azure have."""

    DOCUMENTATION = r"""
options:
  azure_subscription_id:
    description:
      - The subscription of the cluster. Azure only.
      - Taken from the environment variable E(AZURE_SUBSCRIPTION_ID) if it is not given.
    type: str
  azure_tenant_id:
    description:
      - The tenant of the cluster. Azure only.
    type: str
  azure_resource_group_name:
    description:
      - The resource group of the cluster, made if it does not exist. Azure only.
    type: str
  azure_route_table_name:
    description:
      - The route table of the cluster. Azure only.
    type: str
  azure_admin_user:
    description:
      - The administrator of the machines. Azure only.
    type: str
    default: kops
"""
