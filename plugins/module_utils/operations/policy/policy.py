# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A policy: rules of files that stop an apply, asked of a cluster's specification, its objects and a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as declared
from typing import Any

from ...api import manifest
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...api.shapes import Problems, struct_of
from ...api.yaml.read import Document, read_documents
from ...base.errors import KopsError
from ...engine.plan_data import Entry
from ..store.manifests import read_files
from .rule import CHANGE, CLUSTER, DENY, GROUP, OBJECT, Check, Rule, Subject, Violation


@dataclass
class RuleFile:
    """A document of a file."""

    rules: list[Rule] = declared(default_factory=list)


class PolicyError(KopsError):
    """Files that are no policy: all their problems, each with its file and line."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(["the policy cannot be used:", *(f"- {problem}" for problem in problems)]))


@dataclass(frozen=True)
class Policy:
    """Rules in the order of their files."""

    checks: Sequence[Check] = ()

    @classmethod
    def read(cls, locations: Sequence[str]) -> Policy:
        """The rules of files, and of all files of directories. Raises PolicyError with all problems."""
        problems: list[str] = []
        checks: list[Check] = []
        known: dict[str, str] = {}
        for path, text in read_files([location for location in locations if location], "policy"):
            before = len(problems)
            documents = read_documents(text, path, problems)
            if not documents and len(problems) == before:
                problems.append(f"{path}: it has no rules")
            for document in documents:
                checks += _checks(document, known, problems)
        if problems:
            raise PolicyError(problems)
        return cls(checks)

    def __bool__(self) -> bool:
        return bool(self.checks)

    def about(self, what: str) -> list[str]:
        """The names of the rules about something."""
        return [check.rule.name for check in self.checks if check.rule.about == what]

    def violations(self, subjects: Iterable[Subject]) -> list[Violation]:
        """Everything that violates a rule: in the order of the rules, then of the subjects."""
        subjects = list(subjects)
        return [found for check in self.checks for subject in subjects for found in check.violations(subject)]


def _checks(document: Document, known: dict[str, str], problems: list[str]) -> list[Check]:
    """The rules of a document. known: names of rules -> where they are. problems: gets what is wrong."""
    found = Problems()
    read: RuleFile = struct_of(RuleFile).read(document.data, "", found)
    if not read.rules and not found:
        found.append("rules: it has no rules")
    # What a rule says is only judged if all of it could be read.
    for index, rule in enumerate(read.rules if not found else ()):
        path = f"rules[{index}]"
        found += [f"{path}.{key}: {what}" if key else f"{path}: {what}" for key, what in rule.problems()]
        if rule.name in known:
            found.append(f"{path}.name: there is a rule {rule.name} already ({known[rule.name]})")
        known.setdefault(rule.name, _where(document, path))
    problems += [f"{_where(document, problem.partition(': ')[0])}: {problem}" for problem in found]
    if found:
        return []
    return [Check(rule, _where(document, f"rules[{index}]")) for index, rule in enumerate(read.rules)]


def _where(document: Document, path: str) -> str:
    """File and line. Most files have one document, which goes without saying."""
    place = document.where.removesuffix(", document 1")
    line = document.line_of(path)
    return f"{place}, line {line}" if line else place


def subjects_of(
    cluster: Cluster, groups: Sequence[InstanceGroup], objects: Iterable[Mapping[str, Any]]
) -> Iterator[Subject]:
    """Subjects of rules in a completed specification. objects: {kind, name, fields} of each."""
    yield Subject(CLUSTER, "Cluster", str(cluster.metadata.name), manifest.to_data(cluster))
    for group in groups:
        yield Subject(GROUP, "InstanceGroup", str(group.metadata.name), manifest.to_data(group))
    for each in objects:
        yield Subject(OBJECT, str(each["kind"]), str(each["name"]), each)


def subjects_of_plan(entries: Iterable[Entry]) -> Iterator[Subject]:
    """Subjects of rules in a plan."""
    return (Subject(CHANGE, entry["kind"], entry["name"], entry) for entry in entries)


def denied(violations: Iterable[Violation]) -> list[Violation]:
    """Violations that stop an apply."""
    return [each for each in violations if each.effect == DENY]


def warnings_of(violations: Sequence[Violation]) -> list[str]:
    """Violations that are warnings only."""
    return [str(each) for each in violations if each.effect != DENY]


def failure_of(violations: Sequence[Violation], done: str = "nothing was written") -> str:
    """Why nothing is done, a line for each violation; "" if nothing stops it."""
    stopping = denied(violations)
    return "\n".join([f"the policy forbids this, {done}:", *(f"- {each}" for each in stopping)]) if stopping else ""
