# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Version of Kubernetes for workers in a cloud: never newer than the API servers that run now.

What workers start with is decided when their launch templates are written; so an instance that joins in the middle of
an upgrade has the right version, too. The rules are those of version_skew.py. The API is only asked while a version is
pending: the completed specification in the store says which one workers have, if it is another than the cluster's.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...api.cluster import Cluster
from ...base.errors import ValidationError
from ...kubernetes.running_versions import RunningVersions
from ...model.config import WORKERS_VERSION
from .skew import parsed, skew_of, skew_problems


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
        f"workers keep Kubernetes {oldest[1]}, because {reason}. When all API servers run {wanted}, another update"
        " gives it to workers; kubeops.kops.reconcile does all of this",
    )
