# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_api_export: a stored cluster as objects of Cluster API, in a file. The cloud and the store are only read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from ...api import manifest
from ...base.errors import KopsError
from ...engine.planner import make_plan
from ...engine.targets.files import read_file, write_files
from ...model.cluster_api.export import EXTERNAL, Exported, Options, Source, export
from ...model.cluster_api.losses import Loss
from ...statestore.store import ClusterStore
from ..clouds import infrastructure_of
from ..kubeconfig.export import api_server_url
from ..update.cluster import UpdateOptions
from ..update.desired import Desired, desired_state


@dataclass(frozen=True)
class ExportOptions:
    """What to write where.

    path: the file. objects: how the cluster is said. api_server: the address of its API, if not the usual one.
    """

    state_store: str
    name: str
    path: str
    objects: Options
    api_server: str = ""


@dataclass(frozen=True)
class ExportResult:
    """What was written, or would be. before, after: the file. objects: kind and name of each."""

    changed: bool
    path: str
    objects: list[str]
    losses: list[Loss]
    before: str = ""
    after: str = ""
    warnings: list[str] = field(default_factory=list)


def export_cluster(options: ExportOptions, *, check: bool = False) -> ExportResult:
    """Write the objects of a cluster.

    Raises KopsError for a cloud without a provider here and for a cluster that is not there yet, ValidationError with
    all problems of the specification.
    """
    store = ClusterStore.open(options.state_store, options.name)
    cluster, groups = store.read()
    infrastructure = infrastructure_of(cluster)
    is_external = options.objects.control_plane == EXTERNAL
    if is_external and not store.was_updated(store.tree()):
        raise KopsError(
            f"cluster {options.name} was never updated, so it has no control plane that machines could join: run"
            " update_cluster first, or export with control_plane=kubeadm"
        )
    warnings: list[str] = []
    desired = desired_state(UpdateOptions(options.state_store, options.name), store=store)
    source = Source(cluster, groups, desired.cluster, desired.groups)
    if is_external:
        server = api_server_url(cluster, api_server=options.api_server, lifetime=None, warnings=warnings)
        source = _joined(desired, source, urlsplit(server).hostname or "", warnings)
    exported = export(source, infrastructure, options.objects)
    return _written(options, exported, [*store.warnings, *warnings], check=check)


def _joined(desired: Desired, source: Source, host: str, warnings: list[str]) -> Source:
    """With what machines need to be nodes of the cluster that is there. User data names what only the cloud knows."""
    provider = desired.provider
    plan = make_plan(
        desired.tasks, desired.cloud, for_apply=False, explain=provider.explain, is_denied=provider.is_denied
    )
    if plan.active():
        warnings.append("the cluster is not as its specification says; machines would be as after update_cluster")
    return replace(source, host=host, tasks=desired.tasks)


def _written(options: ExportOptions, exported: Exported, warnings: Sequence[str], *, check: bool) -> ExportResult:
    path = os.path.expanduser(options.path)
    if os.path.isdir(path):
        raise KopsError(
            f"{options.path} is a directory; name a file in it, such as {options.path.rstrip('/')}/cluster-api.yaml"
        )
    text = manifest.SEPARATOR.join(manifest.dump_plain(each) for each in exported.objects)
    before = (read_file(path) or b"").decode("utf-8", "replace")
    changed = before != text
    if changed and not check:
        directory, name = os.path.split(path)
        write_files({name: text.encode()}, directory or ".")
    return ExportResult(
        changed,
        options.path,
        [f"{each['kind']} {each['metadata']['name']}" for each in exported.objects],
        exported.losses,
        before,
        text,
        list(warnings),
    )
