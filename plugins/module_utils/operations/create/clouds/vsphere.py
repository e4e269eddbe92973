# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of create_cluster that are for vSphere alone, and the section of the specification made of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from ....api.clouds import VSPHERE
from ....api.vsphere import VSphereSpec
from ..option import option
from ..shared_options import SharedOptions

_option = functools.partial(option, clouds=(VSPHERE.name,))


@dataclass(frozen=True)
class VSphereOptions(SharedOptions):
    """The options of vSphere."""

    vsphere_server: str = _option("", "", "")
    vsphere_datacenter: str = _option("", "", "")
    vsphere_resource_pool: str = _option("", "", "")
    vsphere_datastore: str = _option("", "", "")
    vsphere_compute_cluster: str = _option("", "", "")
    vsphere_etcd_datastore: str = _option("", "", "")
    vsphere_folder: str = _option("", "", "")
    vsphere_network: str = _option("", "", "")
    vsphere_thumbprint: str = _option("", "", "")


def section(options: VSphereOptions) -> VSphereSpec:
    """The section of vSphere in spec.cloudProvider."""
    return VSphereSpec(
        server=options.vsphere_server or None,
        datacenter=options.vsphere_datacenter or None,
        compute_cluster=options.vsphere_compute_cluster or None,
        resource_pool=options.vsphere_resource_pool or None,
        folder=options.vsphere_folder or None,
        datastore=options.vsphere_datastore or None,
        etcd_datastore=options.vsphere_etcd_datastore or None,
        network=options.vsphere_network or None,
        thumbprint=options.vsphere_thumbprint or None,
    )
