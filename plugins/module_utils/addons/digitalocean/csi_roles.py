# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the driver of DigitalOcean volumes may do in Kubernetes."""

from __future__ import annotations

from typing import Any

from ..objects.core import service_account
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule

NAMESPACE = "kube-system"
CONTROLLER_ACCOUNT, NODE_ACCOUNT, SNAPSHOT_ACCOUNT = "csi-do-controller-sa", "csi-do-node-sa", "snapshot-controller"
_READ = "get list watch"
_STORAGE, _SNAPSHOTS = "storage.k8s.io", "snapshot.storage.k8s.io"
_EVENTS = rule("", "events", "list watch create update patch")
_NODES, _CSI_NODES = rule("", "nodes", _READ), rule(_STORAGE, "csinodes", _READ)
_SNAPSHOT_CLASSES = rule(_SNAPSHOTS, "volumesnapshotclasses", _READ)
# Role and binding, without their ends -> rules.
_ROLES = {
    "csi-do-provisioner": (
        rule("", "persistentvolumes", "get list watch create delete"),
        rule("", "persistentvolumeclaims", "get list watch update"),
        rule(_STORAGE, "storageclasses", _READ),
        _EVENTS,
        rule(_SNAPSHOTS, "volumesnapshots", "get list"),
        rule(_SNAPSHOTS, "volumesnapshotcontents", "get list"),
        _CSI_NODES,
        _NODES,
        rule(_STORAGE, "volumeattachments", _READ),
    ),
    "csi-do-attacher": (
        rule("", "persistentvolumes", "get list watch update patch"),
        _NODES,
        _CSI_NODES,
        rule(_STORAGE, "volumeattachments", "get list watch update patch"),
        rule(_STORAGE, "volumeattachments/status", "patch"),
    ),
    "csi-do-snapshotter": (
        _EVENTS,
        _SNAPSHOT_CLASSES,
        rule(_SNAPSHOTS, "volumesnapshotcontents", "get list watch update patch"),
        rule(_SNAPSHOTS, "volumesnapshotcontents/status", "update patch"),
    ),
    "csi-do-resizer": (
        rule("", "persistentvolumes", "get list watch update patch"),
        rule("", "persistentvolumeclaims", _READ),
        rule("", "persistentvolumeclaims/status", "update patch"),
        _EVENTS,
    ),
    "csi-do-node-driver-registrar": (rule("", "events", "get list watch create update patch"),),
    "snapshot-controller": (
        rule("", "persistentvolumes", _READ),
        rule("", "persistentvolumeclaims", "get list watch update"),
        _EVENTS,
        _SNAPSHOT_CLASSES,
        rule(_SNAPSHOTS, "volumesnapshotcontents", "create get list watch update delete patch"),
        rule(_SNAPSHOTS, "volumesnapshotcontents/status", "patch"),
        rule(_SNAPSHOTS, "volumesnapshots", "get list watch update patch"),
        rule(_SNAPSHOTS, "volumesnapshots/status", "update patch"),
    ),
}
# Whose roles are not the controller's.
_ACCOUNTS = {"csi-do-node-driver-registrar": NODE_ACCOUNT, "snapshot-controller": SNAPSHOT_ACCOUNT}


def access() -> list[dict[str, Any]]:
    """The service accounts of its pods, with roles."""
    accounts = (CONTROLLER_ACCOUNT, NODE_ACCOUNT, SNAPSHOT_ACCOUNT)
    made = [service_account(account, NAMESPACE) for account in accounts]
    for name, rules in _ROLES.items():
        role, subject = f"{name}-role", account_subject(_ACCOUNTS.get(name, CONTROLLER_ACCOUNT), NAMESPACE)
        made += [cluster_role(role, None, rules), cluster_role_binding(f"{name}-binding", role, subject)]
    return made
