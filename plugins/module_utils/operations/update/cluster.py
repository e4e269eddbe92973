# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""update cluster: what the state store says, made real in the cloud, or written for a program that does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ...api.clouds import cloud_of
from ...api.cluster import Cluster
from ...api.manifest import dump_all, load
from ...cloud.tasks.keypair import Keypair
from ...engine.executor import apply_plan
from ...engine.plan import Plan, object_of
from ...engine.plan_data import Action
from ...engine.planner import make_plan
from ...engine.task import Task
from ...statestore.store import ClusterStore
from ..clouds import open_cloud
from ..next_steps import UPDATE
from ..ownership import remade_keys, taken_over_objects
from ..policy.operation import violations_of
from ..policy.policy import Policy, denied, subjects_of, subjects_of_plan, warnings_of
from ..policy.rule import CHANGE, OBJECT, Violation
from ..progress import Progress, silent
from ..store.manifests import WantedCluster
from ..targets.table import DEFAULT, refuse_options, target_of
from ..targets.target import Planned, Written
from .desired import Desired, before_of, desired_state, refuse_changes
from .old_node_files import old_node_files

if TYPE_CHECKING:
    from ...cloud.provider import Provider
    from ...cloud.reads import Reads


@dataclass(frozen=True)
class UpdateOptions:
    """How to update.

    target: one of targets/table.py. out: the directory to which some of them write. apply: carry out what one of these
    would write. release: rather end it, and leave what it has made to updates without a target.
    terraform_variables: what people change of instance groups are variables of a configuration.
    phase, lifecycle_overrides: limit what may be written (kops' phases; texts such as "SecurityGroup=Ignore").
    instance_groups, instance_group_roles: only update these groups and what all groups share; empty is all of them.
    prune: also delete what is kept for running instances (old launch template versions, replaced target groups).
    plan_id: apply only if exactly this plan would be carried out.
    manifest: manifests to store first; with plan_id, only if that is their plan. In check mode they are planned with.
    ignore_kubelet_version_skew: workers of a cloud do not wait for newer API servers.
    api_server: the address at which these are asked, if not the usual one.
    allow_network_change: the cluster may get another network, from which its running pods are cut off.
    addon_checksums: URL -> sha256 of files of addons that others publish, rather than what the state store remembers.
    policy: files with rules, and directories of them; what violates one is not applied.
    lease_wait: seconds to wait for another writer; None is the store's default. break_lease: take it over.
    adopt: names of what is taken over from other clusters.
    """

    state_store: str
    name: str
    target: str = DEFAULT
    out: str = ""
    apply: bool = False
    release: bool = False
    terraform_variables: bool = False
    phase: str = ""
    lifecycle_overrides: Sequence[str] = ()
    instance_groups: Sequence[str] = ()
    instance_group_roles: Sequence[str] = ()
    prune: bool = False
    plan_id: str = ""
    manifest: str = ""
    allow_kops_downgrade: bool = False
    allow_network_change: bool = False
    ignore_kubelet_version_skew: bool = False
    api_server: str = ""
    addon_checksums: Mapping[str, str] = field(default_factory=dict)
    policy: Sequence[str] = ()
    lease_wait: float | None = None
    break_lease: bool = False
    adopt: Sequence[str] = ()


@dataclass
class UpdateResult:
    """What was done, or in check mode would be done. written: by the target, beside what the plan says.

    name, cloud: of the cluster. manifest: the specification that was planned with, where it is not stored.
    violations: of the policy. If one of them stops the apply, nothing was done. refused: why this plan was not carried
    out, as another one was approved.
    instances: launch templates of which something only has its effect when instances are replaced -> those that run.
    """

    changed: bool
    plan: Plan
    written: Written = field(default_factory=Written)
    name: str = ""
    cloud: str = ""
    manifest: str = ""
    violations: list[Violation] = field(default_factory=list)
    refused: str = ""
    instances: dict[str, list[str]] = field(default_factory=dict)

    @property
    def out(self) -> str:
        """The directory to which the target writes; "" if it writes to none."""
        return self.written.out

    @property
    def files(self) -> list[str]:
        """Those in it that differ."""
        return self.written.files

    @property
    def pending(self) -> dict[str, str]:
        """What is changed and a rolling update carries on with: launch templates -> what; "" where it is tags."""
        return {**self.plan.pending(), **self.written.replaced}

    @property
    def waiting(self) -> dict[str, str]:
        """Of what is pending, that which only has its effect when instances are replaced."""
        return {name: what for name, what in self.pending.items() if what}


def update_cluster(options: UpdateOptions, *, check: bool = False, progress: Progress = silent) -> UpdateResult:
    """Make a cluster what its state store says.

    check: make the plan by reading only. Raises KopsError: the specification's problems, all at once, before anything
    is written; PlanError for what cannot be changed; ApplyError for what failed on the way (running again continues).
    """
    refuse_options(target_of(options), options)
    policy = Policy.read(options.policy)
    if not options.manifest:
        return _update_all(options, policy, check, progress)
    options, stored, forbidden = _store(options, policy, check)
    if forbidden is not None:
        return _result(options, forbidden, check, progress)
    result = _update_all(options, policy, check, progress)
    # In check mode, what is forbidden would not be stored.
    result.changed = result.changed or (stored and not (check and denied(result.violations)))
    return result


def _store(options: UpdateOptions, policy: Policy, check: bool) -> tuple[UpdateOptions, bool, _Prepared | None]:
    """Store the manifests, unless their plan is not the approved one, violates the policy, or changes a network that it
    may not change; or if the cluster would be taken over from another store.

    Returns the options to update with, whether the store changed, and what the policy forbids. In check mode the second
    is whether it would, and the options hold all that would be stored.
    """
    # Most updates store nothing.
    from ..store.manifests import sort_objects
    from ..store.write import StoreOptions, put

    where = StoreOptions(options.state_store, options.lease_wait, options.break_lease, options.adopt)
    wanted = sort_objects(load(options.manifest, source="manifest"), options.name)
    store = ClusterStore.open(options.state_store, options.name, adopt=options.adopt)
    planned = put(where, wanted, check=True)
    if check or options.plan_id or policy or _is_about_the_network(wanted, store):
        options = replace(options, manifest=dump_all(planned.objects))
        if check:
            return options, bool(planned.changes), None
        prepared = _prepare(options, policy, store, dry_run=check)
        if prepared.is_forbidden:
            return options, False, prepared
    else:
        (cluster,) = (each for each in planned.objects if isinstance(each, Cluster))
        _takeovers(options, store, cluster, *open_cloud(cluster))
    return replace(options, manifest=""), bool(put(where, wanted).changes), None


def _is_about_the_network(wanted: Sequence[WantedCluster], store: ClusterStore) -> bool:
    """Whether manifests change spec.networking of a stored cluster. Most do not, and need not be planned with first."""
    stored = store.find_cluster()
    new = [each.cluster for each in wanted if each.cluster is not None]
    return stored is not None and any(each.spec.networking != stored.spec.networking for each in new)


def _update_all(options: UpdateOptions, policy: Policy, check: bool, progress: Progress) -> UpdateResult:
    """What an update does; where the target can say the rest only afterwards, in two parts."""
    result = _update(options, policy, check, progress)
    if not result.written.is_part:
        return result
    # The plan of the first part has named these objects.
    rest = _update(replace(options, plan_id="", manifest=""), policy, check, progress)
    result.plan.warnings += [each for each in rest.plan.warnings if each not in result.plan.warnings]
    result.written, result.violations = rest.written, rest.violations
    return result


def _update(options: UpdateOptions, policy: Policy, check: bool, progress: Progress) -> UpdateResult:
    store = ClusterStore.open(options.state_store, options.name, adopt=options.adopt)
    if check:
        return _result(options, _prepare(options, policy, store, progress, dry_run=True), check, progress)
    lease = store.lease_for("update cluster", wait=options.lease_wait, break_existing=options.break_lease)
    # What is wrong, and that nothing is to be done, is found out before anything is written, even the lease.
    prepared = _prepare(options, policy, store, progress) if lease.look() else None
    if prepared is not None and (prepared.is_forbidden or not prepared.plan.changed):
        return _result(options, prepared, check, progress)
    with store.holding(lease):
        if prepared is None or not lease.undisturbed:
            prepared = _prepare(options, policy, store, progress)
        if prepared.is_forbidden:
            return _result(options, prepared, check, progress)
        desired = prepared.desired
        apply_plan(
            prepared.plan,
            desired.cloud,
            progress=progress,
            explain=desired.provider.explain,
            is_conflict=desired.provider.is_conflict,
            guard=lease.ensure,
        )
        return _result(options, prepared, check, progress)


@dataclass
class _Prepared:
    """What is wanted, and the plan of what the apply itself does: all, or what the target leaves to it.

    planned: what the target does beside that.
    violations: of the policy. refused: why the plan is not carried out, if another one was approved.
    instances: what keeps the number of instances -> those that run before the apply.
    """

    desired: Desired
    plan: Plan
    planned: Planned = field(default_factory=Planned)
    violations: list[Violation] = field(default_factory=list)
    refused: str = ""
    instances: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_forbidden(self) -> bool:
        """Whether the policy, or another plan that was approved, stops the apply."""
        return bool(self.refused or denied(self.violations))


def _prepare(
    options: UpdateOptions, policy: Policy, store: ClusterStore, progress: Progress = silent, *, dry_run: bool = False
) -> _Prepared:
    """Everything that is done before the first write; it only reads."""
    target = target_of(options)
    desired = desired_by_now(options, store, dry_run=dry_run)
    desired.cloud.tell = progress
    target.settle(desired, check=dry_run)
    takeovers = _takeovers(options, store, desired.cluster, desired.provider, desired.cloud)
    desired.warnings[:0] = takeovers
    tasks = target.tasks(options, store, desired)
    planned = target.planned(desired)
    plan = _plan(options, desired, tasks)
    plan.outside, plan.outside_unchanged = planned.entries, planned.unchanged
    if not takeovers:
        made = [each.task for each in plan.steps if each.action is Action.CREATE]
        keysets = {task.name for task in made if isinstance(task, Keypair)}
        plan.warnings += remade_keys(store, desired.cluster, desired.provider, desired.cloud, keysets, desired.key_ids)
    refused = _refused(options, plan)
    violations = [] if refused else _violations(options, policy, desired, plan)
    instances = desired.provider.looking.running(desired.cloud) if plan.changed or options.out else {}
    return _Prepared(desired, plan, planned, violations, refused, instances)


def _takeovers(
    options: UpdateOptions, store: ClusterStore, cluster: Cluster, provider: Provider[Any], cloud: Reads
) -> list[str]:
    """What is taken over from another cluster. Raises KopsError for what the user has not named."""
    of_target = target_of(options).takeovers(options, store, cluster)
    return of_target + taken_over_objects(store, cluster, provider, cloud)


def _violations(options: UpdateOptions, policy: Policy, desired: Desired, plan: Plan) -> list[Violation]:
    """What violates the policy. The plan gets warnings of what does not stop it, and of what cannot be asked."""
    if not policy:
        return []
    changes, target = policy.about(CHANGE), target_of(options)
    if changes and target.makes_own_plan:
        plan.warnings.append(
            f"as {target.title} makes the plan itself, these rules of the policy were not asked: {', '.join(changes)}"
        )
    entries = [] if target.makes_own_plan else plan.as_data()
    objects = map(object_of, desired.tasks.values()) if policy.about(OBJECT) else ()
    found = policy.violations([*subjects_of(desired.cluster, desired.groups, objects), *subjects_of_plan(entries)])
    found += violations_of(policy, UPDATE)
    plan.warnings += warnings_of(found)
    return found


def desired_by_now(options: UpdateOptions, store: ClusterStore, *, dry_run: bool) -> Desired:
    """What the cluster should be by now: while control planes are older than they should be, workers are, too."""
    late_values = target_of(options).late_values
    desired = desired_state(options, dry_run=dry_run, store=store, late_values=late_values)
    before = before_of(desired)
    refuse_changes(desired, before, allow_network_change=options.allow_network_change)
    wanted = desired.cluster.spec.kubernetes_version or ""
    if store.broken:
        # What runs is asked; what the last update wanted is not known.
        before = desired.cluster
    if before is None or options.ignore_kubelet_version_skew or not cloud_of(desired.cluster).starts_nodes:
        return desired
    # Few updates are one of an upgrade.
    from ..versions.running import ask
    from ..versions.workers import is_pending, workers_version

    if not store.broken and not is_pending(wanted, before):
        return desired
    found = workers_version(wanted, before, ask(options.state_store, options.name, options.api_server))
    if found.version:
        desired = desired_state(
            options, dry_run=dry_run, store=store, workers_version=found.version, late_values=late_values
        )
        desired.warnings += [each for each in (store.broken, found.warning) if each]
    return desired


def _result(options: UpdateOptions, prepared: _Prepared, check: bool, progress: Progress) -> UpdateResult:
    """The result, once the plan is carried out; what the target writes beside it is written now."""
    target, only_looks = target_of(options), check or prepared.is_forbidden
    written = target.write(options, prepared.desired, prepared.planned, check=only_looks, progress=progress)
    result = UpdateResult(bool(written.files) or prepared.plan.changed, prepared.plan, written)
    result.changed = result.changed and not prepared.is_forbidden
    result.violations = prepared.violations
    result.refused = prepared.refused
    result.instances = {name: prepared.instances[name] for name in result.waiting if prepared.instances.get(name)}
    result.name, result.cloud = options.name, cloud_of(prepared.desired.cluster).name
    result.manifest = options.manifest
    return result


def _plan(options: UpdateOptions, desired: Desired, tasks: Mapping[str, Task[Any]]) -> Plan:
    plan = make_plan(
        tasks,
        desired.cloud,
        prune=options.prune,
        explain=desired.provider.explain,
        is_denied=desired.provider.is_denied,
    )
    if options.prune and target_of(options).prunes:
        plan.deletions += old_node_files(desired, tasks)
        plan.deletions.sort(key=lambda deletion: (deletion.kind, deletion.item))
    plan.warnings = [*desired.store.path.advice(), *desired.warnings, *plan.warnings]
    return plan


def _refused(options: UpdateOptions, plan: Plan) -> str:
    """Why a plan is not carried out, if another one was approved."""
    if not options.plan_id or options.plan_id == plan.id:
        return ""
    now = f"that is plan {plan.id}. Look at it in check mode, and approve it anew."
    if not plan.changed:
        now = "all is as it should be, so nothing is left to approve."
    return f"the approved plan {options.plan_id} is not what would be done now: {now}"
