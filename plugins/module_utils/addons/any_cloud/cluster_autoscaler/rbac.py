# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the cluster autoscaler may do in the cluster."""

from __future__ import annotations

from typing import Any

from ...objects.rbac import account_subject, cluster_role, cluster_role_binding, role, role_binding, rule
from .names import LABELS, NAME, NAMESPACE

_READ = "watch list get"
_LEASES = "coordination.k8s.io", "leases"
_IN_CLUSTER = (
    rule("", "events endpoints", "create patch"),
    rule("", "pods/eviction", "create"),
    rule("", "pods/status", "update"),
    rule("", "endpoints", "get update", NAME),
    rule("", "nodes", f"{_READ} update"),
    rule("resource.k8s.io", "resourceslices deviceclasses resourceclaims", _READ),
    rule("", "namespaces pods services replicationcontrollers persistentvolumeclaims persistentvolumes", _READ),
    rule("batch", "jobs cronjobs", _READ),
    rule(("batch", "extensions"), "jobs", "get list patch watch"),
    rule("extensions", "replicasets daemonsets", _READ),
    rule("policy", "poddisruptionbudgets", "watch list"),
    rule("apps", "daemonsets replicasets statefulsets", _READ),
    rule("storage.k8s.io", "storageclasses csinodes csidrivers csistoragecapacities volumeattachments", _READ),
    rule("", "configmaps", "list watch get"),
    rule(*_LEASES, "create"),
    rule(*_LEASES, "get update", NAME),
)
_IN_NAMESPACE = (
    rule("", "configmaps", "create"),
    rule("", "configmaps", "delete get update", "cluster-autoscaler-status"),
)


def permissions() -> list[dict[str, Any]]:
    """The roles and their bindings."""
    account = account_subject(NAME, NAMESPACE)
    return [
        cluster_role(NAME, LABELS, _IN_CLUSTER),
        cluster_role_binding(NAME, NAME, account, LABELS),
        role(NAME, NAMESPACE, LABELS, _IN_NAMESPACE),
        role_binding(NAME, NAMESPACE, NAME, account, LABELS),
    ]
