# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Store a new cluster, once: running it again finds what is stored and writes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from ...api import manifest
from ...api.codec import to_plain
from ...api.validation.entry import raise_for
from ...base.errors import KopsError
from ...channels.loader import load_channel
from ...completion.settings import Settings, parse_feature_flags
from ...statestore.leases import Lease
from ...statestore.ssh_keys import fingerprint
from ...statestore.store import ClusterStore, StateStore
from ..clouds import CLOUDS
from ..store.manifests import WantedCluster
from ..store.plan import ssh_credential
from ..store.write import write
from .checks import check_options
from .cloud import cloud_of, region_of
from .draft import Settled
from .options import CreateOptions, options_from
from .specification import NewCluster, new_cluster

# Set by whoever writes the store, said by no option.
_STORE_KEYS = ("creationTimestamp", "generation")


def create_from_arguments(arguments: Mapping[str, Any], *, check_mode: bool) -> dict[str, Any]:
    """Create a cluster's configuration as module arguments say; the result is the module's.

    arguments: the options, and dry_run, if_different ("fail" or "keep"), lease_wait, break_lease.
    Raises KopsError for anything that cannot be created, and for a stored cluster that differs, with if_different fail.
    """
    options = options_from(arguments)
    flags = parse_feature_flags(os.environ.get("KOPS_FEATURE_FLAGS", ""))
    raise_for(check_options(options, flags), "create_cluster")
    settings = Settings(channel=load_channel(options.channel), feature_flags=flags)
    store = None if arguments.get("dry_run") else StateStore(options.state_store).cluster(options.name)
    lease = _lease(store, arguments) if store and not check_mode else None
    stored = _stored(store) if store else None
    new = _infer(options, settings, stored)
    result: dict[str, Any] = {"changed": False, "name": options.name, "differences": []}
    if store is None:
        objects, changed = _objects(new), []
    elif stored is None:
        objects = changed = _objects(new)
    else:
        result["differences"] = list(_differences(stored, new, store))
        if result["differences"] and arguments.get("if_different") != "keep":
            raise KopsError(_explain(options, result["differences"]))
        changed = [] if store.ssh_public_keys.list() else _credentials(new)
        objects = [stored.cluster, *stored.groups, *changed]
    result["manifest"] = manifest.dump_all(objects)
    if store and changed:
        result.update(changed=True, diff={"before": "", "after": manifest.dump_all(changed)})
    if store and lease and changed:
        with store.holding(lease):
            _write(store, new, is_new=stored is None)
    elif store and lease:
        store.renew_group_copy()
    return result


def _lease(store: ClusterStore, arguments: Mapping[str, Any]) -> Lease:
    """The right to write, looked at before anything is read."""
    wait, break_existing = arguments.get("lease_wait"), bool(arguments.get("break_lease"))
    lease = store.lease_for("create cluster", wait=wait, break_existing=break_existing)
    lease.look()
    return lease


def _infer(options: CreateOptions, settings: Settings, stored: Settled | None) -> NewCluster:
    cloud = cloud_of(options)
    if cloud not in CLOUDS:
        raise KopsError(f"clusters on {cloud} cannot be created yet; possible: {', '.join(CLOUDS)}")
    provider = CLOUDS[cloud].provider()
    try:
        facts = provider.facts(provider.open(region_of(cloud, options.zones), options.name, options.project))
        return new_cluster(options, facts=facts, settings=settings, settled=stored)
    except KopsError:
        raise
    except Exception as error:
        raise KopsError(provider.explain(error)) from error


def _stored(store: ClusterStore) -> Settled | None:
    cluster = store.find_cluster()
    return Settled(cluster, store.read_groups()) if cluster else None


def _write(store: ClusterStore, new: NewCluster, *, is_new: bool) -> None:
    keys = list(new.ssh_public_keys.values())
    if is_new:
        if store.exists():
            raise KopsError(f"the cluster {store.name} was created by somebody else just now; run again")
        names = {str(group.metadata.name) for group in new.groups}
        # A creation that broke off leaves groups without a cluster.
        obsolete = {str(left.metadata.name) for left in store.read_groups()} - names
        wanted = WantedCluster(store.name, new.cluster, new.groups, keys, new.additional_objects)
        write(store, wanted, sorted(obsolete))
    else:
        write(store, WantedCluster(store.name, ssh_public_keys=keys))


def _objects(new: NewCluster) -> list[Any]:
    return [new.cluster, *new.groups, *_credentials(new), *new.additional_objects]


def _credentials(new: NewCluster) -> list[Any]:
    cluster_name = str(new.cluster.metadata.name)
    return [ssh_credential(cluster_name, name, key) for name, key in new.ssh_public_keys.items()]


def _explain(options: CreateOptions, differences: list[str]) -> str:
    return "\n".join(
        [
            f"the cluster {options.name} is stored already and differs from what the options give;",
            "change it with the modules cluster, instancegroup or replace, or accept it with if_different: keep:",
            *(f"- {difference}" for difference in differences),
        ]
    )


def _differences(stored: Settled, new: NewCluster, store: ClusterStore) -> Iterator[str]:
    yield from _compare("cluster", _plain(stored.cluster), _plain(new.cluster))
    old = {str(group.metadata.name): _plain(group) for group in stored.groups}
    asked = {str(group.metadata.name): _plain(group) for group in new.groups}
    for name in sorted({*old, *asked}):
        if name not in asked:
            yield f"instance group {name}: stored, not from the options"
        elif name not in old:
            yield f"instance group {name}: from the options, not stored"
        else:
            yield from _compare(f"instance group {name}", old[name], asked[name])
    if [item.data for item in store.additional_objects()] != [item.data for item in new.additional_objects]:
        yield "additional objects: the stored ones are not those of the options"
    known = {fingerprint(key) for key in store.ssh_public_keys.list()} if new.ssh_public_keys else set()
    for key in new.ssh_public_keys.values():
        if known and fingerprint(key) not in known:
            yield f"ssh_public_key: {fingerprint(key)} is not stored; add it with the module ssh_public_key"


def _plain(item: Any) -> dict[str, Any]:
    plain = to_plain(item)
    plain["metadata"] = {key: value for key, value in plain["metadata"].items() if key not in _STORE_KEYS}
    return plain


def _compare(subject: str, old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Where two plain values differ, the deepest place each."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from _compare(subject, old.get(key), new.get(key), f"{path}.{key}" if path else key)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new)):
            yield from _compare(subject, one, other, f"{path}[{index}]")
    elif old != new:
        yield f"{subject}, {path}: stored {_shown(old)}, from the options {_shown(new)}"


def _shown(value: Any) -> str:
    return "nothing" if value is None else str(value)
