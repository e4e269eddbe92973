# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' cases of validation: a changed manifest in, accepted or the classes and paths of the problems out."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec, manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import cloud_of
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation.entry import (
    deep_validate,
    raise_for,
    validate_cluster,
    validate_cluster_update,
    validate_instance_group,
    validate_location,
)
from ansible_collections.kubeops.kops.plugins.module_utils.api.yaml.read import read_documents
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import (
    FieldError,
    KopsError,
    ManifestError,
    ValidationError,
)
from ansible_collections.kubeops.kops.plugins.module_utils.completion.assignments import perform_assignments
from ansible_collections.kubeops.kops.plugins.module_utils.completion.cluster import complete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.completion.instance_group import complete_instance_group
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import Settings, parse_feature_flags

from .facts import update_cluster_facts
from .results import DIFFERING, MATCHED, Result, about, part_of

KOPS_VERSION = "1.34.0-beta.1"
ACCEPTED = "accepted"
# What an error without a field is called.
OTHER = "Other::"
# Where we refuse on purpose what kops lets pass at first. Each is named in the documentation.
STRICTER = (
    r"Unknown::.*",
    r"NotSupported::spec\.api\.loadBalancer\.type",
    r"NotSupported::spec\.kubeProxy\.proxyMode",
    r"Invalid::spec\.securityGroupOverride",
    r"Forbidden::spec\.cloudLabels\..*",
    r"Duplicate::spec\.networking\.subnets\[\d+\]\.cidr",
    # No VPC is larger than /16, and no instance has two volumes of one device.
    r"Invalid::spec\.networking\.networkCIDR",
    r"Duplicate::spec\.volumes\[\d+\]\.device",
    # A taint of ha_gce has an effect that Kubernetes does not have.
    r"Invalid::spec\.taints\[\d+\]",
)


@dataclass
class Case:
    """An entry of cases.yaml. base: a directory of update_cluster cases' inputs."""

    name: str
    base: Path
    patch: list[dict[str, Any]]
    expected: set[str]
    stage: str = ""
    update: bool = False
    etcd_status: list[str] = field(default_factory=list)


@dataclass
class Manifest:
    """The plain documents of a base or of a patched base, in v1alpha2."""

    cluster: dict[str, Any]
    groups: list[dict[str, Any]]


def cases(directory: Path) -> list[Case]:
    """The cases of a directory of golden cases (the one that holds validation/). A base may be in the default one."""
    found = []
    file = directory / "validation" / "cases.yaml"
    for entry in yaml.safe_load(file.read_text()) if file.is_file() else ():
        expected = entry["expect"]
        found.append(
            Case(
                name=entry["name"],
                base=part_of(directory, f"update_cluster/{entry['base']}"),
                patch=entry.get("patch") or [],
                expected=set() if expected == ACCEPTED else spelled_once(expected),
                stage=entry.get("stage") or "",
                update=bool(entry.get("update")),
                etcd_status=entry.get("etcd_status") or [],
            )
        )
    return found


def compare(case: Case) -> list[Result]:
    """Run a case and say whether its outcome is kops'."""
    found, stage = run(case)
    extra = {problem for problem in found - case.expected if any(re.fullmatch(rule, problem) for rule in STRICTER)}
    names_more = case.expected == {OTHER} and found
    if found - extra == case.expected or names_more:
        detail = f"stricter: {', '.join(sorted(extra))}" if extra else ""
        return [Result(case.name, case.stage or ACCEPTED, MATCHED, detail, row=case.base.name)]
    wanted = f"{sorted(case.expected) or ACCEPTED} at {case.stage or 'no stage'}"
    detail = f"{sorted(found) or ACCEPTED} at {stage or 'no stage'}, kops: {wanted}"
    return [Result(case.name, case.stage or ACCEPTED, DIFFERING, detail, row=case.base.name)]


def run(case: Case) -> tuple[set[str], str]:
    """The problems of a case as Type::path, and the stage that found them; nothing and "" when it is accepted."""
    base = read_base(case.base)
    old = base if case.update else None
    new = apply_patch(base, case.patch)
    features = about(case.base).get("features") or []
    settings = Settings(kops_version=KOPS_VERSION, feature_flags=parse_feature_flags(",".join(features)))
    ignored: list[str] = []
    stage = "decode"
    try:
        cluster, groups = decode(new, ignored)
        stage = "cloud"
        raise_for(validate_location(cluster))
        cloud_facts = update_cluster_facts(cloud_of(cluster).name)
        raise_for(validate_location(cluster, cloud_facts))
        for stage, check in stages(cluster, groups, old, case, cloud_facts, settings):  # noqa: B007
            check()
    except KopsError as error:
        return names_of(error), stage
    # With unknown fields we refuse at once; going on without them shows whether the rest is as in kops.
    return {f"Unknown::{where}" for where in ignored}, "decode" if ignored else ""


def stages(
    cluster: Cluster,
    groups: list[InstanceGroup],
    old: Manifest | None,
    case: Case,
    facts: Any,
    settings: Settings,
) -> Iterable[tuple[str, Callable[[], None]]]:
    """kops' order: assign, validate and store, complete, validate the whole. Each stage ends at its first refusal."""
    flags = settings.feature_flags
    completed: list[Any] = []

    def assign() -> None:
        perform_assignments(cluster, facts=facts, settings=settings)

    def create() -> None:
        raise_for(validate_cluster(cluster, strict=False, feature_flags=flags))

    def update() -> None:
        before, _groups = decode(old or Manifest({}, []), [])
        perform_assignments(before, facts=facts, settings=settings)
        raise_for(validate_cluster_update(cluster, before, case.etcd_status, feature_flags=flags))

    def create_groups() -> None:
        for group in groups:
            raise_for(validate_instance_group(group))

    def complete() -> None:
        completed.append(complete_cluster(cluster, groups, facts=facts, settings=settings))
        raise_for(validate_cluster(completed[0], strict=True, feature_flags=flags))

    def complete_groups() -> None:
        completed.extend(
            complete_instance_group(completed[0], group, facts=facts, settings=settings) for group in groups
        )

    def deep() -> None:
        raise_for(deep_validate(completed[0], completed[1:], strict=True, facts=facts, feature_flags=flags))

    yield "cloud", assign
    yield ("update", update) if old else ("create", create)
    yield "create-ig", create_groups
    yield "complete", complete
    yield "complete-ig", complete_groups
    yield "deep", deep


def names_of(error: KopsError) -> set[str]:
    """The problems of an error as Type::path."""
    problems: Iterable[FieldError] = error.errors if isinstance(error, ValidationError) else ()
    return {OTHER if found.type == "Other" else f"{found.type}::{found.path}" for found in problems} or {OTHER}


def spelled_once(problems: Iterable[str]) -> set[str]:
    """kops' problems, in which the name of an object is called by two paths, and a bad one named twice."""
    return {problem.replace("::objectMeta.", "::metadata.") for problem in problems}


def read_base(directory: Path) -> Manifest:
    """The input of an update_cluster case as plain documents in v1alpha2."""
    file = next(directory.glob("in-*.yaml"))
    documents = [document.data for document in read_documents(file.read_text(), file.name)]
    if any(str(data.get("apiVersion")).endswith("/v1alpha3") for data in documents):
        documents = [manifest.to_data(manifest.from_data(data)) for data in documents]
    kinds: dict[str, list[dict[str, Any]]] = {"Cluster": [], "InstanceGroup": []}
    for data in documents:
        kinds.setdefault(data["kind"], []).append(data)
    return Manifest(kinds["Cluster"][0], kinds["InstanceGroup"])


def decode(documents: Manifest, ignored: list[str]) -> tuple[Cluster, list[InstanceGroup]]:
    """Hub objects of the documents. Unknown fields are added to ignored; everything else raises."""
    cluster = manifest.from_data(documents.cluster, where="cluster", ignored=ignored)
    groups = [manifest.from_data(group, where="group", ignored=ignored) for group in documents.groups]
    if not isinstance(cluster, Cluster):
        raise ManifestError("not a Cluster")
    return codec.copy(cluster), [group for group in groups if isinstance(group, InstanceGroup)]


def apply_patch(base: Manifest, patch: list[dict[str, Any]]) -> Manifest:
    """A copy of the base with all changes made."""
    patched = copy.deepcopy(base)
    for change in patch:
        name = change["object"]
        if name == "cluster":
            target = patched.cluster
        else:
            target = next(group for group in patched.groups if group["metadata"]["name"] == name)
        if change["op"] == "remove" and not change["path"]:
            patched.groups.remove(target)
            continue
        change_value(target, change["op"], change["path"], copy.deepcopy(change.get("value")))
    for group in patched.groups:
        group["metadata"].setdefault("labels", {})["kops.k8s.io/cluster"] = patched.cluster["metadata"]["name"]
    return patched


def change_value(target: Any, operation: str, pointer: str, value: Any) -> None:
    """Set, append or remove at a JSON pointer; missing parents are created."""
    *parents, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.lstrip("/").split("/")]
    for part in parents:
        target = target[int(part)] if isinstance(target, list) else target.setdefault(part, {})
    key = int(last) if isinstance(target, list) else last
    if operation == "append":
        target.setdefault(key, []).append(value)
    elif operation == "set":
        target[key] = value
    elif isinstance(target, list) or key in target:
        del target[key]
