# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The storage classes of the driver of persistent disks, and its CSIDriver."""

from __future__ import annotations

from typing import Any, Optional

from ....api.components import PDCSIDriver
from ...context import AddonContext
from ...objects.storage import csi_driver, storage_class

DRIVER = "pd.csi.storage.gke.io"
_BALANCED = {
    "type": "hyperdisk-balanced",
    "provisioned-throughput-on-create": "250Mi",
    "provisioned-iops-on-create": "5000",
}


def storage_classes(driver: PDCSIDriver) -> list[dict[str, Any]]:
    """The classes; spec.cloudProvider.gce.pdCSIDriver.defaultStorageClassName can name two of them."""
    return [
        _class("standard-csi", {"type": "pd-standard"}, default=False),
        _class("balanced-csi", {"type": "pd-balanced"}, _is_default("balanced-csi", driver), reclaimPolicy="Delete"),
        _class("balanced-storage", _BALANCED, _is_default("balanced-storage", driver), reclaimPolicy="Delete"),
        _class("ssd-csi", {"type": "pd-ssd"}, reclaimPolicy="Delete"),
    ]


def _is_default(name: str, driver: PDCSIDriver) -> Optional[bool]:
    """True, or None for no annotation."""
    return True if driver.default_storage_class_name == name else None


def _class(name: str, parameters: dict[str, str], default: Optional[bool] = None, **more: Any) -> dict[str, Any]:
    return storage_class(
        name,
        DRIVER,
        default=default,
        parameters=parameters,
        labels={"kubernetes.io/cluster-service": "true"},
        volumeBindingMode="WaitForFirstConsumer",
        allowVolumeExpansion=True,
        **more,
    )


def driver_object(context: AddonContext) -> dict[str, Any]:
    """The CSIDriver."""
    selinux: dict[str, Any] = {"seLinuxMount": True} if "SELinuxMount" in context.features else {}
    return csi_driver(DRIVER, attachRequired=True, podInfoOnMount=False, **selinux)
