# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud's own section of a new cluster's spec."""

from __future__ import annotations

from ....api.clouds import OPENSTACK
from ....api.components import CloudConfiguration
from ....api.kube_controller_manager import CloudControllerManagerConfig
from ....base import labels
from ..clouds.table import SECTIONS
from ..draft import Draft


def add_cloud_provider(draft: Draft) -> None:
    """Write the cloud's section of spec.cloudProvider, or that there is none, and what else the cloud needs."""
    spec, cloud, options = draft.cluster.spec, draft.cloud, draft.options
    if cloud.attribute:
        setattr(spec.cloud_provider, cloud.attribute, SECTIONS[cloud.name](options))
    else:
        draft.cluster.metadata.labels[labels.CLOUD] = cloud.name
    if cloud.needs_cloud_config:
        # An empty section is written on purpose: it is what makes components get a cloud configuration.
        spec.cloud_config = CloudConfiguration()
    if cloud is OPENSTACK:
        spec.cloud_controller_manager = CloudControllerManagerConfig(cluster_name=options.name)
