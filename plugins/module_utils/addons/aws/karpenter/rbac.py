# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Karpenter may do in the cluster, and what administrators may do with its objects."""

from __future__ import annotations

from typing import Any

from ...objects.core import service_account
from ...objects.rbac import account_subject, cluster_role, cluster_role_binding, role, role_binding, rule
from .parts import AWS, CORE, LABELS, NAME, NAMESPACE

_READ = "get list watch"
_LEASES = "coordination.k8s.io"
_CLAIMS = "nodeclaims nodeclaims/status"
_POOLS = "nodepools nodepools/status"

_LEADER_ELECTION = (
    rule(_LEASES, "leases", "get watch"),
    rule(_LEASES, "leases", "patch update", "karpenter-leader-election"),
    rule(_LEASES, "leases", "create"),
)
_DNS = (rule("", "services", "get", "kube-dns"),)
_CLASSES = (
    rule(AWS, "ec2nodeclasses", _READ),
    rule(AWS, "ec2nodeclasses ec2nodeclasses/status", "patch update"),
)
_ADMIN = (
    rule(CORE, f"{_POOLS} {_CLAIMS}", f"{_READ} create delete patch"),
    rule(AWS, "ec2nodeclasses", f"{_READ} create delete patch"),
)
_NODES_AND_PODS = (
    rule(CORE, f"{_POOLS} {_CLAIMS} nodeoverlays nodeoverlays/status", _READ),
    rule("", "pods nodes persistentvolumes persistentvolumeclaims replicationcontrollers namespaces", _READ),
    rule("storage.k8s.io", "storageclasses csinodes volumeattachments", "get watch list"),
    rule("apps", "daemonsets deployments replicasets statefulsets", "list watch"),
    rule("policy", "poddisruptionbudgets", _READ),
    rule("", "events", _READ),
    rule(CORE, _CLAIMS, "create delete update patch"),
    rule(CORE, f"{_POOLS} nodeoverlays/status", "update patch"),
    rule("", "events", "create patch"),
    rule("", "nodes", "patch delete update"),
    rule("", "pods/eviction", "create"),
    rule("", "pods", "delete"),
)


def account_and_roles() -> list[dict[str, Any]]:
    """Its service account, with its roles and their bindings; and a role for administrators."""
    account, dns, core = account_subject(NAME, NAMESPACE), f"{NAME}-dns", f"{NAME}-core"
    admin = {**LABELS, "rbac.authorization.k8s.io/aggregate-to-admin": "true"}
    return [
        service_account(NAME, NAMESPACE, LABELS, automountServiceAccountToken=False),
        role(NAME, NAMESPACE, LABELS, _LEADER_ELECTION),
        role(dns, NAMESPACE, LABELS, _DNS),
        cluster_role(NAME, LABELS, _CLASSES),
        cluster_role(f"{NAME}-admin", admin, _ADMIN),
        cluster_role(core, LABELS, _NODES_AND_PODS),
        role_binding(NAME, NAMESPACE, NAME, account, LABELS),
        role_binding(dns, NAMESPACE, dns, account, LABELS),
        cluster_role_binding(NAME, NAME, account, LABELS),
        cluster_role_binding(core, core, account, LABELS),
    ]
