# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' cases of completion: a cluster's manifest in, its completed spec out, compared as data and as text.

A case passes through the state store on its way, as kops' own does: assignments are made when a cluster is first
stored, the rest when it is updated. What kops shows here that its types do not: it settles the provider of kubeDNS
only while it builds the addons; fields that it never writes (the driver of EBS being enabled) are lost on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import cloud_of
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.channels.loader import load_channel
from ansible_collections.kubeops.kops.plugins.module_utils.completion.assignments import perform_assignments
from ansible_collections.kubeops.kops.plugins.module_utils.completion.cluster import complete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.completion.instance_group import complete_instance_group
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import Settings, parse_feature_flags
from ansible_collections.kubeops.kops.plugins.module_utils.model import config

from .facts import FakeFacts, update_cluster_facts
from .results import DIFFERING, MATCHED, Result, about, as_text, case_directories

COMPLETED = "data/aws_s3_object_cluster-completed.spec_content"
# The version that the cases pretend; the rules are those of kops' current one.
KOPS_VERSION = "1.34.0-beta.1"


@dataclass(frozen=True)
class Case:
    """A directory of update_cluster, its manifest (one of the forms that it has) and the kops feature flags."""

    directory: Path
    source: Path
    feature_flags: frozenset[str]

    @property
    def name(self) -> str:
        return self.directory.name

    @property
    def expected(self) -> Path:
        return self.directory / COMPLETED


@dataclass(frozen=True)
class Completed:
    """A case's completed objects, and what they were completed with."""

    cluster: Cluster
    groups: list[InstanceGroup]
    facts: FakeFacts
    settings: Settings


def cases(directory: Path) -> list[Case]:
    """Every form of every case below a directory of golden cases (the one that holds update_cluster/), by name."""
    found = []
    for path in case_directories(directory, "update_cluster"):
        # Off in all cases, as kops would ask registries for digests.
        flags = parse_feature_flags(",".join(["-ImageDigest", *about(path).get("features", [])]))
        found += [Case(path, source, flags) for source in sorted(path.glob("in-*.yaml"))]
    return found


def complete(case: Case) -> Completed:
    """Store the case's objects and complete what was stored."""
    # kops takes no notice of fields that it does not know, and some of its cases have such.
    objects = manifest.load(case.source.read_text(), source=case.source.name, ignored=[])
    cluster = next(obj for obj in objects if isinstance(obj, Cluster))
    groups = [obj for obj in objects if isinstance(obj, InstanceGroup)]
    facts = update_cluster_facts(cloud_of(cluster).name)
    settings = Settings(
        kops_version=KOPS_VERSION,
        channel=load_channel(cluster.spec.channel or "stable"),
        feature_flags=case.feature_flags,
    )
    perform_assignments(cluster, facts=facts, settings=settings)
    (stored,) = manifest.load(manifest.dump(cluster), source=case.source.name)
    completed = complete_cluster(stored, groups, facts=facts, settings=settings)
    return Completed(
        completed,
        [complete_instance_group(completed, group, facts=facts, settings=settings) for group in groups],
        facts,
        settings,
    )


def compare(case: Case) -> list[Result]:
    """The completed spec as data and as text against what kops writes; for a case without one, that it completes."""
    form = case.source.stem
    try:
        actual = manifest.dump(config.without_written_elsewhere(complete(case).cluster))
    except KopsError as error:
        return [Result(case.name, form, DIFFERING, f"refused: {error}")]
    if not case.expected.is_file():
        return [Result(case.name, form, MATCHED)]
    expected = case.expected.read_text()
    same_data = yaml.safe_load(actual) == yaml.safe_load(expected)
    return [
        Result(case.name, f"{form} as data", MATCHED if same_data else DIFFERING),
        as_text(case.name, f"{form} as text", expected, actual),
    ]
