# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""upgrade cluster: the versions that a channel recommends, or that a user names, into the stored specification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...api.clouds import cloud_of
from ...api.cluster import Cluster
from ...api.codec import copy
from ...api.instance_group import InstanceGroup
from ...api.validation.entry import raise_for
from ...api.versions import Version
from ...base.errors import FieldError, ValidationError
from ...channels.channel import Channel, is_channel_image
from ...channels.loader import load_channel
from ...completion.settings import KOPS_VERSION
from ...kubernetes.deprecated import removal_warnings
from ...kubernetes.running_versions import RunningVersions
from ...statestore.store import ClusterStore
from ..clouds import open_cloud
from ..store.manifests import WantedCluster
from ..store.plan import Stored
from ..store.write import StoreOptions, StoreResult, change
from .skew import parsed, skew_problems

DEFAULT_CHANNEL = "stable"


@dataclass(frozen=True)
class UpgradeOptions:
    """What to upgrade to. kubernetes_version: "" is the channel's recommendation. channel: "" is the cluster's own.

    running: what the nodes run; None if there are no nodes yet. given: the version that workers got with the last
    update; "" if that is not known, or if there was none. deprecated: API that clients request -> the minor version
    that does not serve it any more. ignore_kubelet_version_skew: no version is refused for what nodes run.
    """

    name: str
    kubernetes_version: str = ""
    channel: str = ""
    running: RunningVersions | None = None
    given: str = ""
    deprecated: Mapping[str, str] = field(default_factory=dict)
    ignore_kubelet_version_skew: bool = False


@dataclass(frozen=True)
class Upgraded:
    """A field that gets another value. item: as kops names it, "Cluster" or "InstanceGroup/nodes"."""

    item: str
    property: str
    old: str
    new: str


@dataclass
class UpgradeResult:
    """What changed in the store, or would in check mode. versions: lines about what runs, and what is to run."""

    stored: StoreResult
    upgrades: list[Upgraded] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)


def upgrade_cluster(store: StoreOptions, options: UpgradeOptions, *, check: bool = False) -> UpgradeResult:
    """Write newer versions into a stored cluster; update_cluster and a rolling update then apply them.

    What is planned is told before it is written. An upgrade that nodes have not finished is not overtaken by the next
    one, unless a version is named. Raises ValidationError for a version that is older than the cluster's, or that skips
    a minor version, of the specification or of what runs: Kubernetes supports neither.
    """
    upgrades: list[Upgraded] = []
    versions: list[str] = []
    warnings: list[str] = []

    def wanted(stored: Stored) -> WantedCluster:
        if stored.cluster is None:
            raise ClusterStore.open(store.state_store, options.name).not_found()
        cluster, groups = copy(stored.cluster), [copy(group) for group in stored.groups]
        upgrades[:] = [*_upgrade(cluster, options), *_upgrade_images(cluster, groups)]
        target = cluster.spec.kubernetes_version or ""
        told = _versions(stored.cluster.spec.kubernetes_version or "", target, options.running)
        number = Version.parse(target)
        warnings[:] = removal_warnings(options.deprecated.items(), (number.major, number.minor))
        if options.running is not None and options.running.unknown:
            warnings.append(options.running.unknown)
        if told != versions:
            for line in told:
                store.progress(line)
        versions[:] = told
        return WantedCluster(options.name, cluster=cluster, groups=groups)

    result = change(store, {options.name: wanted}, create=False, check=check)
    result.warnings = [*warnings, *result.warnings]
    return UpgradeResult(result, upgrades, versions)


def _upgrade(cluster: Cluster, options: UpgradeOptions) -> Iterator[Upgraded]:
    spec = cluster.spec
    channel = options.channel or spec.channel or DEFAULT_CHANNEL
    if channel != (spec.channel or ""):
        yield Upgraded("Cluster", "Channel", spec.channel or "", channel)
        spec.channel = channel
    current = spec.kubernetes_version or ""
    asked = options.kubernetes_version.removeprefix("v")
    unfinished = not asked and (options.given not in ("", current) or bool(_behind(current, options.running)))
    proposed = "" if unfinished else asked or recommended(load_channel(channel), current)
    if proposed and proposed != current.removeprefix("v"):
        _check(Version.parse(current), Version.parse(proposed))
        if options.running is not None and not options.ignore_kubelet_version_skew:
            problems = list(skew_problems(proposed, options.running.servers, options.running.kubelets))
            raise_for(problems, "upgrade")
        yield Upgraded("Cluster", "KubernetesVersion", current, proposed)
        spec.kubernetes_version = proposed


def _behind(version: str, running: RunningVersions | None) -> list[str]:
    """The nodes that do not have a version yet."""
    if running is None:
        return []
    known = {name: parsed(text) for name, text in {**running.servers, **running.kubelets}.items()}
    return [name for name, found in known.items() if found is not None and found < Version.parse(version)]


def _versions(current: str, target: str, running: RunningVersions | None) -> list[str]:
    """What runs, and what is to run."""
    if running is None:
        return [f"Kubernetes {current} -> {target}"] if target != current else [f"Kubernetes {target}"]
    behind = _behind(target, running)
    if target != current:
        first = f"Kubernetes {current} -> {target}"
    else:
        first = f"Kubernetes {target}, which {len(behind)} nodes do not have yet" if behind else f"Kubernetes {target}"
    parts = (
        ("control planes and API servers", running.servers, "first, one after the other"),
        ("all other nodes", running.kubelets, "when no API server is older"),
    )
    return [
        first,
        *(
            f"  {what}: {_counted(found)}{f' -> {target}, {when}' if {*behind} & {*found} else ''}"
            for what, found, when in parts
            if found
        ),
    ]


def _counted(versions: Mapping[str, str]) -> str:
    """Each version with the number of nodes that have it."""
    counts = Counter(versions.values())
    return ", ".join(f"{version or 'unknown'} ({counts[version]})" for version in sorted(counts))


def recommended(channel: Channel, current: str) -> str:
    """The newest version that is one step away: of the next minor version, else of the same one; "" for neither."""
    version = Version.parse(current)
    newest = channel.kubernetes_upgrade(current).recommended
    following = Version(version.major, version.minor + 1, 0)
    if following <= Version.parse(KOPS_VERSION):
        newest = channel.kubernetes_upgrade(str(following)).recommended or newest
    return str(newest) if newest and newest > version else ""


def _check(current: Version, proposed: Version) -> None:
    path = "spec.kubernetesVersion"
    if proposed < current:
        message = f"is older than {current}, which the cluster has; Kubernetes cannot be downgraded"
    elif (proposed.major, proposed.minor) > (current.major, current.minor + 1):
        message = (
            f"skips versions: from {current} the next step is {current.major}.{current.minor + 1};"
            " upgrade to each minor version in turn"
        )
    else:
        return
    raise ValidationError([FieldError("Invalid", path, message, str(proposed))], "upgrade")


def _upgrade_images(cluster: Cluster, groups: list[InstanceGroup]) -> Iterator[Upgraded]:
    """Newer images for groups that have one of the channel's; one that the user has chosen stays."""
    if not cloud_of(cluster).has_instances:
        return
    provider, cloud = open_cloud(cluster)
    facts = provider.facts(cloud)
    channel = load_channel(cluster.spec.channel or DEFAULT_CHANNEL)
    for group in groups:
        present = group.spec.image or ""
        if present and not is_channel_image(present):
            continue
        machine = facts.instance_type(group.spec.machine_type or "")
        architecture = machine.architectures[0] if machine else "amd64"
        image = channel.image(cloud_of(cluster).name, cluster.spec.kubernetes_version or "", architecture)
        if image and image != present:
            yield Upgraded(f"InstanceGroup/{group.metadata.name}", "Image", present, image)
            group.spec.image = image
