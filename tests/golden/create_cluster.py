# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' cases of cluster creation: options in, the stored Cluster and InstanceGroups out, compared as text."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import FieldError, KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.channels.loader import load_channel
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import Settings, parse_feature_flags
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.options import OPTIONS
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.read import read_options
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.specification import (
    NewCluster,
    new_cluster,
)

from . import facts
from .results import DIFFERING, MATCHED, MISSING, Result, about, as_text, case_directories

EXPECTED = "expected-v1alpha2.yaml"
FIELD_ERRORS = "expected-field-errors.txt"
# What the cases assume: the version of kops, the store, and one moment for everything that is created.
KOPS_VERSION = "1.37.0-alpha.1"
STORE = "memfs://tests"
CREATED = "2017-01-01T00:00:00Z"

_BY_FIELD = {name.lower(): option for option in OPTIONS.values() for name in option.rules.fields}
_BY_FLAG = {flag: option for option in OPTIONS.values() for flag in option.rules.flags}
# Read by kops and used for nothing: numbers and sizes of groups whose roles it refuses.
_UNUSED_FIELDS = {
    f"{role}{what}".lower()
    for role in ("etcd", "scheduler", "kubecontrollermanager", "cloudcontrollermanager")
    for what in ("Count", "Sizes")
}
# Flags about what kops does with a new cluster, not about the cluster.
_OTHER_FLAGS = {"yes", "target", "out", "output", "dry-run", "container-runtime"}
_SHORT_FLAGS = {"t": "topology", "y": "yes", "o": "output"}
_SWITCHES = {"yes", "dry-run"}


@dataclass
class Case:
    """A case directory. features: the kops feature flags that it switches on."""

    directory: Path
    rejected: bool = False
    features: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.directory.name


def cases(directory: Path) -> list[Case]:
    """The cases below a directory of golden cases (the one that holds create_cluster/), by name."""
    found = []
    for path in case_directories(directory, "create_cluster"):
        if any((path / name).is_file() for name in ("options.yaml", "flags.txt")):
            meta = about(path)
            found.append(
                Case(path, bool(meta.get("rejected")), list(meta.get("features") or []), dict(meta.get("env") or {}))
            )
    return found


def compare(case: Case) -> list[Result]:
    """One result for each form of input that the case has."""
    readers = {"options.yaml": options_of_fields, "flags.txt": options_of_flags}
    return [
        _compare(case, name, read, (case.directory / name).read_text())
        for name, read in readers.items()
        if (case.directory / name).is_file()
    ]


def options_of_fields(text: str) -> dict[str, Any]:
    """Options' values from kops' own names for them (any case, as its decoder has it)."""
    values: dict[str, Any] = {}
    for key, value in (yaml.safe_load(text) or {}).items():
        if key.lower() not in _UNUSED_FIELDS:
            values[_BY_FIELD[key.lower()].name] = value
    return {"state_store": STORE, **values}


def options_of_flags(text: str) -> dict[str, Any]:
    """Options' values from command line arguments, one a line. Raises KopsError for an unknown flag."""
    values: dict[str, Any] = {"state_store": STORE}
    arguments = iter(text.splitlines())
    for argument in arguments:
        name, equals, value = argument.partition("=")
        name = _SHORT_FLAGS.get(name[1:], name) if name[1:2] != "-" else name[2:]
        option = _BY_FLAG.get(name)
        if option is None and name not in _OTHER_FLAGS:
            raise KopsError(f"unknown flag {argument}")
        is_switch = option.type.startswith("bool") if option else name in _SWITCHES
        if not equals and not is_switch:
            value = next(arguments)
        if option is None:
            continue
        if is_switch:
            values[option.name] = value.lower() not in ("false", "f", "0")
        elif option.type == "int":
            values[option.name] = int(value)
        elif option.argument["type"] == "list":
            values.setdefault(option.name, []).extend(next(csv.reader([value]), []))
        else:
            values[option.name] = value
    return values


def render(new: NewCluster) -> str:
    """The text that kops' test compares: cluster, groups by name, additional objects, all created at one moment."""
    objects: list[Any] = [new.cluster, *sorted(new.groups, key=lambda group: str(group.metadata.name))]
    for item in objects:
        item.metadata.creation_timestamp = CREATED
    return "\n\n---\n\n".join(manifest.dump(item).strip() for item in [*objects, *new.additional_objects])


def run(case: Case, values: dict[str, Any]) -> NewCluster:
    """Create the case's cluster in the world that all cases share."""
    feature_flags = parse_feature_flags(",".join(case.features))
    options = read_options(values, feature_flags)
    settings = Settings(
        kops_version=KOPS_VERSION,
        channel=load_channel(options.channel),
        feature_flags=feature_flags,
    )
    return new_cluster(options, facts=facts.create_cluster_facts(options.cloud), settings=settings)


def _compare(case: Case, name: str, read: Callable[[str], dict[str, Any]], text: str) -> Result:
    os.environ.update(case.environment)
    try:
        actual = render(run(case, read(text)))
    except KopsError as error:
        return Result(case.name, name, *_compare_refusal(case, error))
    finally:
        for variable in case.environment:
            os.environ.pop(variable, None)
    if case.rejected:
        return Result(case.name, name, DIFFERING, "accepted, kops rejects it")
    expected = case.directory / EXPECTED
    if not expected.is_file():
        return Result(case.name, name, MISSING, f"no {EXPECTED}")
    return as_text(case.name, name, expected.read_text().strip(), actual)


def _compare_refusal(case: Case, error: KopsError) -> tuple[str, str]:
    if not case.rejected:
        return DIFFERING, f"refused: {error}"
    expected_file = case.directory / FIELD_ERRORS
    if not expected_file.is_file():
        return MATCHED, ""
    errors: Iterable[FieldError] = error.errors if isinstance(error, ValidationError) else ()
    actual = {f"{problem.type}::{problem.path}" for problem in errors}
    expected = set(expected_file.read_text().split())
    return (MATCHED, "") if actual == expected else (DIFFERING, f"fields {actual}, expected {expected}")
