# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the cloud controller managers of several clouds have in common."""

from __future__ import annotations

from ..api.clouds import cloud_of
from ..api.cluster import Cluster
from ..api.flags import options
from ..api.kube_controller_manager import CloudControllerManagerConfig

CONFIG = "/etc/kubernetes/cloud.config"
# The annotation of roles that some upstreams have: the API server may complete them.
COMPLETED_ROLE = {"rbac.authorization.kubernetes.io/autoupdate": "true"}


def manager_of(cluster: Cluster) -> CloudControllerManagerConfig:
    """What the specification says of the cloud controller manager."""
    return cluster.spec.cloud_controller_manager or CloudControllerManagerConfig()


def cloud_controller_arguments(cluster: Cluster) -> list[str]:
    """The options of the specification, then what kops adds for those that it does not name.

    Those of Hetzner, Azure, DigitalOcean and Scaleway are fixed, as kops takes them from upstream.

    Source: CloudControllerConfigArgv in template_functions.go of kops.
    """
    manager, cloud = manager_of(cluster), cloud_of(cluster)
    return [
        *options(manager),
        *([] if manager.log_level else ["--v=2"]),
        *([] if manager.cloud_provider else [f"--cloud-provider={cloud.name}"]),
        *([] if manager.use_service_account_credentials is not None else ["--use-service-account-credentials=true"]),
        f"--cloud-config={CONFIG}",
    ]
