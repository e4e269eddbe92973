# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The storage classes of persistent disks (storage-gce.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import GCE
from ..conditions import storage_classes_on
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.storage import storage_class
from .pd_csi_driver.addon import has_driver


def _build(context: AddonContext) -> list[dict[str, Any]]:
    labels = {"kubernetes.io/cluster-service": "true", "addonmanager.kubernetes.io/mode": "EnsureExists"}
    # Beside the driver, one of its classes is the default.
    default = None if has_driver(context) else True
    provisioner, disks = "kubernetes.io/gce-pd", {"type": "pd-standard"}
    return [storage_class("standard", provisioner, default=default, parameters=disks, labels=labels)]


ADDON = AddonDefinition(name="storage-gce.addons.k8s.io", condition=storage_classes_on(GCE), build=_build, id="v1.7.0")
