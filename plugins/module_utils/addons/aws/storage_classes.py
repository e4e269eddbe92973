# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The storage classes of EBS volumes (storage-aws.addons.k8s.io of kops)."""

from __future__ import annotations

from typing import Any

from ...api.clouds import AWS
from ..conditions import storage_classes_on
from ..context import AddonContext
from ..definition import AddonDefinition
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from ..objects.storage import storage_class
from .ebs_csi_driver.parts import DRIVER

# The volumes of Kubernetes itself, which it hands over to the driver today.
_IN_TREE = "kubernetes.io/aws-ebs"
_ROLE = "system:aws-cloud-provider"
_RULES = (rule("", "nodes", "get list patch"), rule("", "events", "create patch update"))


def _build(context: AddonContext) -> list[dict[str, Any]]:
    """Those of older versions of kops stay, because volumes refer to them."""
    late: dict[str, Any] = {"allowVolumeExpansion": True, "volumeBindingMode": "WaitForFirstConsumer"}
    plain, encrypted = {"type": "gp2"}, {"type": "gp2", "encrypted": "true"}
    return [
        storage_class("default", _IN_TREE, parameters=plain),
        storage_class("gp2", _IN_TREE, default=False, parameters=plain),
        storage_class("kops-ssd-1-17", _IN_TREE, default=False, parameters=encrypted, **late),
        storage_class("kops-csi-1-21", DRIVER, default=True, parameters={**encrypted, "type": "gp3"}, **late),
        cluster_role(_ROLE, None, _RULES),
        cluster_role_binding(_ROLE, _ROLE, account_subject("aws-cloud-provider", "kube-system")),
    ]


ADDON = AddonDefinition(
    name="storage-aws.addons.k8s.io",
    condition=storage_classes_on(AWS),
    build=_build,
    id="v1.15.0",
)
