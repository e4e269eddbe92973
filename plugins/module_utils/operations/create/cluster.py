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
from ...api.clouds import CLOUDS, cloud_of
from ...api.cluster import Cluster
from ...api.facts import NoFacts
from ...api.validation.entry import raise_for
from ...api.without_effect import warnings_of
from ...base.errors import FieldError, KopsError, ValidationError
from ...base.options import named
from ...base.outcome import Outcome
from ...channels.loader import load_channel
from ...cloud.provider import explaining
from ...completion.settings import Settings, parse_feature_flags
from ...statestore.leases import Lease
from ...statestore.ssh_keys import problem_for
from ...statestore.store import ClusterStore, StateStore, versioning_warnings
from ..clouds import SUPPORTED
from ..metal.network import problems_of_network
from ..progress import Progress, silent
from ..refused import refused
from ..store.manifests import WantedCluster
from ..store.plan import creations, ssh_credential
from ..store.write import StoreResult, write
from ..update.node_stores import problems_of_stores
from ..versions.supported import problems_of_version
from .differences import differences
from .draft import Settled
from .options import CreateOptions
from .origins import with_option
from .read import read_options
from .specification import NewCluster, new_cluster


def create_cluster(arguments: Mapping[str, Any], *, check_mode: bool, progress: Progress = silent) -> Outcome:
    """Create a cluster's configuration as module arguments say.

    arguments: the options, and dry_run, leave_to_update (nothing is stored if the cloud can be applied), if_different
        ("fail" or "keep"), lease_wait, break_lease, adopt.
    progress: gets a line for each object that is stored.
    Raises KopsError for anything that cannot be created, and for a stored cluster that differs, with if_different fail.
    """
    feature_flags = parse_feature_flags(os.environ.get("KOPS_FEATURE_FLAGS", ""))
    options = read_options(arguments, feature_flags)
    settings = Settings(channel=load_channel(options.channel), feature_flags=feature_flags)
    if arguments.get("dry_run"):
        return _outcome(options, _objects(_infer(options, settings, arguments)), StoreResult())
    store = StateStore(options.state_store).cluster(options.name, adopt=arguments.get("adopt") or ())
    is_left = bool(arguments.get("leave_to_update")) and options.cloud in SUPPORTED
    lease = None if check_mode or is_left else _lease(store, arguments)
    stored = _stored(store)
    new = _infer(options, settings, arguments, stored)
    if stored is None:
        problems = problems_of_network(new.cluster, path="networking") + store.foreign_places(new.cluster)
        problems += problems_of_stores(new.cluster, store.path.path, field="state_store")
        raise_for(problems, f"cluster {options.name}")
        objects = _objects(new)
        changed = creations(options.name, objects)
        different: list[str] = []
    else:
        different = _allowed(list(differences(stored, new, store)), options, arguments)
        missing = [] if store.ssh_public_keys.list() else _credentials(new)
        objects = [stored.cluster, *stored.groups, *missing]
        changed = creations(options.name, missing)
    if lease:
        _write(store, lease, new, progress, is_new=stored is None, changed=bool(changed))
    warnings = [*store.takeovers, *warnings_of(objects), *versioning_warnings(store.path)]
    return _outcome(options, objects, StoreResult(changed, warnings), different)


def _infer(
    options: CreateOptions, settings: Settings, arguments: Mapping[str, Any], stored: Settled | None = None
) -> NewCluster:
    """The cluster that the options give in their cloud. Raises KopsError, also for what the cloud's library raises."""
    try:
        new = _new_cluster(options, settings, stored)
        problems = refused(new.cluster, new.groups) + problems_of_version(new.cluster)
        told = [problem_for(cloud_of(new.cluster), key) for key in new.ssh_public_keys]
        problems += [FieldError("Invalid", "ssh_public_key", message) for message in told if message]
        raise_for(problems, f"cluster {options.name}")
    except ValidationError as error:
        raise ValidationError([with_option(each, arguments) for each in error.errors], error.subject) from error
    return new


def _new_cluster(options: CreateOptions, settings: Settings, stored: Settled | None) -> NewCluster:
    if options.cloud not in SUPPORTED:
        return new_cluster(options, facts=NoFacts(), settings=settings, settled=stored)
    provider = SUPPORTED[options.cloud].provider()
    with explaining(provider):
        facts = provider.facts(provider.open(options.region, options.name, options.project))
        return new_cluster(options, facts=facts, settings=settings, settled=stored)


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
                "change it with the modules cluster, instancegroup or replace, or to accept it"
                f" set {named('if_different', 'keep')}:",
                *(f"- {difference}" for difference in found),
            ]
        )
    )


def _write(
    store: ClusterStore, lease: Lease, new: NewCluster, progress: Progress, *, is_new: bool, changed: bool
) -> None:
    if not changed:
        store.renew_group_copy()
        return
    with store.holding(lease):
        if not is_new:
            write(store, WantedCluster(store.name, ssh_public_keys=new.ssh_public_keys), progress=progress)
            return
        if store.exists():
            raise KopsError(f"the cluster {store.name} was created by another process just now; run again")
        names = {str(group.metadata.name) for group in new.groups}
        # A creation that broke off leaves groups without a cluster.
        obsolete = {str(group.metadata.name) for group in store.read_groups()} - names
        wanted = WantedCluster(store.name, new.cluster, new.groups, new.ssh_public_keys, new.additional_objects)
        write(store, wanted, sorted(obsolete), progress)


def _objects(new: NewCluster) -> list[Any]:
    return [new.cluster, *new.groups, *_credentials(new), *new.additional_objects]


def _credentials(new: NewCluster) -> list[Any]:
    return [ssh_credential(str(new.cluster.metadata.name), key) for key in new.ssh_public_keys]


def _outcome(
    options: CreateOptions, objects: list[Any], result: StoreResult, different: list[str] | None = None
) -> Outcome:
    """objects: all of the cluster. result: what is, or would be, written."""
    supported = options.cloud in SUPPORTED
    encrypted = any(isinstance(each, Cluster) and each.spec.encryption_config for each in objects)
    return Outcome(
        changed=bool(result.changes),
        values={
            **result.as_values(),
            "name": options.name,
            "differences": different or [],
            "manifest": manifest.dump_all(objects),
            "can_be_applied": supported,
        },
        differences=[each.difference() for each in result.changes],
        warnings=[*result.warnings, *([] if supported else [_only_stored(options.cloud, encrypted)])],
    )


def _only_stored(cloud: str, encrypted: bool) -> str:
    title = CLOUDS[cloud].title
    # What is applied here gets a generated one.
    secret = " once the secret encryptionconfig is stored, too (kubeops.kops.secret)" if encrypted else ""
    return (
        f"clusters on {title} cannot be applied yet, only on {', '.join(SUPPORTED)}: the specification is inferred"
        f" without asking {title}, and stored; kops can apply it{secret}"
    )
