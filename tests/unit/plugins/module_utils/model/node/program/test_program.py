# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The node program: the same on every controller, and no more than it needs. Its ways in are tested with node/."""

from __future__ import annotations

import ast
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.program import node_program
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.sources import stripped
from ansible_collections.kubeops.kops.tests.conftest import ROOT

CODE = ROOT / "plugins" / "module_utils"
SOURCES = sorted(path for room in ("base", "node") for path in (CODE / room).rglob("*.py"))
# Every Python of this machine that a controller may run.
PYENV = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv") / "versions"
PYTHONS = sorted(
    {
        *(path for version in ("3.9", "3.1?") for path in PYENV.glob(f"{version}*/bin/python3")),
        *(pathlib.Path(found) for found in [shutil.which("python3", path="/usr/bin")] if found),
        pathlib.Path(sys.executable),
    }
)
MADE_BY = """
import hashlib
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.program import node_program
print(hashlib.sha256(node_program(AWS, ("s3",))).hexdigest())
"""


def without_docstrings(source: str) -> str:
    """What a source means, line by line, with empty docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            docstring = node.body[0]
            docstring.end_lineno = docstring.lineno
            assert isinstance(docstring, ast.Expr) and isinstance(docstring.value, ast.Constant)
            docstring.value.value = ""
    statements = [(node.lineno, type(node).__name__) for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return f"{ast.dump(tree)} {statements}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(CODE)))
def test_stripping_keeps_meaning_and_lines(path: pathlib.Path) -> None:
    source = path.read_text()
    left = stripped(source)
    assert without_docstrings(left) == without_docstrings(source)
    assert left.count("\n") == source.count("\n")
    assert "SPDX-License-Identifier" not in left


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("a = 1  # one\n", "a = 1\n"),
        ("a = '# no' + \"#\"  # it's one\n", "a = '# no' + \"#\"\n"),
        ('a = """\n# no\n"""\n', 'a = """\n# no\n"""\n'),
        ('def f():\n    """One.\n\n    Two.\n    """\n    return 1\n', 'def f():\n    ""\n\n\n\n    return 1\n'),
        ('f(\n    """text"""\n)\n', 'f(\n    """text"""\n)\n'),
        ('# first\n"""Module."""\n', '\n""\n'),
        (r"a = 'it\'s # no'" + "\n", r"a = 'it\'s # no'" + "\n"),
    ],
)
def test_comments_and_docstrings_go_and_strings_stay(source: str, left: str) -> None:
    assert stripped(source) == left


@pytest.mark.parametrize("python", PYTHONS, ids=str)
def test_it_is_the_same_from_every_python(python: pathlib.Path) -> None:
    environment = {"PYTHONPATH": str(ROOT / ".venv" / "collections"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([python, "-c", MADE_BY], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == hashlib.sha256(node_program(AWS, ("s3",))).hexdigest(), done.stderr


def test_it_names_its_licence_and_is_smaller_than_its_sources() -> None:
    with zipfile.ZipFile(io.BytesIO(node_program(AWS, ("s3",)))) as archive:
        assert b"-License-Identifier: GPL-3.0-or-later" in archive.read("__main__.py")
        names = [name.partition("/")[2] for name in archive.namelist()]
    sources = sum((CODE / name).stat().st_size for name in names if (CODE / name).is_file())
    assert len(node_program(AWS, ("s3",))) < sources * 0.85


def test_it_is_made_once() -> None:
    assert node_program(AWS, ("s3",)) is node_program(AWS, ("s3",))
