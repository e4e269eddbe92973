# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""delete cluster: everything that carries the cluster's tags, then its directory in the state store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..api.clouds import cloud_of
from ..api.cluster import Cluster
from ..base.errors import KopsError
from ..base.options import named
from ..base.outcome import Difference, Outcome
from ..cloud.place import Place
from ..cloud.provider import explaining
from ..engine.executor import ApplyError
from ..engine.plan_data import Action, Entry, entry_of
from ..engine.plan_diff import plan_diff
from ..engine.plan_text import plan_values
from ..engine.resource import Resource, by_key, delete_all
from ..statestore.store import ClusterStore
from ..statestore.vfs.path import Listed
from .clouds import SUPPORTED, open_cloud, provider_of
from .next_steps import DELETE, DELETED, KEPT, PLANNED, UNREGISTERED, next_steps
from .ownership import ForeignObjects, refuse_foreign_objects
from .policy.operation import violations_of
from .policy.policy import Policy, denied, failure_of, subjects_of_plan, warnings_of
from .policy.rule import Violation
from .progress import Progress, silent
from .stacks import kept_by_stacks, named_stack, refuse_protected

if TYPE_CHECKING:
    from ..cloud.provider import Provider
    from ..cloud.reads import Reads
    from ..cloud.stacks import Stack

# Rounds of discovery: what ends late (an instance that a group had just started) is found in the next one.
ROUNDS = 3
# So many claims are named whose volumes stay.
NAMED = 5
IN_THE_WAY = "the cluster cannot be deleted: others use objects of it or its network, or objects are protected:"
REMEDY = (
    "Delete or detach what is named, what is of a Service of Kubernetes by deleting the Service, and take away"
    " protections; then run it again. With"
    f" {named('unregister')}, only the state store is cleared, and everything in the cloud stays."
)
AGAIN = "Running it again goes on with what is left; what the cloud says is in use must be free by then."
NOTHING = "Nothing to delete: there is no such cluster"


@dataclass(frozen=True)
class DeleteOptions:
    """What to delete.

    unregister: leave the cloud alone and only remove the cluster from the state store.
    external: the cluster is not in the store; find it by name in a place of a cloud.
    hosts_cleared: the cluster has hosts, and no host is its node any more.
    keep_claims: leave the volumes of PersistentVolumeClaims in the cloud.
    wait: seconds that one object may take until nothing uses it any more.
    policy: files with rules, and directories of them. Only rules about changes and operations count.
    """

    state_store: str
    name: str
    unregister: bool = False
    external: bool = False
    hosts_cleared: bool = False
    keep_claims: bool = False
    cloud: str = ""
    place: Place = field(default_factory=Place)
    wait: float = 600.0
    policy: Sequence[str] = ()
    lease_wait: float | None = None
    break_lease: bool = False


@dataclass
class DeleteResult:
    """What was deleted, or in check mode or without the policy's consent would be. violations: of the policy.

    kept: volumes of claims that stay in the cloud. unregistered: the store alone was changed, and all stays there.
    place: how a deletion without the store is told where the objects are, if anything stays.
    """

    changed: bool
    resources: list[dict[str, str]] = field(default_factory=list)
    store_files: int = 0
    violations: list[Violation] = field(default_factory=list)
    kept: list[dict[str, str]] = field(default_factory=list)
    unregistered: bool = False
    place: str = ""


@dataclass(frozen=True)
class _Objects:
    """A cluster's objects in the cloud, by key: those that go, and the volumes of claims that stay; and its stack."""

    going: Mapping[str, Resource] = field(default_factory=dict)
    kept: Mapping[str, Resource] = field(default_factory=dict)
    stack: Stack | None = None


def delete_cluster(options: DeleteOptions, *, check: bool = False, progress: Progress = silent) -> DeleteResult:
    """Delete a cluster; one that exists neither in the store nor in the cloud is no change.

    Raises ApplyError that names what could not be deleted; running again continues, the store goes last.
    """
    policy = Policy.read(options.policy)
    if options.external:
        return _delete_external(options, policy, check, progress)
    store = ClusterStore.open(options.state_store, options.name)
    if check:
        return _judged(policy, _would_delete(options, _read(options, store), progress), options)
    lease = store.lease_for("delete cluster", wait=options.lease_wait, break_existing=options.break_lease)
    # What is wrong or forbidden, and that there is nothing, is found out before anything is written, even the lease.
    found = _read(options, store) if lease.look() else None
    if found is not None and not found.files:
        return DeleteResult(changed=False)
    planned = _planned(policy, options, found) if found is not None else None
    if planned is not None and denied(planned.violations):
        return planned
    with store.holding(lease):
        if found is None or planned is None or not lease.undisturbed:
            found = _read(options, store)
            planned = _planned(policy, options, found)
            if denied(planned.violations):
                return planned
        done = DeleteResult(changed=False)
        if found.cluster is not None and not options.unregister:
            done = _delete_in_cloud(*open_cloud(found.cluster), options, progress, lease.ensure)
        store.remove()
        progress(f"removed {options.name} from the state store")
    return replace(
        done,
        changed=bool(found.files),
        store_files=len(found.files),
        violations=planned.violations,
        unregistered=options.unregister and _has_objects(found.cluster),
        place=_place(found.cluster),
    )


def _planned(policy: Policy, options: DeleteOptions, found: _Found) -> DeleteResult:
    """What would be deleted, as far as a policy asks for it."""
    return _judged(policy, _would_delete(options, found), options) if policy else DeleteResult(changed=False)


def _judged(policy: Policy, result: DeleteResult, options: DeleteOptions) -> DeleteResult:
    """What would be deleted, with what of it violates the policy."""
    found = policy.violations(subjects_of_plan(plan_of(result, options.name))) if policy else []
    found += violations_of(policy, DELETE) if result.changed else []
    return replace(result, changed=result.changed and not denied(found), violations=found)


def _has_objects(cluster: Cluster | None) -> bool:
    """Whether it is in a cloud that says by their tags which objects are its own."""
    if cluster is None or not cloud_of(cluster).has_instances:
        return False
    row = SUPPORTED.get(cloud_of(cluster).name)
    return row is not None and row.provider().compares


def _place(cluster: Cluster | None) -> str:
    """The variables that name the place of a cluster as that of an external one."""
    if cluster is None or not _has_objects(cluster):
        return ""
    return _variables(cloud_of(cluster).name, provider_of(cluster).place(cluster))


def _variables(cloud: str, place: Place) -> str:
    return " ".join(f"-e kops_{name}={value}" for name, value in _options(cloud, place).items())


def _options(cloud: str, place: Place) -> dict[str, str]:
    """The options by which a place is named; those that its cloud can do without have no value."""
    values = {name: str(getattr(place, name)) for name in SUPPORTED[cloud].found_in}
    return {"cloud": cloud, **{name: value for name, value in values.items() if value}}


@dataclass(frozen=True)
class _Found:
    """A cluster and its files in the store; without the cluster, what an operation left that broke off."""

    cluster: Cluster | None
    files: list[Listed]


def _read(options: DeleteOptions, store: ClusterStore) -> _Found:
    """What is there to delete. What cannot be is an error before the cloud is touched."""
    cluster = store.find_cluster()
    if cluster is None:
        return _Found(None, store.leftovers())
    if not options.unregister:
        provider_of(cluster)
        cloud = cloud_of(cluster)
        if cloud.has_hosts and not options.hosts_cleared:
            raise KopsError(
                f"cluster {options.name} is on {cloud.title}, so its hosts must be cleared before it is deleted; run"
                " kubeops.kops.delete_cluster with their inventory (-i hosts.yml), or, if it has none,"
                f" set {named('unregister')}"
            )
        _refuse_objects_of_another(options, store, cluster)
    return _Found(cluster, store.check_removable())


def _refuse_objects_of_another(options: DeleteOptions, store: ClusterStore, cluster: Cluster) -> None:
    """Objects are found by the cluster's name, which a cluster of another store may have, too."""
    try:
        refuse_foreign_objects(store, cluster)
    except ForeignObjects as error:
        raise KopsError(
            f"{error.what}. Nothing was deleted. Delete it from its own state store. To remove {options.name} from this"
            f" one only, set {named('unregister')}; to delete what has this name in the cloud, whoever made it, set"
            f" {' and '.join([named('external'), *_named_place(cluster)])}"
        ) from error


def _named_place(cluster: Cluster) -> list[str]:
    """How to name the place of a cluster as that of an external one."""
    options = _options(cloud_of(cluster).name, provider_of(cluster).place(cluster))
    return [named(name, value) for name, value in options.items()]


def _would_delete(options: DeleteOptions, found: _Found, progress: Progress = silent) -> DeleteResult:
    objects = _Objects()
    if found.cluster is not None and not options.unregister:
        objects = _deletable_with_stack(*open_cloud(found.cluster), options)
        _tell_kept(objects, progress)
    return DeleteResult(bool(found.files), _going(objects), len(found.files), kept=_as_data(objects.kept))


def _delete_external(options: DeleteOptions, policy: Policy, check: bool, progress: Progress) -> DeleteResult:
    row = SUPPORTED[options.cloud]
    missing = [name for name in row.found_in if not getattr(options.place, name) and name not in row.found_without]
    if missing:
        raise KopsError(f"external needs {' and '.join(missing)}, where the cluster's objects are")
    provider = row.provider()
    cloud = provider.open(options.place, options.name)
    planned = DeleteResult(changed=False)
    if check or policy:
        found = _deletable_with_stack(provider, cloud, options)
        _tell_kept(found, progress if check else silent)
        would_be = DeleteResult(bool(_going(found)), _going(found), kept=_as_data(found.kept))
        planned = _judged(policy, would_be, options)
        if check or denied(planned.violations):
            return planned
    done = _delete_in_cloud(provider, cloud, options, progress, lambda: None)
    return replace(done, violations=planned.violations, place=_variables(options.cloud, options.place))


def _as_data(resources: Mapping[str, Resource]) -> list[dict[str, str]]:
    return [each.as_data() for each in resources.values()]


def _going(objects: _Objects) -> list[dict[str, str]]:
    """What is deleted: the stack, and all that has the cluster's tags."""
    stack = objects.stack
    first = [{"kind": "Stack", "id": stack.id, "name": stack.name, "claim": ""}] if stack is not None else []
    return [*first, *_as_data(objects.going)]


def _discover(
    provider: Provider[Any], cloud: Reads, options: DeleteOptions, deleted: Mapping[str, Resource] | None = None
) -> _Objects:
    looking = provider.looking
    with explaining(provider):
        found = looking.discover_rest(cloud, deleted) if deleted else looking.discover(cloud)
    kept = {key: each for key, each in found.items() if each.claim and options.keep_claims}
    return _Objects(by_key(each for key, each in found.items() if key not in kept), kept)


def _deletable(
    provider: Provider[Any], cloud: Reads, options: DeleteOptions, deleted: Mapping[str, Resource] | None = None
) -> _Objects:
    """What there is to delete. Raises KopsError that names what others have put in its way.

    deleted: what a first round has deleted, after which this is a look whether all is gone.
    """
    found = _discover(provider, cloud, options, deleted)
    others = _in_the_way(provider, cloud, found)
    if others:
        raise KopsError("\n".join([IN_THE_WAY, *others, REMEDY]))
    return found


def _tell_kept(found: _Objects, progress: Progress) -> None:
    if found.kept:
        claims = sorted(each.claim for each in found.kept.values())
        more = [f"{len(claims) - NAMED} more"] if len(claims) > NAMED else []
        progress(f"keeps the volumes of these claims: {', '.join([*claims[:NAMED], *more])}")


def _in_the_way(provider: Provider[Any], cloud: Reads, found: _Objects) -> list[str]:
    with explaining(provider):
        return [f"- {each}" for each in provider.looking.in_the_way(cloud, {**found.going, **found.kept})]


def _delete_in_cloud(
    provider: Provider[Any], cloud: Reads, options: DeleteOptions, progress: Progress, guard: Callable[[], None]
) -> DeleteResult:
    """The cluster's stack, if it has one, then what is left by its tags."""
    cloud.tell = progress
    found = _deletable_with_stack(provider, cloud, options)
    stack = found.stack
    if stack is None:
        return _delete_by_tags(provider, cloud, options, progress, guard, found)
    before = _going(found)
    progress(f"deleting the stack {stack.name}")
    guard()
    try:
        _delete_stack(provider, cloud, stack)
    except ApplyError as error:
        progress(f"{error}\nNow what is left is deleted by its tags, and the stack once more")
    done = _delete_by_tags(provider, cloud, options, progress, guard)
    _delete_stack(provider, cloud, stack)
    return replace(done, changed=True, resources=[*before, *(each for each in done.resources if each not in before)])


def _own_stack(
    provider: Provider[Any], cloud: Reads, options: DeleteOptions, found: Mapping[str, Resource]
) -> Stack | None:
    """The cluster's stack. Who may not ask for stacks has none, as far as a deletion goes.

    found: the cluster's objects. Raises KopsError for one that is protected.
    """
    try:
        stack = named_stack(provider, cloud, options.name, kept_by_stacks(provider, found.values()))
    except KopsError as error:
        cause = error.__cause__
        if not isinstance(cause, Exception) or not provider.is_denied(cause):
            raise
        cloud.tell(f"it is not known whether there is a stack: {error}")
        return None
    if stack is None or not stack.is_of(options.name):
        return None
    refuse_protected(stack)
    return stack


def _delete_stack(provider: Provider[Any], cloud: Reads, stack: Stack) -> None:
    """Delete a stack, if it is still there."""
    if provider.stacks is not None:
        with explaining(provider):
            left = provider.stacks.find(cloud, stack.name)
            if left is not None and left.id == stack.id:
                provider.stacks.delete(cloud, left)


def _deletable_with_stack(provider: Provider[Any], cloud: Reads, options: DeleteOptions) -> _Objects:
    found = _deletable(provider, cloud, options)
    return replace(found, stack=_own_stack(provider, cloud, options, found.going))


def _delete_by_tags(
    provider: Provider[Any],
    cloud: Reads,
    options: DeleteOptions,
    progress: Progress,
    guard: Callable[[], None],
    seen: _Objects | None = None,
) -> DeleteResult:
    """seen: what there is, if that was looked up just now."""
    deleted: dict[str, dict[str, str]] = {}
    first: Mapping[str, Resource] | None = None
    for number in range(ROUNDS):
        # What is still found after one round is looked for everywhere.
        found, seen = seen or _deletable(provider, cloud, options, first if number == 1 else None), None
        _tell_kept(found, progress if not deleted else silent)
        if not found.going:
            return DeleteResult(bool(deleted), list(deleted.values()), kept=_as_data(found.kept))
        progress(f"found {len(found.going)} objects of {options.name}")
        try:
            delete_all(found.going, progress=progress, explain=provider.explain, deadline=options.wait, guard=guard)
        except ApplyError as error:
            # Somebody may have put it there meanwhile.
            others = _in_the_way(provider, cloud, _discover(provider, cloud, options))
            raise KopsError("\n".join([str(error), *([IN_THE_WAY, *others, REMEDY] if others else [AGAIN])])) from error
        first = first or found.going
        deleted.update({key: resource.as_data() for key, resource in found.going.items()})
    left = _discover(provider, cloud, options)
    if left.going:
        names = ", ".join(sorted(resource.label for resource in left.going.values()))
        raise KopsError(f"these objects are still there after {ROUNDS} rounds: {names}; run again to go on")
    return DeleteResult(bool(deleted), list(deleted.values()), kept=_as_data(left.kept))


def plan_of(result: DeleteResult, name: str) -> list[Entry]:
    """What was deleted, or would be, as the entries of a plan: the cloud's objects, then the cluster in the store."""
    entries = [
        entry_of(
            each["kind"],
            each["name"] or each["id"],
            Action.DELETE,
            {"id": each["id"]},
            task=f"{each['kind']}/{each['id']}",
            reason=f"of claim {each['claim']}" if each["claim"] else "",
        )
        for each in result.resources
    ]
    if result.store_files:
        entries.append(entry_of("StateStore", name, Action.DELETE, reason=f"{result.store_files} files"))
    return entries


def outcome(result: DeleteResult, name: str, *, check: bool) -> Outcome:
    """A result as a module returns it. check: whether nothing was done."""
    entries = plan_of(result, name)
    values = {
        **plan_values(entries, nothing=NOTHING),
        "store_files": result.store_files,
        "kept": result.kept,
        "violations": [each.as_dict() for each in result.violations],
    }
    differences = [Difference(name, **plan_diff(entries))] if entries else []
    failure = failure_of(result.violations, "nothing was deleted")
    done = result.changed and not failure
    ended = {
        PLANNED: done and check,
        UNREGISTERED: result.place if result.unregistered else "",
        KEPT: result.place if result.kept else "",
        DELETED: name if done and not check else "",
    }
    warnings = warnings_of(result.violations)
    return Outcome(result.changed, values, differences, warnings, failure, next_steps(DELETE, ended))
