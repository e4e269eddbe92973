# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fields of a specification change anything: each is set in a small cluster, and what comes out is compared.

What comes out are the tasks of the cloud with their NodeConfigs and addons, certificates and Terraform's providers; on
bare metal also the order of rolling updates. The stored specification is left out: it only repeats fields.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.api import codec, manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS, METAL, cloud_of
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.api.scalars import Duration, IntOrString, Quantity
from ansible_collections.kubeops.kops.plugins.module_utils.api.shapes import (
    Free,
    ListOf,
    MapOf,
    Scalar,
    Shape,
    Struct,
    shape_of,
    struct_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import CloudInstance
from ansible_collections.kubeops.kops.plugins.module_utils.completion.assignments import perform_assignments
from ansible_collections.kubeops.kops.plugins.module_utils.completion.cluster import complete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.completion.instance_group import complete_instance_group
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import Settings
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import comparable
from ansible_collections.kubeops.kops.plugins.module_utils.iam.account import Account
from ansible_collections.kubeops.kops.plugins.module_utils.model.config import COMPLETED_CLUSTER
from ansible_collections.kubeops.kops.plugins.module_utils.model.context import ModelContext
from ansible_collections.kubeops.kops.plugins.module_utils.model.node import build as node
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.context import NodeContext
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.files.assets import file_assets
from ansible_collections.kubeops.kops.plugins.module_utils.operations.clouds import builders_of
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.hosts import Host
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.rolling import batches
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.plan import Wish, plan
from ansible_collections.kubeops.kops.tests.golden.facts import update_cluster_facts
from ansible_collections.kubeops.kops.tests.support.stored import Given

from .upstream import with_objects

# Keys of the hub's manifests; "[]" is an item of a list.
Path = tuple[str, ...]
ITEM = "[]"
_SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPd1ihgB5TNuxyKWLDuUpTpGSzQ2VSBBEwiyHHfB3Y4T me@example.com"
_SECRETS = frozenset({"encryptionconfig", "dockerconfig", "ciliumpassword"})


def spelled(path: Path) -> str:
    """``("spec", "hooks", "[]", "name")`` -> ``spec.hooks[].name``."""
    return ".".join(path).replace(".[]", "[]")


@dataclass
class Laboratory:
    """A cluster to vary.

    manifests: of the cluster and its groups. given: path of a struct -> what it holds if it is made for a field of it.
    beside: path of a field -> other fields without which it means nothing, with their values.
    values: path of a field -> values to try, where those of its type mean nothing.
    """

    manifests: str
    given: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    values: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @cached_property
    def objects(self) -> list[Any]:
        return manifest.load(self.manifests)

    def has_effect(self, kind: type, path: Path) -> bool:
        """Whether one of the values of a field changes anything. A value that is refused was read, too."""
        before = self._before(kind, [path])
        try:
            return any(self._differs(before, kind, [path], [value]) for value in self._values(kind, path))
        except (KopsError, KeyError, ValueError):
            return True

    def have_effect(self, kind: type, paths: Sequence[Path]) -> bool:
        """Whether fields that are all set at once change anything."""
        tried = [self._values(kind, path) for path in paths]
        before = self._before(kind, paths)
        longest = max(map(len, tried))
        return any(
            self._differs(before, kind, paths, [values[index % len(values)] for values in tried])
            for index in range(longest)
        )

    # -- setting ------------------------------------------------------------------------------------------------

    def _values(self, kind: type, path: Path) -> Sequence[Any]:
        shape: Shape = struct_of(kind)
        for key in path:
            shape = shape.item if isinstance(shape, ListOf) else shape.by_key[key].shape  # type: ignore[attr-defined]
        return self.values.get(spelled(path)) or _values_of(shape)

    def _differs(self, before: Sequence[str], kind: type, paths: Sequence[Path], values: Sequence[Any]) -> bool:
        """Whether anything is not as before. No more is computed after the first that is not."""
        return any(now != then for now, then in itertools.zip_longest(self._outcome(kind, paths, values), before))

    def _before(self, kind: type, paths: Sequence[Path]) -> Sequence[str]:
        beside = tuple(path for path in paths if spelled(path) in self.beside)
        key = (kind, tuple(dict.fromkeys(path[:-1] for path in paths)), beside)
        if key not in self._known:
            self._known[key] = [*self._outcome(kind, paths, [_NOTHING] * len(paths))]
        return self._known[key]

    @cached_property
    def _known(self) -> dict[Any, Sequence[str]]:
        return {}

    def _outcome(self, kind: type, paths: Sequence[Path], values: Sequence[Any]) -> Iterator[str]:
        objects = [codec.copy(obj) for obj in self.objects]
        for obj in objects:
            for path, value in zip(paths, values):
                if isinstance(obj, kind):
                    for other, given in self.beside.get(spelled(path), {}).items():
                        self._put(obj, tuple(other.replace("[]", ".[]").split(".")), given)
                    self._put(obj, path, value)
        return outcome(objects)

    def _put(self, obj: Any, path: Path, value: Any) -> None:
        """Set a field; what it is in is made. With _NOTHING, only that."""
        holder, shape = obj, struct_of(type(obj))
        for index, key in enumerate(path):
            last, here = index == len(path) - 1, path[: index + 1]
            if isinstance(shape, ListOf):
                if not holder:
                    holder.append(self._made(shape.item, here))
                holder, shape = holder[0], shape.item
                continue
            declared = shape.by_key[key]
            if last and value is not _NOTHING:
                setattr(holder, declared.name, value)
            if last:
                return
            if getattr(holder, declared.name) is None:
                setattr(holder, declared.name, self._made(declared.shape, here))
            holder, shape = getattr(holder, declared.name), declared.shape

    def _made(self, shape: Any, path: Path) -> Any:
        made = codec.from_plain(shape.cls, self.given.get(spelled(path), {}))
        if "enabled" in shape.by_name and made.enabled is None:
            made.enabled = True
        return made


_NOTHING = object()


def leaves(kind: type) -> Iterator[Path]:
    """Every field of a kind's specification that holds a value."""
    return _leaves(struct_of(kind).by_key["spec"].shape, ("spec",))


def _leaves(shape: Shape, path: Path) -> Iterator[Path]:
    if isinstance(shape, ListOf) and isinstance(shape.item, Struct):
        yield from _leaves(shape.item, (*path, ITEM))
    elif isinstance(shape, Struct):
        # A struct without fields is a choice, and no setting.
        for declared in shape.by_key.values():
            yield from _leaves(declared.shape, (*path, declared.key))
    else:
        yield path


def _values_of(shape: Shape) -> list[Any]:
    if isinstance(shape, Struct):
        return [shape.cls()]
    if isinstance(shape, ListOf):
        return [[value] for value in _values_of(shape.item)]
    if isinstance(shape, MapOf):
        return [{"probe": value} for value in _values_of(shape.value)]
    if isinstance(shape, Free):
        return [{"probe": "probe"}]
    known: dict[Any, list[Any]] = {
        bool: [True, False],
        Duration: [Duration("7m0s")],
        Quantity: [Quantity("7")],
        IntOrString: [7],
    }
    for scalar, values in known.items():
        if shape is shape_of(scalar):
            return values
    return [7] if isinstance(shape, Scalar) and shape.zero == 0 else ["probe"]


# -- what comes out ---------------------------------------------------------------------------------------------------


def outcome(objects: Collection[Any]) -> Iterator[str]:
    """Checksums of everything that a cluster and its groups lead to; first of that in which most fields are."""
    (cluster,) = (obj for obj in objects if isinstance(obj, Cluster))
    given = [obj for obj in objects if isinstance(obj, InstanceGroup)]
    cloud = cloud_of(cluster)
    facts, settings = update_cluster_facts(cloud.name), Settings()
    perform_assignments(cluster, facts=facts, settings=settings)
    completed = complete_cluster(cluster, given, facts=facts, settings=settings)
    groups = [complete_instance_group(completed, group, facts=facts, settings=settings) for group in given]
    context = ModelContext(
        completed,
        groups,
        facts,
        account=Account("123456789012", "aws"),
        kops_version=settings.kops_version,
        features=settings.feature_flags,
        ssh_public_keys=[_SSH_KEY],
        stored=Given(secret_names=_SECRETS, with_checksums=_summed, read_upstream=with_objects),
    )
    found = [_of_tasks(context), _of_nodes(context), _of_operations(context)]
    # In clouds NodeConfigs are among the tasks.
    yield from itertools.chain(*(reversed(found) if cloud is METAL else found))


def _of_tasks(context: ModelContext) -> Iterator[str]:
    """Part by part, as most fields change something in the first ones; at the end all: a part may change others."""
    builders: Any = builders_of(context.cluster)
    for build_part in builders.BUILDERS:
        known = {*context.tasks}
        build_part(context)
        yield _checksum_of_tasks(task for key, task in context.tasks.items() if key not in known)
    yield _checksum_of_tasks(context.tasks.values())


def _of_nodes(context: ModelContext) -> Iterator[str]:
    for group in context.groups:
        files = _summed(file_assets(context.cluster, "amd64"))
        one = NodeContext(context.cluster, group, files=files, secret_names=_SECRETS, features=context.features)
        one = dataclasses.replace(one, api_addresses=("10.0.0.1",), region=context.region)
        yield _checksum([node.node_config(one), node.taints_of(group), repr(node._draft(one).issued)])


def _of_operations(context: ModelContext) -> Iterator[str]:
    """The order of rolling updates, and what Terraform is told."""
    cluster, groups = context.cluster, context.groups
    cloud = cloud_of(cluster)
    if cloud is METAL:
        hosts = [Host(f"host-{index}") for index in range(10)]
        yield _checksum([len(batch) for batch in batches(cluster, [(group, hosts) for group in groups])])
        return
    target = builders_of(cluster).terraform_target(cluster, context.region)
    yield _checksum([target._provider_arguments, target._files_provider_arguments])
    if cloud is AWS:
        machines = {
            str(group.metadata.name): [CloudInstance(f"i-{n}", "", outdated="old") for n in range(10)]
            for group in groups
        }
        yield _checksum([each.as_dict() for each in plan(cluster, groups, machines, {}, Wish())])


def _checksum_of_tasks(tasks: Iterable[Any]) -> str:
    return _checksum([comparable(vars(task)) for task in tasks if task.name != COMPLETED_CLUSTER])


def _checksum(found: Any) -> str:
    return hashlib.sha256(json.dumps(found, sort_keys=True, default=str).encode()).hexdigest()


def _summed(files: Sequence[Any]) -> list[Any]:
    return [dataclasses.replace(file, sha256=file.sha256 or "0" * 64) for file in files]
