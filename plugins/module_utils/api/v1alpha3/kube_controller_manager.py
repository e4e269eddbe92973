# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: kube controller manager as v1alpha3 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import kube_controller_manager as hub_kube_controller_manager
from ..fields import api_type, without


@without("root_ca_file", "service_account_private_key_file")
@api_type
class KubeControllerManagerConfig(hub_kube_controller_manager.KubeControllerManagerConfig):
    """``Cluster.spec.kubeControllerManager``."""
