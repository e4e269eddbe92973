# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: vsphere (hub version, from which and to which every served version converts).

Not of kops, whose own support ended with 1.19. What has a path in vCenter is named by its name, or by the end of its
path where there are several of that name; what is not named is the only one that there is.
"""

from __future__ import annotations

from .fields import api_type, field


@api_type
class VSphereSpec:
    """``Cluster.spec.cloudProvider.vsphere``.

    server: of vCenter, as a name or an address, with its port if that is not 443; unset, it is that of the login.
    compute_cluster: whose hosts run the machines. resource_pool, folder: in which those of the cluster are made.
    datastore: of the machines. etcd_datastore: of the disks of etcd, which stay there; unset, it is that of machines.
    insecure_skip_verify, thumbprint, ca_certificate: by what nodes know vCenter: not at all, by the fingerprint of its
    certificate (SHA-256), or by the certificate of its authority, in PEM. Unset, as their system knows servers.
    """

    server: str | None = None
    datacenter: str | None = None
    compute_cluster: str | None = None
    resource_pool: str | None = None
    folder: str | None = None
    datastore: str | None = None
    etcd_datastore: str | None = None
    network: str | None = None
    insecure_skip_verify: bool | None = None
    thumbprint: str | None = None
    ca_certificate: str | None = field(key="caCertificate")
