# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Storage classes and the drivers of volumes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

from .core import Labels, kubernetes_object

DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"


def storage_class(
    name: str,
    provisioner: str,
    *,
    default: Optional[bool] = None,
    parameters: Optional[Mapping[str, str]] = None,
    labels: Optional[Labels] = None,
    **more: Any,
) -> dict[str, Any]:
    """A StorageClass. default: what its annotation says; None: it has none. more: such as volumeBindingMode."""
    if parameters:
        more["parameters"] = dict(parameters)
    made = kubernetes_object("storage.k8s.io/v1", "StorageClass", name, labels=labels, provisioner=provisioner, **more)
    if default is not None:
        made["metadata"]["annotations"] = {DEFAULT_CLASS: str(default).lower()}
    return made


def csi_driver(name: str, labels: Optional[Labels] = None, **spec: Any) -> dict[str, Any]:
    """A CSIDriver: what Kubernetes has to know of a driver of volumes."""
    return kubernetes_object("storage.k8s.io/v1", "CSIDriver", name, labels=labels, spec=spec)
