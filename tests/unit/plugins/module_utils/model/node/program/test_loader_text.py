# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Loaders as one file: the modules that they are made of fit together, and any Python reads the result."""

from __future__ import annotations

import ast
import collections
import hashlib
import os
import pathlib
import subprocess

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS, AZURE, CLOUDS, OPENSTACK
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.loader_text import (
    FROM_SERVERS,
    from_store,
    loader_text,
)
from ansible_collections.kubeops.kops.tests.conftest import ROOT

from .test_program import PYTHONS

STARTING = [cloud for cloud in CLOUDS.values() if cloud.starts_nodes]
LOADERS = [
    FROM_SERVERS,
    *map(from_store, STARTING),
    *(from_store(cloud, scheme) for cloud in STARTING for scheme in cloud.more_store_schemes),
]
MADE_BY = """
import bz2, hashlib
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.loader_text import loader_text
print(hashlib.sha256(bz2.compress(loader_text({start!r}).encode())).hexdigest())
"""


def names_of(statement: ast.stmt) -> list[str]:
    """What a statement at the top of a module defines."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]


@pytest.mark.parametrize("start", LOADERS)
def test_no_module_of_a_loader_takes_a_name_of_another(start: str) -> None:
    defined = collections.Counter(name for each in ast.parse(loader_text(start)).body for name in names_of(each))
    assert {"run", "fetch"} <= defined.keys()
    assert [name for name, times in defined.items() if times > 1] == []


@pytest.mark.parametrize("start", LOADERS)
def test_it_is_whole(start: str) -> None:
    """Everything that it uses is its own, or of the standard library."""
    text = loader_text(start)
    assert "from ." not in text
    known = {name for each in ast.walk(ast.parse(text)) for name in _bound(each)} | set(dir(__builtins__))
    used = {each.id for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Name)}
    assert used - known - set(vars(__import__("builtins"))) - {"__file__", "__name__"} == set()


def _bound(node: ast.AST) -> list[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(name.asname or name.name).partition(".")[0] for name in node.names]
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.ExceptHandler):
        return [node.name or ""]
    return [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []


def test_only_a_store_beside_the_clouds_own_has_a_loader_of_its_own() -> None:
    assert from_store(OPENSTACK, "swift") == from_store(OPENSTACK)
    assert from_store(AWS, "s3") == from_store(AWS)
    assert "AWS4" not in loader_text(from_store(OPENSTACK))
    assert "X-Subject-Token" not in loader_text(from_store(OPENSTACK, "s3"))


def test_a_loader_that_is_missing_is_an_error() -> None:
    with pytest.raises(KopsError, match="plugins/module_utils/node/azure/load.py of the collection is missing"):
        loader_text(from_store(AZURE))


@pytest.mark.parametrize("start", LOADERS)
@pytest.mark.parametrize("python", PYTHONS, ids=str)
def test_it_is_the_same_from_every_python(python: pathlib.Path, start: str) -> None:
    import bz2

    environment = {"PYTHONPATH": str(ROOT / ".venv" / "collections"), "PYTHONDONTWRITEBYTECODE": "1"}
    code = MADE_BY.format(start=start)
    done = subprocess.run([python, "-c", code], env=environment, capture_output=True, text=True, check=False)
    wanted = hashlib.sha256(bz2.compress(loader_text(start).encode())).hexdigest()
    assert done.stdout.strip() == wanted, done.stderr
    compiled = subprocess.run(
        [python, "-c", "import sys; compile(sys.stdin.read(), 'load', 'exec')"],
        input=loader_text(start).encode(),
        env=os.environ,
        capture_output=True,
        check=False,
    )
    assert compiled.returncode == 0, compiled.stderr
