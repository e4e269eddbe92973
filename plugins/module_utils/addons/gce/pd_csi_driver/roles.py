# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the driver of persistent disks may do in Kubernetes."""

from __future__ import annotations

from typing import Any

from ...objects.core import service_account
from ...objects.rbac import account_subject, cluster_role, cluster_role_binding, role, role_binding, rule

NAMESPACE = "gce-pd-csi-driver"
CONTROLLER_ACCOUNT, NODE_ACCOUNT = "csi-gce-pd-controller-sa", "csi-gce-pd-node-sa"
_LABELS = {"k8s-app": "gcp-compute-persistent-disk-csi-driver"}
_ELECTION = "csi-gce-pd-leaderelection-role"
_STORAGE, _SNAPSHOTS = "storage.k8s.io", "snapshot.storage.k8s.io"
_READ = "get list watch"
_NODES, _CSI_NODES = rule("", "nodes", _READ), rule(_STORAGE, "csinodes", _READ)
_EVENTS = rule("", "events", "list watch create update patch")

_ROLES = {
    "attacher": (
        rule("", "persistentvolumes", "get list watch update patch"),
        _NODES,
        _CSI_NODES,
        rule(_STORAGE, "volumeattachments", "get list watch update patch"),
        rule(_STORAGE, "volumeattachments/status", "patch"),
    ),
    "provisioner": (
        rule("", "persistentvolumes", "get list watch create delete"),
        rule("", "persistentvolumeclaims", "get list watch update"),
        rule(_STORAGE, "storageclasses", _READ),
        _EVENTS,
        _CSI_NODES,
        _NODES,
        rule(_SNAPSHOTS, "volumesnapshots", "get list"),
        rule(_SNAPSHOTS, "volumesnapshotcontents", "get list"),
        rule(_STORAGE, "volumeattachments", _READ),
    ),
    "resizer": (
        rule("", "persistentvolumes", "get list watch update patch"),
        rule("", "persistentvolumeclaims", _READ),
        rule("", "persistentvolumeclaims/status", "update patch"),
        _EVENTS,
        rule("", "pods", _READ),
    ),
    "snapshotter": (
        _EVENTS,
        rule(_SNAPSHOTS, "volumesnapshotclasses", _READ),
        rule(_SNAPSHOTS, "volumesnapshotcontents", "create get list watch update delete patch"),
        rule(_SNAPSHOTS, "volumesnapshotcontents/status", "update patch"),
    ),
}
# Upstream binds two roles that kops does not install: they are for clusters with pod security policies.
_BINDINGS = {
    "csi-gce-pd-controller": "csi-gce-pd-node-deploy",
    "csi-gce-pd-controller-attacher-binding": "csi-gce-pd-attacher-role",
    "csi-gce-pd-controller-deploy": "csi-gce-pd-controller-deploy",
    "csi-gce-pd-controller-provisioner-binding": "csi-gce-pd-provisioner-role",
    "csi-gce-pd-controller-snapshotter-binding": "csi-gce-pd-snapshotter-role",
    "csi-gce-pd-resizer-binding": "csi-gce-pd-resizer-role",
}


def access() -> list[dict[str, Any]]:
    """The service accounts of its pods, with roles."""
    controller, node = (account_subject(name, NAMESPACE) for name in (CONTROLLER_ACCOUNT, NODE_ACCOUNT))
    lease = rule("coordination.k8s.io", "leases", "get watch list delete update create")
    election = "csi-gce-pd-controller-leaderelection-binding"
    return [
        service_account(CONTROLLER_ACCOUNT, NAMESPACE),
        service_account(NODE_ACCOUNT, NAMESPACE),
        role(_ELECTION, NAMESPACE, _LABELS, [lease]),
        *(cluster_role(f"csi-gce-pd-{name}-role", None, rules) for name, rules in _ROLES.items()),
        role_binding(election, NAMESPACE, _ELECTION, controller, _LABELS),
        *(cluster_role_binding(name, role_name, controller) for name, role_name in _BINDINGS.items()),
        cluster_role_binding("csi-gce-pd-node", "csi-gce-pd-node-deploy", node),
    ]
