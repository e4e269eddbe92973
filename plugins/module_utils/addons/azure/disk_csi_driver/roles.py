# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the driver of Azure disks may do in Kubernetes."""

from __future__ import annotations

from typing import Any

from ...objects.core import service_account
from ...objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from .names import CONTROLLER_ACCOUNT, LABELS, NAMESPACE, NODE_ACCOUNT

_READ, _CHANGE = "get list watch", "get list watch update patch"
_STORAGE, _SNAPSHOTS = "storage.k8s.io", "snapshot.storage.k8s.io"
_NODES = rule("", "nodes", _READ)
_EVENTS = rule("", "events", "list watch create update patch")
_LEASES = rule("coordination.k8s.io", "leases", "get watch list delete update create patch")
# Role, without its ends -> rules.
_ROLES = {
    "attacher": (
        rule("", "persistentvolumes", "get list watch update"),
        _NODES,
        rule("csi.storage.k8s.io", "csinodeinfos", _READ),
        rule(_STORAGE, "volumeattachments", _CHANGE),
        rule(_STORAGE, "volumeattachments/status", _CHANGE),
        rule(_STORAGE, "volumeattributesclasses", "get"),
        _LEASES,
    ),
    "provisioner": (
        rule("", "persistentvolumes", "get list watch create patch delete"),
        rule("", "persistentvolumeclaims", "get list watch update"),
        rule(_STORAGE, "storageclasses", _READ),
        rule("", "events", "get list watch create update patch"),
        rule(_STORAGE, "csinodes", _READ),
        _NODES,
        rule(_SNAPSHOTS, "volumesnapshots", "get list"),
        rule(_SNAPSHOTS, "volumesnapshotcontents", "get list"),
        _LEASES,
    ),
    "resizer": (
        rule("", "persistentvolumes", _CHANGE),
        rule("", "persistentvolumeclaims", _READ),
        rule("", "persistentvolumeclaims/status", "update patch"),
        _EVENTS,
        _LEASES,
        rule("", "pods", _READ),
        rule(_STORAGE, "volumeattributesclasses", _READ),
    ),
    "snapshotter": (
        _EVENTS,
        rule("", "secrets", "get list"),
        rule(_SNAPSHOTS, "volumesnapshotclasses", _READ),
        rule(_SNAPSHOTS, "volumesnapshotcontents", "create get list watch update delete patch"),
        rule(_SNAPSHOTS, "volumesnapshotcontents/status", "update patch"),
        _LEASES,
    ),
}
_NODE_RULES = (
    rule("", "secrets", "get"),
    rule("", "nodes", "get patch"),
    rule(_STORAGE, "csinodes", "get"),
    rule(_STORAGE, "volumeattachments", _READ),
)


def access() -> list[dict[str, Any]]:
    """The service accounts of its pods, with roles."""
    controller, node = (account_subject(name, NAMESPACE) for name in (CONTROLLER_ACCOUNT, NODE_ACCOUNT))
    secrets, nodes = "csi-azuredisk-controller-secret", "csi-azuredisk-node"
    made = [service_account(name, NAMESPACE, LABELS) for name in (CONTROLLER_ACCOUNT, NODE_ACCOUNT)]
    for name, rules in _ROLES.items():
        role = f"azuredisk-external-{name}-role"
        # As upstream names it.
        ending = "role" if name == "resizer" else "binding"
        made += [
            cluster_role(role, LABELS, rules),
            cluster_role_binding(f"azuredisk-csi-{name}-{ending}", role, controller, LABELS),
        ]
    return [
        *made,
        cluster_role(f"{secrets}-role", None, [rule("", "secrets", "get")]),
        cluster_role_binding(f"{secrets}-binding", f"{secrets}-role", controller),
        cluster_role(f"{nodes}-role", None, _NODE_RULES),
        cluster_role_binding(f"{nodes}-secret-binding", f"{nodes}-role", node),
    ]
