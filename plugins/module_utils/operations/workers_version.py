# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which version of Kubernetes workers of a cloud are to have: never a newer one than the API servers that run now.

What workers start with is decided when their launch templates are written; so an instance that joins in the middle of an
upgrade has the right version, too. The rules are those of version_skew.py. The API is only asked while a version is
pending: the completed specification in the store says which one workers have, if it is another than the cluster's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..api.cluster import Cluster
from ..base.errors import KopsError, ValidationError
from ..kubernetes.connection import RetryPolicy
from ..kubernetes.validation.cluster import CONTROL_PLANE_LABEL
from ..model.config import WORKERS_VERSION
from .validation import CloudExpectation, CloudValidator
from .version_skew import parsed, skew_of, skew_problems

_SECONDS = 20
_ROLES = ("ControlPlane", "APIServer")
_LABELS = {CONTROL_PLANE_LABEL, "node-role.kubernetes.io/api-server"}


@dataclass(frozen=True)
class RunningVersions:
    """What runs in a cluster. servers: node -> version of its API server; kubelets: the same of all other nodes.

    unknown: why the versions of some, or of all, are not known; "" if they are.
    """

    servers: Mapping[str, str] = field(default_factory=dict)
    kubelets: Mapping[str, str] = field(default_factory=dict)
    unknown: str = ""


@dataclass(frozen=True)
class WorkersVersion:
    """version: of workers; "" is the cluster's own. warning: why it is an older one; "" if it is not."""

    version: str = ""
    warning: str = ""


def given_to_workers(before: Cluster) -> str:
    """The version that workers got with the last update. before: the completed cluster that it has written."""
    return before.metadata.annotations.get(WORKERS_VERSION) or before.spec.kubernetes_version or ""


def is_pending(wanted: str, before: Cluster | None) -> bool:
    """Whether workers do not have the wanted version yet. before: as above; None if no update has been made."""
    return before is not None and given_to_workers(before) != wanted


def workers_version(wanted: str, before: Cluster, running: RunningVersions) -> WorkersVersion:
    """The version for workers of a cluster with a pending one. Raises ValidationError if it must not get that."""
    given = given_to_workers(before)
    problems = list(skew_problems(wanted, running.servers, running.kubelets))
    if problems:
        raise ValidationError(problems, f"cluster {before.metadata.name}")
    skew = skew_of(wanted, running.servers)
    if not skew.running and not running.unknown:
        return WorkersVersion()
    versions = [(version, text) for text in (given, skew.running) if (version := parsed(text)) is not None]
    oldest = min(versions, default=None)
    target = parsed(wanted)
    if oldest is None or target is None or oldest[0] >= target:
        return WorkersVersion()
    reason = running.unknown or f"API servers still run {skew.running} ({', '.join(skew.outdated)})"
    return WorkersVersion(
        oldest[1],
        f"workers keep Kubernetes {oldest[1]}, because {reason}. When all API servers run {wanted}, another update gives"
        " it to workers; kubeops.kops.reconcile does all of this",
    )


def running_versions(state_store: str, name: str, api_server: str = "") -> RunningVersions:
    """Ask the API of a cluster. What cannot be known is not guessed. Nothing is written."""
    try:
        validator = CloudValidator.open(CloudExpectation(state_store, name, api_server=api_server))
        client = validator.client(RetryPolicy(deadline=_SECONDS))
        nodes = {node["metadata"]["name"]: node for node in client.list(client.kind("v1", "Node").path())}
        instances = validator.instances()
    except KopsError as error:
        return RunningVersions(unknown=f"it is not known what the API servers run: {error}")
    roles = {group.name: group.role for group in validator.groups}
    machines = [each for group, found in instances.items() if roles.get(group) in _ROLES for each in found.instances]
    names = {name for each in machines for name in (each.name, each.by_address)}
    servers, kubelets = {}, {}
    for name, node in nodes.items():
        # The label comes a moment after the node.
        serves = name in names or _LABELS & {*(node["metadata"].get("labels") or {})}
        info = (node.get("status") or {}).get("nodeInfo") or {}
        (servers if serves else kubelets)[name] = str(info.get("kubeletVersion", "")).removeprefix("v")
    strangers = [each.name for each in machines if not {each.name, each.by_address} & nodes.keys()]
    return RunningVersions(
        servers,
        kubelets,
        f"it is not known what these instances run, which are no nodes: {', '.join(strangers)}" if strangers else "",
    )
