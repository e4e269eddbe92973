# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver of persistent disks (gcp-pd-csi-driver.addons.k8s.io of kops)."""

from __future__ import annotations

from ...api.clouds import GCE
from ..conditions import is_enabled
from ..context import AddonContext
from ..definition import AddonDefinition


def _is_enabled(context: AddonContext) -> bool:
    gce = context.cluster.spec.cloud_provider.gce
    return context.cloud is GCE and gce is not None and is_enabled(gce.pd_csi_driver)


ADDON = AddonDefinition(name="gcp-pd-csi-driver.addons.k8s.io", condition=_is_enabled)
