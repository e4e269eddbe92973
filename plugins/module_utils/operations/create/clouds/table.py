# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each cloud's section of spec.cloudProvider in a new cluster."""

from __future__ import annotations

from typing import Any, Callable

from ....api.cloud_provider import DOSpec, HetznerSpec, LinodeSpec, ScalewaySpec
from ....api.clouds import AWS, AZURE, DIGITALOCEAN, GCE, HETZNER, LINODE, OPENSTACK, SCALEWAY, VSPHERE
from ..options import CreateOptions
from . import aws, azure, gce, openstack, vsphere

# Name of a cloud -> its section; clouds whose section is empty have no options, and no file here.
SECTIONS: dict[str, Callable[[CreateOptions], Any]] = {
    AWS.name: aws.section,
    AZURE.name: azure.section,
    DIGITALOCEAN.name: lambda options: DOSpec(),
    GCE.name: gce.section,
    HETZNER.name: lambda options: HetznerSpec(),
    LINODE.name: lambda options: LinodeSpec(),
    OPENSTACK.name: openstack.section,
    SCALEWAY.name: lambda options: ScalewaySpec(),
    VSPHERE.name: vsphere.section,
}
