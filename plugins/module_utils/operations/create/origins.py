# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options from which the fields of an inferred specification come: users have written options, not fields."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from ...base.errors import FieldError
from .options import OPTIONS

# Paths of fields -> the options that may have set them. Of several rows that fit, the first counts.
_ORIGINS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"metadata\.name", ("name",)),
    (r"spec\.sshAccess", ("ssh_access", "admin_access")),
    (r"spec\.(api\.access|kubernetesAPIAccess)", ("admin_access",)),
    (r"spec\.api\.publicName", ("api_public_name",)),
    (r"spec\.api\.loadBalancer\.sslCertificate", ("api_ssl_certificate",)),
    (r"spec\.api\.loadBalancer", ("api_loadbalancer_type",)),
    (r"spec\.channel", ("channel",)),
    (r"spec\.cloudLabels", ("cloud_labels",)),
    (r"spec\.cloudProvider\.gce\.project", ("project",)),
    (r"spec\.cloudProvider\.gce\.serviceAccount", ("gce_service_account",)),
    (r"spec\.dnsZone", ("dns_zone",)),
    (r"spec\.etcdClusters\[\d+\]\.etcdMembers\[\d+\]\.volumeType", ("etcd_storage_type",)),
    (r"spec\.etcdClusters\[\d+\]\.etcdMembers", ("control_plane_count", "control_plane_zones")),
    (r"spec\.etcdClusters", ("etcd_clusters",)),
    (r"spec\.\w+\.featureGates", ("kubernetes_feature_gates",)),
    (r"spec\.image", ("image", "control_plane_image", "node_image", "bastion_image")),
    (r"spec\.karpenter|spec\.manager", ("instance_manager",)),
    (r"spec\.kubernetesVersion", ("kubernetes_version",)),
    (r"spec\.machineType", ("node_size", "control_plane_size", "api_server_size")),
    (r"spec\.networking\.networkCIDR", ("network_cidr",)),
    (r"spec\.networking\.networkID", ("network_id",)),
    (r"spec\.networking\.subnets\[\d+\]\.egress", ("egress",)),
    (r"spec\.networking\.subnets\[\d+\]\.id", ("subnets", "utility_subnets")),
    (r"spec\.networking\.topology\.dns", ("dns", "dns_zone")),
    (r"spec\.rootVolume\.size", ("node_volume_size", "control_plane_volume_size")),
    (r"spec\.rootVolume\.type", ("node_volume_type", "control_plane_volume_type")),
    (r"spec\.serviceAccountIssuerDiscovery", ("discovery_store",)),
)


def with_option(problem: FieldError, arguments: Mapping[str, Any]) -> FieldError:
    """A problem that names the options from which its field comes, if the user has given any of them.

    arguments: as the user has given them; what is decided for others is none of theirs.
    """
    names = next((names for path, names in _ORIGINS if re.match(rf"{path}\b", problem.path)), ())
    given = [name for name in names if arguments.get(name) and arguments[name] != OPTIONS[name].default]
    return dataclasses.replace(problem, where=", ".join(given)) if given and not problem.where else problem
