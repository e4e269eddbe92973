# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and labels that the parts of the driver of Azure disks share."""

from __future__ import annotations

VERSION = "1.34.4"
NAMESPACE = "kube-system"
DRIVER = "disk.csi.azure.com"
CONTROLLER_ACCOUNT, NODE_ACCOUNT = "csi-azuredisk-controller-sa", "csi-azuredisk-node-sa"
SNAPSHOTTER_VERSION = "v8.5.0"
_CHART = "azuredisk-csi-driver"
# Those of upstream's chart. kops says that it manages the objects, but not their pods.
LABELS = {
    "app.kubernetes.io/instance": _CHART,
    "app.kubernetes.io/managed-by": "Helm",
    "app.kubernetes.io/name": _CHART,
    "app.kubernetes.io/version": VERSION,
    "helm.sh/chart": f"{_CHART}-{VERSION}",
}
