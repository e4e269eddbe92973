# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects are deleted when they leave their addon: their labels and kinds (pruning.go of kops)."""

from __future__ import annotations

from ..client import Object

# On every object of an addon: the addon's name, and that kops manages it.
NAME_LABEL, MANAGER_LABEL = "addon.kops.k8s.io/name", "app.kubernetes.io/managed-by"
# Group and kind. Their deletion would delete objects of other owners.
KEPT_KINDS = (("", "Namespace"), ("apiextensions.k8s.io", "CustomResourceDefinition"))
# On the objects of an addon of a channel, which keep the labels of their publisher: the addon's name.
ADDON_ANNOTATION = "kubeops.kops/addon"
# Objects of these kinds are pruned when they are no longer part of their addon.
PRUNED_KINDS = (
    ("v1", "ConfigMap"),
    ("v1", "Service"),
    ("v1", "ServiceAccount"),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
    ("apps/v1", "DaemonSet"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("policy/v1", "PodDisruptionBudget"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
    ("rbac.authorization.k8s.io/v1", "Role"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"),
)


def is_of_addon(obj: Object) -> bool:
    """Whether an object is of an addon that this collection makes, not of the user or of a channel."""
    return NAME_LABEL in (obj["metadata"].get("labels") or {})
