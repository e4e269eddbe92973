# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The storage classes of Azure disks (storage-azure.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import AZURE
from ..conditions import storage_classes_on
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.storage import storage_class
from .disk_csi_driver.names import DRIVER


def _build(context: AddonContext) -> list[dict[str, Any]]:
    return [
        storage_class(
            "managed-csi",
            DRIVER,
            default=True,
            parameters={"skuName": "StandardSSD_LRS"},
            volumeBindingMode="WaitForFirstConsumer",
            allowVolumeExpansion=True,
            reclaimPolicy="Delete",
        )
    ]


ADDON = AddonDefinition(
    name="storage-azure.addons.k8s.io",
    condition=storage_classes_on(AZURE),
    build=_build,
    id="k8s-1.31",
    pruned=True,
)
