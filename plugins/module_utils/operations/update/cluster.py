# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""update cluster: what the state store says, made real in the cloud, or written as Terraform."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ...api.clouds import cloud_of
from ...api.cluster import Cluster
from ...api.manifest import dump_all, load
from ...base.errors import KopsError
from ...cloud.tasks.keypair import Keypair
from ...cloud.user_data import changes_of, consequence_of
from ...engine.executor import apply_plan
from ...engine.plan import Plan, object_of
from ...engine.plan_data import Action
from ...engine.planner import PlanError, look_up, make_plan, refused_changes
from ...engine.targets.terraform import changed_files, stale_files, write_files
from ...engine.task import ImmutableField, Task
from ...statestore.store import ClusterStore, versioning_warnings
from ..clouds import builders_of, open_cloud
from ..next_steps import UPDATE
from ..ownership import remade_keys, taken_over_directory, taken_over_objects
from ..policy.operation import violations_of
from ..policy.policy import Policy, denied, subjects_of, subjects_of_plan, warnings_of
from ..policy.rule import CHANGE, OBJECT, Violation
from ..progress import Progress, silent
from ..store.manifests import WantedCluster
from .desired import Desired, before_of, desired_state, refuse_changes
from .old_node_files import old_node_files

if TYPE_CHECKING:
    from ...cloud.provider import Provider
    from ...cloud.reads import Reads

TARGETS = ("direct", "terraform")
# The files of a Terraform directory with user data.
_USER_DATA = re.compile(r"data/[a-z]+_\w*?template_(.+)_user_data")


@dataclass(frozen=True)
class UpdateOptions:
    """How to update.

    target: direct changes the cloud; terraform writes a configuration to the directory out.
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
    target: str = "direct"
    out: str = ""
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
    """What was done, or in check mode would be done. files: changed files of a Terraform directory.

    replaced: with Terraform, launch templates -> what their instances only get when they are replaced.

    name, cloud: of the cluster. manifest: the specification that was planned with, where it is not stored.
    violations: of the policy. If one of them stops the apply, nothing was done. refused: why this plan was not carried
    out, as another one was approved.
    instances: launch templates of which something only has its effect when instances are replaced -> those that run.
    """

    changed: bool
    plan: Plan
    files: list[str] = field(default_factory=list)
    replaced: dict[str, str] = field(default_factory=dict)
    out: str = ""
    name: str = ""
    cloud: str = ""
    manifest: str = ""
    violations: list[Violation] = field(default_factory=list)
    refused: str = ""
    instances: dict[str, list[str]] = field(default_factory=dict)

    @property
    def waiting(self) -> dict[str, str]:
        """What is changed, and only has its effect when instances are replaced: its name and what that is."""
        if self.out:
            return self.replaced
        updated = [entry for entry in self.plan.as_data() if entry["action"] == Action.UPDATE.value]
        return {entry["name"]: entry["reason"] for entry in updated if entry["reason"]}


def update_cluster(options: UpdateOptions, *, check: bool = False, progress: Progress = silent) -> UpdateResult:
    """Make a cluster what its state store says.

    check: make the plan by reading only. Raises KopsError: the specification's problems, all at once, before anything
    is written; PlanError for what cannot be changed; ApplyError for what failed on the way (running again continues).
    """
    if options.target not in TARGETS:
        raise KopsError(f"there is no target {options.target!r}; targets are {', '.join(TARGETS)}")
    policy = Policy.read(options.policy)
    if not options.manifest:
        return _update(options, policy, check, progress)
    options, stored, forbidden = _store(options, policy, check)
    if forbidden is not None:
        return _result(options, forbidden, check, progress)
    result = _update(options, policy, check, progress)
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
        prepared = _prepare(options, policy, store)
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


def _update(options: UpdateOptions, policy: Policy, check: bool, progress: Progress) -> UpdateResult:
    store = ClusterStore.open(options.state_store, options.name, adopt=options.adopt)
    if check:
        return _result(options, _prepare(options, policy, store, dry_run=True), check, progress)
    lease = store.lease_for("update cluster", wait=options.lease_wait, break_existing=options.break_lease)
    # What is wrong, and that nothing is to be done, is found out before anything is written, even the lease.
    prepared = _prepare(options, policy, store) if lease.look() else None
    if prepared is not None and (prepared.is_forbidden or not prepared.plan.changed):
        return _result(options, prepared, check, progress)
    with store.holding(lease):
        if prepared is None or not lease.undisturbed:
            prepared = _prepare(options, policy, store)
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
    """What is wanted, and the plan of what the apply itself does: all, or with Terraform what only the store keeps.

    violations: of the policy. refused: why the plan is not carried out, if another one was approved.
    instances: what keeps the number of instances -> those that run before the apply.
    """

    desired: Desired
    plan: Plan
    violations: list[Violation] = field(default_factory=list)
    refused: str = ""
    instances: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_forbidden(self) -> bool:
        """Whether the policy, or another plan that was approved, stops the apply."""
        return bool(self.refused or denied(self.violations))


def _prepare(options: UpdateOptions, policy: Policy, store: ClusterStore, *, dry_run: bool = False) -> _Prepared:
    """Everything that is done before the first write; it only reads."""
    if options.target == "terraform" and not options.out:
        raise KopsError("target terraform needs out, the directory that the configuration is written to")
    if options.target == "terraform" and (any(options.instance_groups) or any(options.instance_group_roles)):
        raise KopsError(
            "instance_groups and instance_group_roles are for target direct: groups that are left out of a"
            " configuration, Terraform destroys"
        )
    desired = desired_by_now(options, store, dry_run=dry_run)
    takeovers = _takeovers(options, store, desired.cluster, desired.provider, desired.cloud)
    desired.warnings[:0] = takeovers
    tasks = desired.tasks
    if options.target == "terraform":
        look_up(tasks.values(), desired.cloud, explain=desired.provider.explain)
        desired.warnings += _refuse_replacements(options, store, desired)
        tasks = {key: task for key, task in tasks.items() if task.store_only}
    plan = _plan(options, desired, tasks)
    if not takeovers:
        made = [each.task for each in plan.steps if each.action is Action.CREATE]
        keysets = {task.name for task in made if isinstance(task, Keypair)}
        plan.warnings += remade_keys(store, desired.cluster, desired.provider, desired.cloud, keysets, desired.key_ids)
    refused = _refused(options, plan)
    violations = [] if refused else _violations(options, policy, desired, plan)
    instances = desired.provider.running(desired.cloud) if plan.changed or options.out else {}
    return _Prepared(desired, plan, violations, refused, instances)


def _takeovers(
    options: UpdateOptions, store: ClusterStore, cluster: Cluster, provider: Provider[Any], cloud: Reads
) -> list[str]:
    """What is taken over from another cluster. Raises KopsError for what the user has not named."""
    found = []
    if options.target == "terraform":
        found += taken_over_directory(store, cluster, os.path.expanduser(options.out))
    return found + taken_over_objects(store, cluster, provider, cloud)


def _refuse_replacements(options: UpdateOptions, store: ClusterStore, desired: Desired) -> list[str]:
    """Raise PlanError for what a direct run refuses: Terraform would do it, and destroy what cannot be changed.

    Returns what could not be looked at. Compared is what a direct run would make, since looking fills in what a
    configuration must not name. Of a cloud that nobody compares, etcd's disks are protected in the configuration.
    """
    provider = desired.provider
    if not provider.compares:
        return []
    direct = desired_state(options, dry_run=True, store=store)
    refused, unseen = refused_changes(
        direct.tasks, direct.cloud, explain=provider.explain, is_denied=provider.is_denied
    )
    if refused:
        destroyed = "; Terraform would destroy it and make another one"
        raise PlanError([f"{each}{destroyed if isinstance(each, ImmutableField) else ''}" for each in refused])
    return unseen


def _violations(options: UpdateOptions, policy: Policy, desired: Desired, plan: Plan) -> list[Violation]:
    """What violates the policy. The plan gets warnings of what does not stop it, and of what cannot be asked."""
    if not policy:
        return []
    changes = policy.about(CHANGE)
    if changes and options.target == "terraform":
        plan.warnings.append(
            f"as Terraform makes the plan itself, these rules of the policy were not asked: {', '.join(changes)}"
        )
    entries = [] if options.target == "terraform" else plan.as_data()
    objects = map(object_of, desired.tasks.values()) if policy.about(OBJECT) else ()
    found = policy.violations([*subjects_of(desired.cluster, desired.groups, objects), *subjects_of_plan(entries)])
    found += violations_of(policy, UPDATE)
    plan.warnings += warnings_of(found)
    return found


def desired_by_now(options: UpdateOptions, store: ClusterStore, *, dry_run: bool) -> Desired:
    """What the cluster should be by now: while control planes are older than they should be, workers are, too."""
    for_terraform = options.target == "terraform"
    desired = desired_state(options, dry_run=dry_run, store=store, for_terraform=for_terraform)
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
            options, dry_run=dry_run, store=store, workers_version=found.version, for_terraform=for_terraform
        )
        desired.warnings += [each for each in (store.broken, found.warning) if each]
    return desired


def _result(options: UpdateOptions, prepared: _Prepared, check: bool, progress: Progress) -> UpdateResult:
    """The result, once the plan is carried out; for Terraform the files are written now."""
    if options.target == "terraform":
        result = _terraform(options, prepared, check or prepared.is_forbidden, progress)
    else:
        result = UpdateResult(changed=prepared.plan.changed, plan=prepared.plan)
    result.changed = result.changed and not prepared.is_forbidden
    result.violations = prepared.violations
    result.refused = prepared.refused
    result.instances = {name: prepared.instances[name] for name in result.waiting if prepared.instances.get(name)}
    result.name, result.cloud = options.name, cloud_of(prepared.desired.cluster).name
    result.manifest = options.manifest
    return result


def _terraform(options: UpdateOptions, prepared: _Prepared, check: bool, progress: Progress) -> UpdateResult:
    """Keys stay out of Terraform's state: they are made in the state store, all else is written to files."""
    desired = prepared.desired
    target = builders_of(desired.cluster).terraform_target(desired.cluster, desired.region)
    target.output("region", desired.region)
    target.output("cluster_name", options.name)
    files = target.render(task for task in desired.tasks.values() if not task.store_only)
    out = os.path.expanduser(options.out)
    changed = sorted([*changed_files(files, out), *stale_files(files, out)])
    replaced = _replaced(files, changed, out)
    if not check and changed:
        write_files(files, out)
        progress(f"wrote {len(files)} files to {out}")
    return UpdateResult(
        changed=bool(changed) or prepared.plan.changed, plan=prepared.plan, files=changed, replaced=replaced, out=out
    )


def _replaced(files: Mapping[str, bytes], changed: Sequence[str], out: str) -> dict[str, str]:
    """Of the user data that the directory has already, what changes, by the name of its launch template."""
    found = {}
    for name in changed:
        user_data = _USER_DATA.fullmatch(name)
        path = os.path.join(out, name)
        if user_data and name in files and os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as stream:
                found[user_data[1]] = consequence_of(changes_of(stream.read(), files[name].decode("utf-8", "replace")))
    return found


def _plan(options: UpdateOptions, desired: Desired, tasks: Mapping[str, Task[Any]]) -> Plan:
    plan = make_plan(
        tasks,
        desired.cloud,
        prune=options.prune,
        explain=desired.provider.explain,
        is_denied=desired.provider.is_denied,
    )
    if options.prune and options.target == "direct":
        plan.deletions += old_node_files(desired, tasks)
        plan.deletions.sort(key=lambda deletion: (deletion.kind, deletion.item))
    plan.warnings = [*versioning_warnings(desired.store.path), *desired.warnings, *plan.warnings]
    return plan


def _refused(options: UpdateOptions, plan: Plan) -> str:
    """Why a plan is not carried out, if another one was approved."""
    if not options.plan_id or options.plan_id == plan.id:
        return ""
    now = f"that is plan {plan.id}. Look at it in check mode, and approve it anew."
    if not plan.changed:
        now = "all is as it should be, so nothing is left to approve."
    return f"the approved plan {options.plan_id} is not what would be done now: {now}"
