# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrows between the rooms of plugins/module_utils: what docs/architecture.md says, and no more.

The same for knowledge of clouds: what a cloud is called stands in the table of clouds and in the cloud's own folders.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cloud import Cloud
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import CLOUDS as TABLE
from ansible_collections.kubeops.kops.plugins.module_utils.base import labels
from ansible_collections.kubeops.kops.tests.conftest import ROOT

CODE = ROOT / "plugins" / "module_utils"
ROOMS = sorted(path.name for path in CODE.iterdir() if any(path.glob("*.py")))
CLOUDS = sorted(path.name for path in (CODE / "cloud").iterdir() if (path / "provider.py").is_file())
# A row of the table: `room/`, subject, what to look for, imports.
ROW = re.compile(r"^\| `(\w+)/` \|[^|]*\|[^|]*\|([^|]*)\|$", re.MULTILINE)

# Where clouds may be named beside the table and the folders that have a cloud's name: path below plugins/ -> why.
NAMING = {
    "module_utils/api/clouds.py": "the table of clouds",
    "module_utils/api/terraform_providers.py": "the table of clouds, continued",
    "module_utils/api/v1alpha2/": "a version spells clouds in its own way",
    "module_utils/channels/stable.py": "a channel's images, as kops publishes them",
    "module_utils/model/node/program/stores.py": "do is the scheme of a store, too",
    "module_utils/operations/create/shared_options.py": "gce is an old name of the network gcp",
    "module_utils/operations/create/steps/networking.py": "gce is an old name of the network gcp",
}
# Where a cloud's part of a specification may be read beside api/ and the cloud's folders: path below plugins/ -> why.
READING = {
    "module_utils/completion/": "kops completes the parts of all clouds in one pipeline, a file for a component",
    "module_utils/model/node/control_plane/authentication.py": "the IAM authenticator runs in any cloud",
    "module_utils/model/node/control_plane/cloud_config.py": "one file of nodes, with the settings of either cloud",
}

# Which shared files of addons/ know a cloud's: path below plugins/module_utils/ -> why.
ADDONS = {
    "addons/catalogue.py": "the table of addons",
    "addons/addon.py": "kops gives pods rights of their own in AWS only",
    "addons/any_cloud/cluster_autoscaler/": "one addon, which says the groups of each cloud in its own way",
    "addons/dns/external_dns.py": "one addon, which names the project in Google Cloud",
}

Import = tuple[str, tuple[str, ...], tuple[str, ...]]


def documented() -> dict[str, set[str]]:
    """Each room, and the rooms that it may import."""
    rows = ROW.findall((ROOT / "docs" / "architecture.md").read_text())
    return {room: set(re.findall(r"\w+", imports)) for room, imports in rows}


@functools.cache
def imports() -> list[Import]:
    """Each import of our own code: its place, the path of the importing module, that of what is imported."""
    return list(walk_imports())


def walk_imports() -> Iterator[Import]:
    for path in sorted(CODE.rglob("*.py")):
        module = path.relative_to(CODE).with_suffix("").parts
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                target = (*module[: len(module) - node.level], *(node.module or "").split("."))
                for name in node.names:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", module, tuple(filter(None, (*target, name.name)))


def own_cloud(module: tuple[str, ...]) -> str:
    """The cloud whose folder a module is in, of cloud/, model/ or node/; "" for what all clouds share."""
    return module[1] if module[0] in ("cloud", "model", "node") and module[1] in CLOUDS else ""


def spellings() -> dict[str, Cloud]:
    """Every word that is a cloud's name."""
    words: dict[str, Cloud] = {}
    for cloud in TABLE.values():
        words |= dict.fromkeys(filter(None, (cloud.name, cloud.attribute, cloud.in_tree_provider, cloud.title)), cloud)
    return words


@functools.cache
def syntax() -> list[tuple[str, ast.Module]]:
    """Each file of plugins/: its path below that, and what it says."""
    plugins = ROOT / "plugins"
    return [(path.relative_to(plugins).as_posix(), ast.parse(path.read_text())) for path in plugins.rglob("*.py")]


def _word(node: ast.AST, kind: str) -> str:
    if kind == "naming":
        return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    if isinstance(node, ast.keyword):
        return node.arg or ""
    return node.attr if isinstance(node, ast.Attribute) else ""


def mentions(kind: str) -> Iterator[tuple[str, int, str]]:
    """Path, line and word of each name of a cloud outside the folders that have its name.

    kind: "naming" for literals, "reading" for attributes and keywords, which are parts of a specification.
    """
    words = spellings()
    for path, tree in syntax():
        for node in ast.walk(tree):
            word = _word(node, kind)
            if word in words and words[word].name not in path.split("/")[:-1]:
                yield path, getattr(node, "lineno", 0), word


def test_our_own_code_is_imported_by_its_relative_name() -> None:
    assert [path for path in CODE.rglob("*.py") if "ansible_collections" in path.read_text()] == []


def test_every_room_is_documented() -> None:
    assert sorted(documented()) == ROOMS


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_what_its_row_says(room: str) -> None:
    allowed = {room, *documented()[room]}
    found = [(place, target) for place, module, target in imports() if module[0] == room]
    assert [(place, target[0]) for place, target in found if target[0] not in allowed] == []
    assert {target[0] for _place, target in found} | {room} == allowed, "an arrow that nothing needs"


def test_a_room_that_is_imported_imports_nothing_back() -> None:
    table = documented()
    for room in table:
        reached: set[str] = set()
        ahead = set(table[room])
        while ahead:
            reached |= ahead
            ahead = {further for near in ahead for further in table[near]} - reached
        assert room not in reached


def test_clouds_do_not_know_each_other() -> None:
    assert len(CLOUDS) > 1
    assert [
        (place, ".".join(target))
        for place, module, target in imports()
        if module[0] != "operations"
        if own_cloud(target) not in ("", own_cloud(module))
    ] == []


def test_addons_of_clouds_are_known_to_few() -> None:
    names = {cloud.name for cloud in TABLE.values()}
    arrows = [(module, target) for _place, module, target in imports() if target[0] == "addons" and target[1] in names]
    knowing = {"/".join(module) + ".py" for module, target in arrows if module[1] != target[1]}
    assert [path for path in knowing if not path.startswith(tuple(ADDONS))] == []
    assert [path for path in ADDONS if not any(each.startswith(path) for each in knowing)] == [], "it is not needed"


def test_clouds_are_named_in_one_place() -> None:
    assert [found for found in mentions("naming") if not found[0].startswith(tuple(NAMING))] == []


def test_parts_of_a_specification_are_read_by_their_cloud() -> None:
    allowed = ("module_utils/api/", *READING)
    assert [found for found in mentions("reading") if not found[0].startswith(allowed)] == []


def test_operations_ask_what_nodes_are() -> None:
    """Hosts or instances: by a column of the table of clouds, and not by the one cloud that has hosts today."""
    metal = ("api", "clouds", "METAL")
    users = {module for _place, module, target in imports() if target == metal and module[0] == "operations"}
    assert users == {("operations", "clouds")}, "the row of bare metal itself"


def test_ids_of_instances_are_read_in_one_place() -> None:
    """What they look like, what a provider id has of them, and how Nodes are named: a row each cloud."""
    texts = [
        (path, node.value)
        for path, tree in syntax()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert {path for path, text in texts if "i-[0-9a-f" in text or "aws:///" in text} == {
        "module_utils/base/instance_ids.py"
    }
    assert {path for path, text in texts if text == "providerID"} == {
        "module_utils/kubernetes/nodes/instances.py",
        # The kubelet is told it; what is kept of Nodes while they are looked at; a channel's words for a cloud.
        "module_utils/model/node/runtime/kubelet_config.py",
        "module_utils/node/controllers/nodes.py",
        "module_utils/channels/loader.py",
    }


@pytest.mark.parametrize(("kind", "exceptions"), [("naming", NAMING), ("reading", READING)])
def test_every_exception_is_needed(kind: str, exceptions: dict[str, str]) -> None:
    paths = {path for path, _line, _word in mentions(kind)}
    assert [exception for exception in exceptions if not any(path.startswith(exception) for path in paths)] == []


def test_labels_are_spelled_once() -> None:
    known = {value for name, value in vars(labels).items() if name.isupper()}
    assert "kops.k8s.io/instancegroup" in known
    found = [
        (path, str(node.value))
        for path, tree in syntax()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in known
    ]
    assert sorted(value for _path, value in found) == sorted(known)
    assert {path for path, _value in found} == {"module_utils/base/labels.py"}


def test_imports_are_found() -> None:
    """The walk sees plain, renamed and late imports of every depth; a walk that sees nothing would let all pass."""
    found = {(module, target) for _place, module, target in imports()}
    assert (("cloud", "aws", "tasks", "_task"), ("engine", "task", "Task")) in found
    assert (("operations", "clouds"), ("cloud", "aws", "provider", "AWSProvider")) in found
