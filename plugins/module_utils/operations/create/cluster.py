# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Create a cluster: from options to its specification in the state store, step by step.

It is stored once: running it again finds what is stored and writes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ...api import manifest
from ...base.errors import KopsError
from ...base.outcome import Difference, Outcome
from ...channels.loader import load_channel
from ...completion.settings import Settings, parse_feature_flags
from ...statestore.leases import Lease
from ...statestore.store import ClusterStore, StateStore
from ..clouds import CLOUDS
from ..store.manifests import WantedCluster
from ..store.plan import ssh_credential
from ..store.write import write
from .differences import differences
from .draft import Settled
from .options import CreateOptions
from .read import read_options
from .specification import NewCluster, new_cluster


def create_cluster(arguments: Mapping[str, Any], *, check_mode: bool) -> Outcome:
    """Create a cluster's configuration as module arguments say.

    arguments: the options, and dry_run, if_different ("fail" or "keep"), lease_wait, break_lease.
    Raises KopsError for anything that cannot be created, and for a stored cluster that differs, with if_different fail.
    """
    feature_flags = parse_feature_flags(os.environ.get("KOPS_FEATURE_FLAGS", ""))
    options = read_options(arguments, feature_flags)
    settings = Settings(channel=load_channel(options.channel), feature_flags=feature_flags)
    if arguments.get("dry_run"):
        return _outcome(options, _objects(_infer(options, settings)))
    store = StateStore(options.state_store).cluster(options.name)
    lease = None if check_mode else _lease(store, arguments)
    stored = _stored(store)
    new = _infer(options, settings, stored)
    if stored is None:
        changed = objects = _objects(new)
        different: list[str] = []
    else:
        different = _allowed(list(differences(stored, new, store)), options, arguments)
        changed = [] if store.ssh_public_keys.list() else _credentials(new)
        objects = [stored.cluster, *stored.groups, *changed]
    if lease:
        _write(store, lease, new, is_new=stored is None, changed=bool(changed))
    return _outcome(options, objects, changed, different)


def _infer(options: CreateOptions, settings: Settings, stored: Settled | None = None) -> NewCluster:
    """The cluster that the options give in their cloud. Raises KopsError, also for what the cloud's library raises."""
    if options.cloud not in CLOUDS:
        raise KopsError(f"clusters on {options.cloud} cannot be created yet; possible: {', '.join(CLOUDS)}")
    provider = CLOUDS[options.cloud].provider()
    try:
        facts = provider.facts(provider.open(options.region, options.name, options.project))
        return new_cluster(options, facts=facts, settings=settings, settled=stored)
    except KopsError:
        raise
    except Exception as error:
        raise KopsError(provider.explain(error)) from error


def _lease(store: ClusterStore, arguments: Mapping[str, Any]) -> Lease:
    """The right to write, looked at before anything is read."""
    wait, break_existing = arguments.get("lease_wait"), bool(arguments.get("break_lease"))
    lease = store.lease_for("create cluster", wait=wait, break_existing=break_existing)
    lease.look()
    return lease


def _stored(store: ClusterStore) -> Settled | None:
    cluster = store.find_cluster()
    return Settled(cluster, store.read_groups()) if cluster else None


def _allowed(found: list[str], options: CreateOptions, arguments: Mapping[str, Any]) -> list[str]:
    """Differences that the user accepts. Raises KopsError with all where there are any and they are not accepted."""
    if not found or arguments.get("if_different") == "keep":
        return found
    raise KopsError(
        "\n".join(
            [
                f"the cluster {options.name} is stored already and differs from what the options give;",
                "change it with the modules cluster, instancegroup or replace, or accept it with if_different: keep:",
                *(f"- {difference}" for difference in found),
            ]
        )
    )


def _write(store: ClusterStore, lease: Lease, new: NewCluster, *, is_new: bool, changed: bool) -> None:
    if not changed:
        store.renew_group_copy()
        return
    with store.holding(lease):
        if not is_new:
            write(store, WantedCluster(store.name, ssh_public_keys=new.ssh_public_keys))
            return
        if store.exists():
            raise KopsError(f"the cluster {store.name} was created by another process just now; run again")
        names = {str(group.metadata.name) for group in new.groups}
        # A creation that broke off leaves groups without a cluster.
        obsolete = {str(group.metadata.name) for group in store.read_groups()} - names
        wanted = WantedCluster(store.name, new.cluster, new.groups, new.ssh_public_keys, new.additional_objects)
        write(store, wanted, sorted(obsolete))


def _objects(new: NewCluster) -> list[Any]:
    return [new.cluster, *new.groups, *_credentials(new), *new.additional_objects]


def _credentials(new: NewCluster) -> list[Any]:
    return [ssh_credential(str(new.cluster.metadata.name), key) for key in new.ssh_public_keys]


def _outcome(
    options: CreateOptions, objects: list[Any], changed: list[Any] | None = None, different: list[str] | None = None
) -> Outcome:
    """objects: all of the cluster. changed: those that are, or would be, written."""
    return Outcome(
        changed=bool(changed),
        values={"name": options.name, "differences": different or [], "manifest": manifest.dump_all(objects)},
        differences=[Difference(options.name, after=manifest.dump_all(changed))] if changed else [],
    )
