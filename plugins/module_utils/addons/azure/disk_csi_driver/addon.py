# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver of Azure disks (azuredisk-csi-driver.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ....api.clouds import AZURE
from ...conditions import on_cloud
from ...context import AddonContext
from ...definition import AddonDefinition
from ...objects.storage import csi_driver
from .controller import controller
from .names import DRIVER, SNAPSHOTTER_VERSION, VERSION
from .node import node
from .roles import access


def _build(context: AddonContext) -> list[dict[str, Any]]:
    driver = csi_driver(DRIVER, attachRequired=True, fsGroupPolicy="File", podInfoOnMount=False)
    driver["metadata"]["annotations"] = {"csiDriver": f"v{VERSION}", "snapshot": SNAPSHOTTER_VERSION}
    return [*access(), controller(), node(), driver]


ADDON = AddonDefinition(
    name="azuredisk-csi-driver.addons.k8s.io",
    condition=on_cloud(AZURE),
    build=_build,
    id="k8s-1.31",
    pruned=True,
)
