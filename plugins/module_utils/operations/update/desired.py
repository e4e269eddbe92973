# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Desired state of a cluster: its stored specification, completed, checked, and turned into tasks. It only reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from ...api import manifest
from ...api.clouds import cloud_of, region_of
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...api.origin import located
from ...api.ssh_credential import SSHCredential
from ...api.validation.entry import deep_validate, raise_for
from ...api.validation.update import has_lasting_members, validate_members_stay, validate_network_change
from ...api.versions import Version
from ...api.without_effect import warnings_of
from ...base.errors import FieldError, KopsError, ValidationError
from ...channels.loader import load_channel
from ...cloud.provider import explaining
from ...cloud.tasks._store import know_tree
from ...cloud.tasks.managed_file import ManagedFile
from ...completion.cluster import complete_cluster
from ...completion.instance_group import complete_instance_group
from ...completion.settings import Settings, parse_feature_flags
from ...engine.planner import Compared
from ...engine.targets.rendering import FOUND, LateValues
from ...model.config import COMPLETED_CLUSTER
from ...model.context import ModelContext, OfVersion
from ...model.phases import layers, lifecycle_overrides
from ...statestore.objects import with_base
from ...statestore.secrets import CILIUM_KEYS, ENCRYPTION_CONFIG, SecretError, check_secret
from ...statestore.ssh_keys import fingerprint, problem_for
from ...statestore.store import ClusterStore
from ..clouds import builders_of, open_cloud
from ..group_choice import choose_groups
from ..metal.network import problems_of_network
from ..refused import refused
from ..versions.supported import OLDEST_KUBERNETES, RECOMMENDED_KUBERNETES, problems_of_version
from .known_keys import KnownKeys
from .node_stores import problems_of_stores
from .stored import StoredCluster

if TYPE_CHECKING:
    from ...api.facts import CloudFacts
    from ...cloud.provider import Provider
    from ...cloud.reads import Reads
    from ...engine.task import Task
    from ...statestore.vfs.path import Tree


class DesiredOptions(Protocol):
    """The part of an operation's options that decides what a cluster should be."""

    @property
    def state_store(self) -> str:
        """Address of the state store."""

    @property
    def name(self) -> str:
        """Name of the cluster."""

    @property
    def phase(self) -> str:
        """The only layer of it; empty for all."""

    @property
    def lifecycle_overrides(self) -> Sequence[str]:
        """Overrides of lifecycles, as Kind=Lifecycle."""

    @property
    def instance_groups(self) -> Sequence[str]:
        """Names of the groups to update; empty for all."""

    @property
    def instance_group_roles(self) -> Sequence[str]:
        """Roles of the groups to update; empty for all."""

    @property
    def manifest(self) -> str:
        """Manifests to plan with as if they were stored; empty for the stored ones."""

    @property
    def allow_kops_downgrade(self) -> bool:
        """Whether a newer kops may have updated it."""

    @property
    def addon_checksums(self) -> Mapping[str, str]:
        """SHA-256 of files of addons, by URL."""


@dataclass
class Desired:
    """A completed cluster with its tasks, what it was completed with, and the cloud to compare them with.

    key_ids: gives the ids of a stored keyset's key pairs. looked_at: the tasks as a direct run has them, by their keys;
    they know what is there, once a target that renders them has looked. there: what it has found then.
    workers_version: of Kubernetes, if workers have another one than the cluster; else "".
    has_variables: whether what people change of instance groups are variables of what is rendered.
    """

    store: ClusterStore
    cluster: Cluster
    groups: list[InstanceGroup]
    settings: Settings
    provider: Provider[Any]
    cloud: Reads
    region: str
    tasks: dict[str, Task[Any]]
    stored: StoredCluster
    key_ids: Callable[[str], list[str]]
    warnings: list[str] = field(default_factory=list)
    looked_at: Mapping[str, Task[Any]] = field(default_factory=dict)
    there: Compared = field(default_factory=Compared)
    workers_version: str = ""
    has_variables: bool = False


def desired_state(
    options: DesiredOptions,
    *,
    dry_run: bool = False,
    store: ClusterStore | None = None,
    kubernetes_version: str = "",
    workers_version: str = "",
    late_values: LateValues = FOUND,
) -> Desired:
    """Read, complete and validate a stored cluster, and build its tasks.

    store: where to read; None opens the one that the options name. kubernetes_version: instead of the specification's.
    workers_version: the same for workers only (workers_version.py). late_values: those of the target.
    Raises KopsError for a store that cannot be read, ValidationError with all problems of the specification.
    """
    store = store or ClusterStore.open(options.state_store, options.name)
    cluster, groups, tree = _read(options, store)
    raise_for(located(store.foreign_places(cluster, tree), [cluster]), f"cluster {options.name}")
    if kubernetes_version:
        cluster = replace(cluster, spec=replace(cluster.spec, kubernetes_version=kubernetes_version))
    chosen = choose_groups(groups, options.instance_groups, options.instance_group_roles)
    provider, cloud = open_cloud(cluster)
    know_tree(cloud, tree)
    settings = settings_of(cluster)
    ssh_public_keys = store.ssh_public_keys.list(tree)
    ssh_public_keys += _given_keys(options, ssh_public_keys)
    with explaining(provider):
        facts = provider.facts(cloud, ahead_for=groups)
        completed = complete_cluster(cluster, groups, facts=facts, settings=settings)
        all_groups = [complete_instance_group(completed, group, facts=facts, settings=settings) for group in groups]
        workers = _of_version(cluster, groups, workers_version, facts, settings) if workers_version else None
        found = deep_validate(completed, all_groups, strict=True, facts=facts)
        found += refused(completed, all_groups)
        raise_for(located(found, [completed, *all_groups]), f"cluster {options.name}")
        account = provider.account(cloud)
    secret_names = frozenset(store.secrets.list(tree))
    generated = frozenset() if store.was_updated(tree) else frozenset({ENCRYPTION_CONFIG})
    problems = _problems_of_store(secret_names | generated, completed, ssh_public_keys)
    stays = store.was_updated(tree) and has_lasting_members(completed)
    problems += _unreadable_secrets(store, secret_names, completed)
    problems += _lost_etcd_members(completed, groups, stays)
    problems += _downgrade(store.kops_version(settings.kops_version, tree), settings, options)
    problems += problems_of_network(completed) + problems_of_stores(cluster, store.path.path)
    keys = KnownKeys(store, tree)
    problems += keys.problems()
    if problems:
        raise ValidationError(problems, f"cluster {options.name}")
    stored = StoredCluster(
        store, tree, completed, keys, secret_names, manifests=options.manifest, pinned=options.addon_checksums
    )
    context = ModelContext(
        cluster=completed,
        groups=all_groups,
        facts=facts,
        account=account,
        kops_version=settings.kops_version,
        features=settings.feature_flags,
        ssh_public_keys=ssh_public_keys,
        stored=stored,
        target=late_values,
        chosen=chosen,
        workers=workers,
        layers=layers(options.phase, dry_run=dry_run),
        lifecycle_overrides=lifecycle_overrides(options.lifecycle_overrides),
    )
    try:
        tasks = builders_of(cluster).build(context)
    except ValidationError as error:
        raise ValidationError(located(error.errors, [completed, *all_groups]), error.subject) from error
    return Desired(
        store,
        completed,
        all_groups,
        settings,
        provider,
        cloud,
        region_of(cluster),
        tasks,
        stored,
        keys.all_ids,
        [*store.takeovers, *_warnings(completed), *warnings_of([cluster, *groups]), *context.warnings],
        workers_version=workers_version,
    )


def _of_version(
    cluster: Cluster, groups: Sequence[InstanceGroup], version: str, facts: CloudFacts, settings: Settings
) -> OfVersion:
    other = replace(cluster, spec=replace(cluster.spec, kubernetes_version=version))
    completed = complete_cluster(other, groups, facts=facts, settings=settings)
    return OfVersion(
        completed, [complete_instance_group(completed, each, facts=facts, settings=settings) for each in groups]
    )


def before_of(desired: Desired) -> Cluster | None:
    """The completed cluster as the last update wrote it; None if there was none, or if it is the desired one.

    None, with a warning, for a broken one.
    """
    files = [task for task in desired.tasks.values() if isinstance(task, ManagedFile)]
    wanted = [file for file in files if file.name == COMPLETED_CLUSTER]
    for file in wanted:
        file.prepare(desired.cloud)
    # The listing of the store says whether it changes at all: most updates need not read it.
    written = [file.find(desired.cloud) for file in wanted]
    changes = [was for was, file in zip(written, wanted) if was and was.contents != file.contents]
    before = desired.store.completed() if changes else None
    desired.warnings += [desired.store.broken] if desired.store.broken else []
    return before


def refuse_changes(desired: Desired, before: Cluster | None, *, allow_network_change: bool) -> None:
    """Raise ValidationError for what a running cluster would not survive, compared with what the last update wrote:
    pods without their network, etcd clusters without their members. before: as before_of() gives it.
    """
    if before is not None:
        problems = validate_members_stay(desired.cluster, before)
        problems += [] if allow_network_change else validate_network_change(desired.cluster, before)
        raise_for(problems, f"cluster {desired.cluster.metadata.name}")


def _read(options: DesiredOptions, store: ClusterStore) -> tuple[Cluster, list[InstanceGroup], Tree]:
    """The specification, and the listing of the cluster's directory; what can be is read at the same time."""
    with ThreadPoolExecutor(1) as pool:
        tree = pool.submit(store.tree)
        if options.manifest:
            return (*_given(options, store), tree.result())
        cluster = store.read_cluster()
        return cluster, store.read_groups(tree.result()), tree.result()


def _given(options: DesiredOptions, store: ClusterStore) -> tuple[Cluster, list[InstanceGroup]]:
    """The manifests that are to be planned with instead of the stored ones."""
    objects = manifest.load(options.manifest, source="manifest")
    clusters = [found for found in objects if isinstance(found, Cluster)]
    if len(clusters) != 1 or clusters[0].metadata.name != options.name:
        names = ", ".join(str(found.metadata.name) for found in clusters) or "none"
        raise KopsError(f"manifest must hold the cluster {options.name} and no other; it holds {names}")
    groups = [found for found in objects if isinstance(found, InstanceGroup)]
    return with_base(clusters[0], store.path.path), sorted(groups, key=lambda group: str(group.metadata.name))


def _given_keys(options: DesiredOptions, stored: Sequence[str]) -> list[str]:
    """The SSH public keys of the manifests that are not stored yet."""
    known = set(map(fingerprint, stored))
    objects = manifest.load(options.manifest, source="manifest") if options.manifest else []
    keys = [str(found.spec.public_key) for found in objects if isinstance(found, SSHCredential)]
    return [key for key in keys if fingerprint(key) not in known]


def settings_of(cluster: Cluster) -> Settings:
    """The settings that a cluster is completed with: its channel, and the environment's feature flags."""
    flags = parse_feature_flags(os.environ.get("KOPS_FEATURE_FLAGS", ""))
    return Settings(channel=load_channel(cluster.spec.channel or "stable"), feature_flags=flags)


def _problems_of_store(present: frozenset[str], cluster: Cluster, ssh_public_keys: list[str]) -> list[FieldError]:
    """What the specification does not find in the store, or finds too often. present: secrets, also those to come."""
    spec, problems = cluster.spec, []
    secrets = {"spec.encryptionConfig": ENCRYPTION_CONFIG} if spec.encryption_config else {}
    cilium = spec.networking.cilium
    if cilium and cilium.enable_encryption and cilium.encryption_type == "ipsec":
        secrets["spec.networking.cilium.enableEncryption"] = CILIUM_KEYS
    problems += [_missing_secret(path, secret) for path, secret in secrets.items() if secret not in present]
    cloud = cloud_of(cluster)
    if cloud.takes_one_ssh_key and len(ssh_public_keys) > 1:
        message = (
            f"{cloud.title} takes one SSH public key for a cluster; remove the others (kubeops.kops.ssh_public_key)"
        )
        problems.append(FieldError("TooMany", "spec.sshKeyName", message))
    # With a key of the cloud's, none is made of those in the store.
    if spec.ssh_key_name is None:
        told = [problem_for(cloud, key) for key in ssh_public_keys]
        problems += [FieldError("Invalid", "", f"an SSH public key: {message}") for message in told if message]
    problems += problems_of_version(cluster)
    return problems


def _unreadable_secrets(store: ClusterStore, names: frozenset[str], cluster: Cluster) -> list[FieldError]:
    """Secrets that the API server would not start with. An older version may have stored them."""
    if not cluster.spec.encryption_config or ENCRYPTION_CONFIG not in names:
        return []
    try:
        check_secret(ENCRYPTION_CONFIG, store.secrets.find(ENCRYPTION_CONFIG) or b"")
    except SecretError as error:
        return [FieldError("Invalid", "spec.encryptionConfig", str(error))]
    return []


def _lost_etcd_members(cluster: Cluster, groups: Sequence[InstanceGroup], stays: bool) -> list[FieldError]:
    """Members whose instance group is gone: the group of a member that is still wanted is never taken down.

    stays: whether the members cannot be removed any more.
    """
    names = {group.metadata.name for group in groups}
    return [
        FieldError(
            "NotFound",
            f"spec.etcdClusters[{index}].etcdMembers[{position}].instanceGroup",
            f"member {member.name} of etcd cluster {etcd.name} is in an instance group that the state store does not"
            f" have; store the group again{'' if stays else ', or remove the member'}",
            member.instance_group,
        )
        for index, etcd in enumerate(cluster.spec.etcd_clusters)
        for position, member in enumerate(etcd.etcd_members)
        if member.instance_group and member.instance_group not in names
    ]


def _downgrade(last: str, settings: Settings, options: DesiredOptions) -> list[FieldError]:
    """The problem of a cluster that a newer kops has updated. last: that kops' version; "" when none has."""
    if not last or options.allow_kops_downgrade:
        return []
    try:
        if Version.parse(last) <= Version.parse(settings.kops_version):
            return []
    except KopsError:
        # The update writes the file again.
        return []
    message = (
        f"the cluster was last updated by kops {last}, which is newer than the {settings.kops_version} that this"
        " collection follows; set allow_kops_downgrade to go on"
    )
    return [FieldError("Forbidden", "", message)]


def _missing_secret(path: str, secret: str) -> FieldError:
    return FieldError("Required", path, f"needs the secret {secret}; create it with kubeops.kops.secret first")


def _warnings(cluster: Cluster) -> list[str]:
    warnings = []
    version = cluster.spec.kubernetes_version or ""
    if OLDEST_KUBERNETES <= Version.parse(version) < RECOMMENDED_KUBERNETES:
        warnings.append(f"Kubernetes {version} is old; {RECOMMENDED_KUBERNETES} or newer is recommended")
    kubelet = cluster.spec.kubelet
    if kubelet is None or kubelet.anonymous_auth is None:
        warnings.append("kubelets answer anonymous requests; set spec.kubelet.anonymousAuth to false")
    return warnings
