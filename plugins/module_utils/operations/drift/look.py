# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""drift: what differs between a cluster's specification, its state store, its cloud, its hosts and itself.

Nothing is written.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...addons.given import LOCATION, as_given
from ...api.cloud import HOSTS
from ...api.clouds import cloud_of
from ...base.errors import KopsError, in_one_line
from ...exchange.addons import StoredAddons
from ...kubernetes.client import KubernetesClient
from ...statestore.store import ClusterStore
from ..etcd.backups import Backups
from ..status.instances import API, BOTH, CLOUD, InstancesOptions, api_client, read_instances
from ..store.keypairs import read_keypairs
from ..update.cluster import UpdateOptions, desired_by_now
from ..update.desired import Desired
from .addons import of_addons
from .age import of_backups, of_keypairs
from .finding import PARTS, STACK, Drift, Finding, Unseen
from .hosts import Compared, look_at_hosts
from .nodes import of_instances
from .planned import look_at_plan
from .stack import look_at_stack

_API = "what runs in the cluster"


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


@dataclass(frozen=True)
class DriftOptions:
    """Options of drift_info. parts: of ALL_PARTS. api_server: not the usual one.

    lifecycle_overrides, addon_checksums: as of UpdateOptions, since an update with others would do something else.
    certificate_days: certificates must be valid for so long.
    hosts: results of comparing hosts on bare metal; None if they were not asked.
    """

    state_store: str
    name: str
    parts: Sequence[str] = PARTS
    api_server: str = ""
    lifecycle_overrides: Sequence[str] = ()
    addon_checksums: Mapping[str, str] = field(default_factory=dict)
    certificate_days: int = 30
    hosts: Compared | None = None


def look_for_drift(options: DriftOptions, now: Callable[[], datetime.datetime] = _now) -> Drift:
    """Compare. What cannot be asked of the cluster itself is named as not looked at.

    Raises KopsError if the state store or the cloud does not answer, ValidationError for a specification with problems.
    """
    store = ClusterStore.open(options.state_store, options.name)
    update = UpdateOptions(
        options.state_store,
        options.name,
        lifecycle_overrides=options.lifecycle_overrides,
        addon_checksums=options.addon_checksums,
        api_server=options.api_server,
        allow_network_change=True,
        allow_kops_downgrade=True,
    )
    desired = desired_by_now(update, store, dry_run=True)
    drift = Drift(options.name)
    drift.warnings += [store.broken] if store.broken else []
    with_store, with_cloud, with_hosts, with_cluster = (part in options.parts for part in PARTS)
    if with_store or with_cloud:
        look_at_plan(desired, drift, with_cloud=with_cloud, with_store=with_store)
    if STACK in options.parts:
        look_at_stack(desired, drift)
    if with_store:
        _look_at_ages(options, store, desired, drift, now())
    if with_hosts and cloud_of(desired.cluster).has_hosts:
        look_at_hosts(options.hosts, drift)
    if with_cloud or with_cluster:
        _look_at_nodes(options, store, desired, drift, now(), with_cloud=with_cloud, with_cluster=with_cluster)
    return drift


def _look_at_ages(
    options: DriftOptions, store: ClusterStore, desired: Desired, drift: Drift, now: datetime.datetime
) -> None:
    cloud = cloud_of(desired.cluster)
    by_hosts = cloud.control_planes == HOSTS
    if (store.completed() or store.broken) and (by_hosts or cloud.starts_nodes):
        drift.found += of_backups(Backups(options.state_store, options.name), now, by_hosts=by_hosts)
    drift.found += of_keypairs(read_keypairs(options.state_store, options.name), options.certificate_days, now)


def _look_at_nodes(
    options: DriftOptions,
    store: ClusterStore,
    desired: Desired,
    drift: Drift,
    now: datetime.datetime,
    *,
    with_cloud: bool,
    with_cluster: bool,
) -> None:
    cloud = cloud_of(desired.cluster)
    has_instances = cloud.has_instances
    if has_instances and not cloud.starts_nodes:
        drift.unseen.append(Unseen("instances, nodes and addons", "instances of this cloud are no nodes yet", False))
        return
    client = _client(options, store, desired, drift) if with_cluster else None
    source = (BOTH if client else CLOUD) if with_cloud and has_instances else API
    if source == API and client is None:
        return
    asked = InstancesOptions(options.state_store, options.name, source=source, api_server=options.api_server, why=True)
    instances = read_instances(asked)
    drift.warnings += instances.warnings
    drift.found += of_instances(instances, store.completed(), now, cloud)
    if client is None:
        return
    try:
        drift.found += _of_addons(store, desired, client, len([each for each in instances.found if each["node"]]))
    except KopsError as error:
        drift.unseen.append(Unseen("addons", in_one_line(error)))


def _client(options: DriftOptions, store: ClusterStore, desired: Desired, drift: Drift) -> KubernetesClient | None:
    """A client that stores nothing; None if the API does not answer."""
    try:
        asked = InstancesOptions(options.state_store, options.name, source=BOTH, api_server=options.api_server)
        return api_client(store, desired.cluster, asked, check=True)
    except KopsError as error:
        drift.unseen.append(Unseen(_API, in_one_line(error)))
        return None


def _of_addons(store: ClusterStore, desired: Desired, client: KubernetesClient, nodes: int) -> list[Finding]:
    """What the store says of addons, compared with the cluster. For hosts they are not stored in one file."""
    if cloud_of(desired.cluster).control_planes == HOSTS:
        from ..metal.plan import wanted_addons

        wanted = wanted_addons(desired, nodes)
        given: Sequence[Mapping[str, Any]] = [as_given(addon) for addon in wanted.addons]
        return list(of_addons(client, given, wanted.retired, by_hosts=True))
    try:
        stored = StoredAddons.read(store.path.join(LOCATION).read())
    except FileNotFoundError:
        raise KopsError("the state store does not have them yet; run update_cluster first") from None
    return list(of_addons(client, stored.addons, stored.retired, by_hosts=False))
