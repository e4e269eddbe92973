# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each message that docs/troubleshooting.md explains is one that the code has."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.tests.conftest import ROOT

PAGE = ROOT / "docs" / "troubleshooting.md"
# Rows of the tables whose first column is a message.
ROW = re.compile(r"^\| `([^`]+)` \|[^|]+\|[^|]+\|$", re.MULTILINE)
# What a message has where the page has three dots.
ANY = "..."
# What stands for a value in the texts of the code.
VALUE = "\0"
MESSAGES = ROW.findall(PAGE.read_text())


def text_of(node: ast.AST) -> str:
    """The text of a literal, with VALUE for what is put into it; "" for other nodes."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else VALUE for part in node.values)
    return ""


def walk_texts() -> Iterator[str]:
    for path in (ROOT / "plugins").rglob("*.py"):
        tree = ast.parse(path.read_text())
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        yield from (text_of(node) for node in ast.walk(tree) if id(node) not in docstrings)
    for path in (ROOT / "playbooks").rglob("*.yml"):
        yield path.read_text()


@functools.cache
def texts() -> frozenset[str]:
    """All texts of the code."""
    return frozenset(" ".join(text.split()) for text in walk_texts() if " " in text)


def is_in_the_code(message: str) -> bool:
    parts = [part.strip() for part in message.split(ANY)]
    pattern = re.compile(".*?".join(map(re.escape, parts)))
    return any(all(part in text for part in parts) and pattern.search(text) for text in texts())


@pytest.mark.parametrize("message", MESSAGES)
def test_the_code_has_the_message(message: str) -> None:
    assert is_in_the_code(message)
    assert len(message.replace(ANY, "").split()) >= 3, "too short to be found again"


def test_messages_are_found_by_the_page() -> None:
    assert len(MESSAGES) > 60
    assert len(set(MESSAGES)) == len(MESSAGES)
    assert not is_in_the_code("the cluster ... is on fire")


def test_every_row_of_a_table_of_messages_is_read() -> None:
    """A row with another number of columns, or without backticks, would not be looked at."""
    before_last = PAGE.read_text().partition("## Without a message")[0]
    rows = [line for line in before_last.splitlines() if line.startswith("| ") and not line.startswith("| Message ")]
    assert len(rows) == len(MESSAGES)
