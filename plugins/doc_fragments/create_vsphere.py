# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of create_cluster for vSphere."""

from __future__ import annotations


class ModuleDocFragment:
    """Options that only clusters on vSphere have."""

    DOCUMENTATION = r"""
options:
  vsphere_server:
    description:
      - The vCenter, by name or address, with its port if that is not 443. Without it, that of E(VSPHERE_SERVER).
        vSphere only.
    type: str
  vsphere_datacenter:
    description:
      - The datacenter. Without it, the only one. vSphere only.
    type: str
  vsphere_compute_cluster:
    description:
      - The compute cluster whose hosts run the virtual machines. Without it, the only one. vSphere only.
    type: str
  vsphere_resource_pool:
    description:
      - The resource pool in which the cluster's is made. Without it, that of the compute cluster. vSphere only.
    type: str
  vsphere_folder:
    description:
      - The folder in which the cluster's is made. Without it, that of all virtual machines. vSphere only.
    type: str
  vsphere_datastore:
    description:
      - The datastore of the virtual machines. Without it, the only one. vSphere only.
    type: str
  vsphere_etcd_datastore:
    description:
      - The datastore of the disks of etcd. Without it, that of the virtual machines. vSphere only.
    type: str
  vsphere_network:
    description:
      - The network of the virtual machines, which has DHCP. Without it, the only one. vSphere only.
    type: str
  vsphere_thumbprint:
    description:
      - The fingerprint of the certificate of vCenter (SHA-256), by which nodes know it. Without it, as their
        system knows servers. vSphere only.
    type: str
"""
