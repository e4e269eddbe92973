# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver of persistent disks (gcp-pd-csi-driver.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ....api.clouds import GCE
from ....api.components import PDCSIDriver
from ...conditions import is_enabled, manages_storage_classes
from ...context import AddonContext
from ...definition import AddonDefinition
from ...objects.core import kubernetes_object
from .pods import CONTROLLER, NODE, controller, node
from .roles import NAMESPACE, access
from .storage import driver_object, storage_classes


def has_driver(context: AddonContext) -> bool:
    """Whether the cluster has the driver."""
    return context.cloud is GCE and is_enabled(_driver(context))


def _driver(context: AddonContext) -> PDCSIDriver | None:
    gce = context.cluster.spec.cloud_provider.gce
    return None if gce is None else gce.pd_csi_driver


def _build(context: AddonContext) -> list[dict[str, Any]]:
    driver = _driver(context) or PDCSIDriver()
    return [
        *(storage_classes(driver) if manages_storage_classes(context) else ()),
        kubernetes_object("v1", "Namespace", NAMESPACE),
        *access(),
        _priority(CONTROLLER, 900000000, "controller"),
        _priority(NODE, 900001000, "node"),
        controller(context, driver),
        node(context, driver),
        driver_object(context),
    ]


def _priority(name: str, value: int, pods: str) -> dict[str, Any]:
    text = f"This priority class should be used for the GCE PD CSI driver {pods} deployment only."
    return kubernetes_object(
        "scheduling.k8s.io/v1", "PriorityClass", name, description=text, globalDefault=False, value=value
    )


ADDON = AddonDefinition(name="gcp-pd-csi-driver.addons.k8s.io", condition=has_driver, build=_build, id="k8s-1.23")
