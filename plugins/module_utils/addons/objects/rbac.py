# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles and their bindings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

from .core import Labels, kubernetes_object

_RBAC_GROUP = "rbac.authorization.k8s.io"
_RBAC = f"{_RBAC_GROUP}/v1"
Subjects = Union[dict[str, str], Sequence[dict[str, str]]]


def rule(
    group: str | Sequence[str],
    resources: str | Sequence[str],
    verbs: str | Sequence[str],
    names: str | Sequence[str] = (),
) -> dict[str, Any]:
    """A rule of a role.

    group: of the API, "" being the core. names: of the only objects that it is about. resources, verbs, names: a text
    of several, with spaces between them, or a sequence.
    """
    groups = [group] if isinstance(group, str) else list(group)
    named = {"resourceNames": _words(names)} if names else {}
    return {"apiGroups": groups, **named, "resources": _words(resources), "verbs": _words(verbs)}


def url_rule(paths: str, verbs: str) -> dict[str, Any]:
    """A rule about paths of the API server that are no resources, with spaces between them."""
    return {"nonResourceURLs": _words(paths), "verbs": _words(verbs)}


def _words(names: str | Sequence[str]) -> list[str]:
    return names.split() if isinstance(names, str) else list(names)


def cluster_role(
    name: str, labels: Labels | None, rules: Sequence[dict[str, Any]], annotations: Labels | None = None
) -> dict[str, Any]:
    """A ClusterRole."""
    return kubernetes_object(_RBAC, "ClusterRole", name, labels=labels, annotations=annotations, rules=list(rules))


def role(
    name: str,
    namespace: str,
    labels: Labels | None,
    rules: Sequence[dict[str, Any]],
    annotations: Labels | None = None,
) -> dict[str, Any]:
    """A Role."""
    return kubernetes_object(
        _RBAC, "Role", name, namespace=namespace, labels=labels, annotations=annotations, rules=list(rules)
    )


def cluster_role_binding(name: str, role: str, subject: Subjects, labels: Labels | None = None) -> dict[str, Any]:
    """A ClusterRoleBinding of a subject, or of several."""
    reference, subjects = _reference("ClusterRole", role), _subjects(subject)
    return kubernetes_object(_RBAC, "ClusterRoleBinding", name, labels=labels, roleRef=reference, subjects=subjects)


def role_binding(
    name: str,
    namespace: str,
    role: str,
    subject: Subjects,
    labels: Labels | None = None,
    kind: str = "Role",
) -> dict[str, Any]:
    """A RoleBinding of a subject, or of several, to a Role of the same namespace, or to a ClusterRole."""
    reference = _reference(kind, role)
    return kubernetes_object(
        _RBAC, "RoleBinding", name, namespace=namespace, labels=labels, roleRef=reference, subjects=_subjects(subject)
    )


def _subjects(subject: Subjects) -> list[dict[str, str]]:
    return [subject] if isinstance(subject, dict) else list(subject)


def _reference(kind: str, name: str) -> dict[str, str]:
    return {"apiGroup": _RBAC_GROUP, "kind": kind, "name": name}


def account_subject(name: str, namespace: str) -> dict[str, str]:
    """A service account as the subject of a binding."""
    return {"kind": "ServiceAccount", "name": name, "namespace": namespace}


def user_subject(name: str) -> dict[str, str]:
    """A user as the subject of a binding."""
    return {"apiGroup": _RBAC_GROUP, "kind": "User", "name": name}
