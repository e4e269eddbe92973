# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the state store keeps of an update itself (pkg/model/config.go of kops)."""

from __future__ import annotations

from dataclasses import replace

from ..api import manifest
from ..api.cluster import Cluster
from ..cloud.tasks.managed_file import ManagedFile
from ..cloud.tasks.secret import Secret
from .context import ModelContext

KOPS_VERSION = "kops-version.txt"
COMPLETED_CLUSTER = "cluster-completed.spec"
# An annotation of the completed specification: the version that workers keep while control planes are older than they
# should be.
WORKERS_VERSION = "kubeops.kops/workers-kubernetes-version"


def build(context: ModelContext) -> None:
    """The version that wrote the cluster, and the completed specification."""
    # These files say that the cluster may run; from then on no secret of it is generated any more.
    secrets = [task for task in context.tasks.values() if isinstance(task, Secret)]
    for name, contents in (
        (KOPS_VERSION, context.kops_version),
        (COMPLETED_CLUSTER, manifest.dump(_as_stored(context))),
    ):
        file = ManagedFile(name, context.layers.cluster, base=context.store_base, location=name, contents=contents)
        file.after = [*secrets]
        context.add(file)


def _as_stored(context: ModelContext) -> Cluster:
    cluster, held = context.cluster, context.workers
    if held is not None:
        annotations = {**cluster.metadata.annotations, WORKERS_VERSION: str(held.cluster.spec.kubernetes_version)}
        cluster = replace(cluster, metadata=replace(cluster.metadata, annotations=annotations))
    return without_written_elsewhere(cluster)


def without_written_elsewhere(cluster: Cluster) -> Cluster:
    """As kops stores it: without what the scheduler's configuration file has (pkg/model/components/kubescheduler)."""
    scheduler = cluster.spec.kube_scheduler
    if scheduler is None or (scheduler.qps is None and not scheduler.burst):
        return cluster
    return replace(cluster, spec=replace(cluster.spec, kube_scheduler=replace(scheduler, qps=None, burst=None)))
