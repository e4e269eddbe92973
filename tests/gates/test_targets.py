# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A target is its row in operations/targets/: nothing else asks which target an update has.

Kinds of cloud objects have a method of each target that renders them, and playbooks know the default only.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator

import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.operations.targets.table import DEFAULT, TARGETS
from ansible_collections.kubeops.kops.plugins.modules import update_cluster
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.gates.test_rooms import imports

PLUGINS = ROOT / "plugins"
# Where targets are named.
FOLDERS = ("module_utils/operations/targets/", "module_utils/engine/targets/")
# AWS calls a service so.
FOLDERS += ("module_utils/cloud/aws/stacks/", "module_utils/cloud/aws/lost_answers.py")
# Where kinds of objects say what they are for a target.
KINDS = re.compile(r"module_utils/cloud/(\w+/)?tasks/\w+\.py")


@functools.cache
def nodes() -> list[tuple[str, ast.AST]]:
    """Everything in the files of plugins/, with the path of its file below that."""
    paths = sorted(PLUGINS.rglob("*.py"))
    parsed = [(path.relative_to(PLUGINS).as_posix(), ast.parse(path.read_text())) for path in paths]
    return [(path, node) for path, tree in parsed for node in ast.walk(tree)]


def named() -> Iterator[tuple[str, str]]:
    """Path and name of each text that is a target's name."""
    for path, node in nodes():
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in TARGETS:
            yield path, node.value


def test_targets_are_named_in_their_own_folders() -> None:
    assert [found for found in named() if not found[0].startswith(FOLDERS)] == []
    assert {name for _path, name in named()} == {*TARGETS}, "a walk that sees nothing would let all pass"


def test_rows_are_known_to_the_table_only() -> None:
    rows = {("operations", "targets", name) for name in TARGETS}
    users = {module for _place, module, target in imports() if target[:3] in rows}
    # What carries a template out begins as what writes it.
    assert users == {("operations", "targets", "table"), ("operations", "targets", "stack")}


def test_kinds_of_objects_say_what_they_are_for_a_target() -> None:
    functions = [(path, node.name) for path, node in nodes() if isinstance(node, ast.FunctionDef)]
    found = [(path, name) for path, name in functions if name in TARGETS]
    assert [each for each in found if not KINDS.fullmatch(each[0])] == []
    assert len(found) > 1


def test_playbooks_ask_for_the_default_only() -> None:
    """A playbook goes on after the default; after any other target, the user does."""
    others = "|".join(name for name in TARGETS if name != DEFAULT)
    paths = [*(ROOT / "playbooks").rglob("*.yml"), *(ROOT / "roles").rglob("*.yml")]
    lines = [(path, line) for path in paths for line in path.read_text().splitlines() if not line.startswith("#")]
    asking = [(path.name, line) for path, line in lines if re.search(rf"""['"]({others})['"]""", line)]
    assert asking == []
    assert [line for _path, line in lines if "kops_target" in line and f"'{DEFAULT}'" in line]


def test_the_documentation_has_all_targets() -> None:
    documented = yaml.safe_load(update_cluster.DOCUMENTATION)["options"]["target"]
    assert (documented["choices"], documented["default"]) == ([*TARGETS], DEFAULT)
    for name in documented["choices"]:
        assert f"V({name})" in documented["description"][documented["choices"].index(name)]
