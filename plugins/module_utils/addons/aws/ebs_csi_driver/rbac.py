# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the driver of EBS volumes may do in the cluster."""

from __future__ import annotations

from typing import Any

from ...objects.core import Labels, service_account
from ...objects.rbac import account_subject, cluster_role, cluster_role_binding, role, role_binding, rule
from .parts import CONTROLLER_ACCOUNT, NAMESPACE, NODE_ACCOUNT

_READ = "get list watch"
_STORAGE, _SNAPSHOTS, _GROUP_SNAPSHOTS = "storage.k8s.io", "snapshot.storage.k8s.io", "groupsnapshot.storage.k8s.io"
_EVENTS = rule("", "events", "list watch create update patch")
_LEASES = "ebs-csi-leases"

_ATTACHER = (
    rule("", "persistentvolumes", f"{_READ} patch"),
    rule(_STORAGE, "csinodes", _READ),
    rule(_STORAGE, "volumeattachments", f"{_READ} patch"),
    rule(_STORAGE, "volumeattachments/status", "patch"),
)
_NODE = (
    rule(_STORAGE, "volumeattachments", _READ),
    rule("", "nodes", "get"),
    rule("", "nodes", "patch list watch"),
    rule(_STORAGE, "csinodes", "get"),
)
_PROVISIONER = (
    rule("", "persistentvolumes", f"{_READ} create patch delete"),
    rule("", "persistentvolumeclaims", f"{_READ} update"),
    rule(_STORAGE, "storageclasses", _READ),
    _EVENTS,
    rule(_SNAPSHOTS, "volumesnapshots", f"{_READ} update"),
    rule(_SNAPSHOTS, "volumesnapshotcontents", "get list"),
    rule(_STORAGE, "csinodes", _READ),
    rule("", "nodes", _READ),
    rule(_STORAGE, "volumeattachments", _READ),
    rule(_STORAGE, "volumeattributesclasses", "get"),
)
_RESIZER = (
    rule("", "persistentvolumes", f"{_READ} patch"),
    rule("", "persistentvolumeclaims", _READ),
    rule("", "pods", _READ),
    rule("", "persistentvolumeclaims/status", "patch"),
    _EVENTS,
    rule(_STORAGE, "volumeattributesclasses", _READ),
)
_SNAPSHOTTER = (
    _EVENTS,
    rule(_SNAPSHOTS, "volumesnapshotclasses", _READ),
    rule(_SNAPSHOTS, "volumesnapshotcontents", f"{_READ} update patch"),
    rule(_SNAPSHOTS, "volumesnapshotcontents/status", "update patch"),
    rule(_GROUP_SNAPSHOTS, "volumegroupsnapshotclasses", _READ),
    rule(_GROUP_SNAPSHOTS, "volumegroupsnapshotcontents", f"{_READ} update patch"),
    rule(_GROUP_SNAPSHOTS, "volumegroupsnapshotcontents/status", "update patch"),
)
# Role, its binding, whose it is, and its rules.
_ROLES = (
    ("ebs-external-attacher-role", "ebs-csi-attacher-binding", CONTROLLER_ACCOUNT, _ATTACHER),
    ("ebs-csi-node-role", "ebs-csi-node-getter-binding", NODE_ACCOUNT, _NODE),
    ("ebs-external-provisioner-role", "ebs-csi-provisioner-binding", CONTROLLER_ACCOUNT, _PROVISIONER),
    ("ebs-external-resizer-role", "ebs-csi-resizer-binding", CONTROLLER_ACCOUNT, _RESIZER),
    ("ebs-external-snapshotter-role", "ebs-csi-snapshotter-binding", CONTROLLER_ACCOUNT, _SNAPSHOTTER),
)


def accounts_and_roles(labels: Labels) -> list[dict[str, Any]]:
    """The service accounts of the controller and of the nodes, their roles and bindings."""
    lead = [rule("coordination.k8s.io", "leases", "get watch list delete update create")]
    controller = account_subject(CONTROLLER_ACCOUNT, NAMESPACE)
    return [
        *(
            {**service_account(name, NAMESPACE, labels), "automountServiceAccountToken": True}
            for name in (CONTROLLER_ACCOUNT, NODE_ACCOUNT)
        ),
        *(cluster_role(name, labels, rules) for name, _binding, _account, rules in _ROLES),
        *(
            cluster_role_binding(binding, name, account_subject(account, NAMESPACE), labels)
            for name, binding, account, _rules in _ROLES
        ),
        role(f"{_LEASES}-role", NAMESPACE, labels, lead),
        role_binding(f"{_LEASES}-rolebinding", NAMESPACE, f"{_LEASES}-role", controller, labels),
    ]
