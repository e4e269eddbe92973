# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every field of a specification changes something, or is in the table of those that do not."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.api.without_effect import warnings_of
from ansible_collections.kubeops.kops.plugins.module_utils.api.without_effect_table import ROWS, WORKING
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import Settings
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.read import read_options
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.shared_options import NETWORKING
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.specification import new_cluster
from ansible_collections.kubeops.kops.tests.golden.facts import create_cluster_facts
from ansible_collections.kubeops.kops.tests.support import effects
from ansible_collections.kubeops.kops.tests.support.effects_cases import ELSEWHERE, LABORATORIES, SHARED, WRITTEN

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[5]
KINDS = (Cluster, InstanceGroup)


def covered(kind: type, path: str, cloud: str) -> bool:
    """Whether a row says that a field has no effect in a cloud."""
    names = [row.paths for row in ROWS if row.kind is kind and cloud in [each.name for each in row.clouds]]
    return any(re.match(re.escape(name) + r"($|[.\[])", path) for paths in names for name in paths)


def fields(kind: type, cloud: str) -> Iterator[tuple[effects.Path, str]]:
    """The fields that a cluster of the cloud may have; parts of other clouds are refused."""
    for path in effects.leaves(kind):
        if path[1] != "cloudProvider" or path[2] == cloud:
            yield path, effects.spelled(path)


@pytest.mark.parametrize("cloud", LABORATORIES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_field_that_is_not_in_the_table_has_an_effect(kind: type, cloud: str) -> None:
    """What all clouds have in common is tried in one."""
    tried = [
        (path, name)
        for path, name in fields(kind, cloud)
        if not covered(kind, name, cloud)
        and name not in ELSEWHERE
        and name not in WRITTEN.get(cloud, ())
        and not (cloud != "metal" and SHARED.match(name))
    ]
    laboratory = LABORATORIES[cloud]
    assert [name for path, name in tried if not laboratory.has_effect(kind, path)] == []


@pytest.mark.parametrize("cloud", LABORATORIES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_field_that_is_in_the_table_has_none(kind: type, cloud: str) -> None:
    """Fields of one part of the specification are set together, which is faster."""
    parts: dict[effects.Path, list[effects.Path]] = {}
    for path, name in fields(kind, cloud):
        if covered(kind, name, cloud):
            parts.setdefault(path[:3], []).append(path)
    laboratory = LABORATORIES[cloud]
    assert ["/".join(part) for part, paths in parts.items() if laboratory.have_effect(kind, paths)] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_path_of_the_table_is_one(kind: type) -> None:
    names = [effects.spelled(path) for path in effects.leaves(kind)]
    for row in ROWS:
        if row.kind is kind:
            assert [path for path in row.paths if not any(_is_below(name, path) for name in names)] == []
            assert set(row.clouds) <= set(WORKING)


def _is_below(name: str, path: str) -> bool:
    return bool(re.match(re.escape(path) + r"($|[.\[])", name))


def test_fields_that_operations_read_are_read_there() -> None:
    for path, (module, attribute) in ELSEWHERE.items():
        code = (ROOT / "plugins" / "module_utils" / module).read_text()
        assert re.search(rf"\b{attribute}\b", code), f"{path}: {module} does not read {attribute}"


def test_warnings_name_fields_as_users_spell_them() -> None:
    objects = manifest.load(LABORATORIES["metal"].manifests)
    assert warnings_of(objects) == []
    text = LABORATORIES["metal"].manifests.replace(
        "  iam: {}\n",
        "  iam: {}\n  networkID: vpc-1\n  sshKeyName: me\n",
    )
    text = text.replace("role: Node,", "role: Node, machineType: t3.medium, rootVolumeSize: 7,")
    text = text.replace("instanceGroup: control-plane}]}", "instanceGroup: control-plane}], manager: {logLevel: 3}}", 1)
    found = warnings_of(manifest.load(text))
    assert len(found) == 3
    assert "spec.etcdClusters[0].manager.logLevel (etcd runs without etcd-manager)" in found[0]
    assert "spec.sshKeyName, spec.networkID (" in found[1]
    assert found[2].startswith("InstanceGroup nodes: no effect on the cluster: spec.machineType, spec.rootVolumeSize (")
    # Without the Cluster nobody knows the cloud.
    assert warnings_of([obj for obj in manifest.load(text) if isinstance(obj, InstanceGroup)]) == []


def created(options: dict[str, Any]) -> list[str]:
    """The warnings of what create_cluster makes of options."""
    chosen = {"name": "demo.example.com", "state_store": "file:///srv/kops", "networking": "flannel", **options}
    facts = create_cluster_facts(options["cloud"])
    made = new_cluster(read_options(chosen, (), {}), facts=facts, settings=Settings())
    return warnings_of([made.cluster, *made.groups])


@pytest.mark.parametrize(
    "options",
    [
        {"cloud": "aws", "zones": ["us-test-1a"], "bastion": True, "topology": "private"},
        {"cloud": "gce", "zones": ["us-test1-a"], "project": "project"},
        {"cloud": "metal", "zones": ["main"]},
    ],
)
def test_what_create_cluster_writes_has_an_effect(options: dict[str, Any]) -> None:
    """A user is not warned of what nobody asked for."""
    assert created(options) == []


@pytest.mark.parametrize("network", NETWORKING)
def test_what_the_name_of_a_network_asks_for_has_an_effect(network: str) -> None:
    found = set()
    for cloud, zone in (("aws", "us-test-1a"), ("gce", "us-test1-a"), ("metal", "main")):
        with contextlib.suppress(ValidationError):  # Not every network is for every cloud.
            warnings = created({"cloud": cloud, "zones": [zone], "project": "project", "networking": network})
            found |= {(cloud, path) for warning in warnings for path in re.findall(r"spec\.[\w.]+", warning)}
    assert found == set()


def test_clouds_that_cannot_be_made_yet_are_not_warned_of() -> None:
    text = LABORATORIES["aws"].manifests.replace("cloudProvider: aws", "cloudProvider: hetzner")
    assert warnings_of(manifest.load(text.replace("iam: {}", "iam: {}\n  sshKeyName: me"))) == []


def page() -> str:
    """The table as docs/fields.md has it."""
    lines = ["| Why | Where | Kind | Fields |", "|---|---|---|---|"]
    for row in ROWS:
        where = "everywhere" if set(row.clouds) == set(WORKING) else ", ".join(cloud.title for cloud in row.clouds)
        paths = ", ".join(f"`{path}`" for path in row.paths)
        lines.append(f"| {row.reason} | {where} | {row.kind.__name__} | {paths} |")
    return "\n".join(lines) + "\n"


def test_the_documentation_has_the_table() -> None:
    """`python -m pytest` shows the text that the page should have."""
    assert page() in (ROOT / "docs" / "fields.md").read_text()
