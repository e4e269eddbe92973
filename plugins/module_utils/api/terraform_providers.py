# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of clouds, continued: the provider of Terraform for each cloud, as kops pins it."""

from __future__ import annotations

from dataclasses import dataclass

from .clouds import AWS, AZURE, DIGITALOCEAN, GCE, HETZNER, OPENSTACK, SCALEWAY


@dataclass(frozen=True)
class TerraformProvider:
    """name: of the provider's blocks. source, version: of what is required. empty_blocks: it does not start without."""

    name: str
    source: str
    version: str
    empty_blocks: tuple[str, ...] = ()


# The oldest version that knows every argument that is written.
PROVIDERS = {
    AWS: TerraformProvider("aws", "hashicorp/aws", ">= 5.0.0"),
    AZURE: TerraformProvider("azurerm", "hashicorp/azurerm", ">= 5.0.0", empty_blocks=("features",)),
    DIGITALOCEAN: TerraformProvider("digitalocean", "digitalocean/digitalocean", "~>2.0"),
    GCE: TerraformProvider("google", "hashicorp/google", ">= 5.11.0"),
    HETZNER: TerraformProvider("hcloud", "hetznercloud/hcloud", ">= 1.35.1"),
    OPENSTACK: TerraformProvider("openstack", "terraform-provider-openstack/openstack", ">= 3.0.0"),
    SCALEWAY: TerraformProvider("scaleway", "scaleway/scaleway", ">= 2.2.1"),
}
