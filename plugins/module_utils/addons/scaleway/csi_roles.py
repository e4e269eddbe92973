# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the driver of Scaleway volumes may do in Kubernetes."""

from __future__ import annotations

from typing import Any

from ..objects.core import service_account
from ..objects.rbac import account_subject, cluster_role, cluster_role_binding, rule
from .credentials import NAMESPACE

CONTROLLER, NODE = "scaleway-csi-controller", "scaleway-csi-node"
_READ = "get list watch"
_STORAGE, _SNAPSHOTS = "storage.k8s.io", "snapshot.storage.k8s.io"
_REGISTRAR = "scaleway-csi-node-driver-registrar"
_SECRETS = rule("", "secrets", "get list")
_CLAIMS = rule("", "persistentvolumeclaims", "get list watch update")
_STORAGE_CLASSES = rule(_STORAGE, "storageclasses", _READ)
_EVENTS = rule("", "events", "list watch create update patch")
_NODES, _CSI_NODES = rule("", "nodes", _READ), rule(_STORAGE, "csinodes", _READ)
_LEASES = rule("coordination.k8s.io", "leases", "get watch list delete update create")
_ROLES = {
    "scaleway-csi-provisioner": (
        _SECRETS,
        rule("", "persistentvolumes", "get list watch create delete"),
        _CLAIMS,
        _STORAGE_CLASSES,
        _CSI_NODES,
        _EVENTS,
        rule(_SNAPSHOTS, "volumesnapshots", "get list"),
        rule(_SNAPSHOTS, "volumesnapshotcontents", "get list"),
        _NODES,
        _LEASES,
    ),
    "scaleway-csi-attacher": (
        rule("", "persistentvolumes", "get list watch update patch"),
        _NODES,
        _CSI_NODES,
        rule(_STORAGE, "volumeattachments", "get list watch update patch"),
        rule(_STORAGE, "volumeattachments/status", "patch"),
    ),
    "scaleway-csi-snapshotter": (
        rule("", "persistentvolumes", _READ),
        _CLAIMS,
        _STORAGE_CLASSES,
        _EVENTS,
        _SECRETS,
        rule(_SNAPSHOTS, "volumesnapshotclasses", _READ),
        rule(_SNAPSHOTS, "volumesnapshotcontents", "create get list watch update delete"),
        rule(_SNAPSHOTS, "volumesnapshots", "get list watch update"),
        rule(_SNAPSHOTS, "volumesnapshots/status", "update"),
        rule(_SNAPSHOTS, "volumesnapshotcontents/status", "update"),
        rule("apiextensions.k8s.io", "customresourcedefinitions", "create list watch delete get update"),
        _LEASES,
    ),
    "external-resizer": (
        rule("", "persistentvolumes", "get list watch patch"),
        rule("", "persistentvolumeclaims", _READ),
        rule("", "pods", _READ),
        rule("", "persistentvolumeclaims/status", "patch"),
        _EVENTS,
    ),
}
# The bindings that do not have the name of their role.
_BINDINGS = {"scaleway-csi-provisioner": CONTROLLER, "external-resizer": "csi-resizer-role"}


def access() -> list[dict[str, Any]]:
    """The service accounts of its pods, with roles."""
    controller, node = (account_subject(name, NAMESPACE) for name in (CONTROLLER, NODE))
    registrar = cluster_role(_REGISTRAR, None, [rule("", "events", "get list watch create update patch")])
    # It belongs to no namespace; the API server passes over what upstream says.
    registrar["metadata"]["namespace"] = NAMESPACE
    made = [
        service_account(CONTROLLER, NAMESPACE),
        service_account(NODE, NAMESPACE),
        registrar,
        cluster_role_binding(_REGISTRAR, _REGISTRAR, node),
    ]
    for name, rules in _ROLES.items():
        made += [cluster_role(name, None, rules), cluster_role_binding(_BINDINGS.get(name, name), name, controller)]
    return made
