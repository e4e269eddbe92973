# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of the documentation, and the blocks of code that they show."""

from __future__ import annotations

import functools
import pathlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ansible_collections.kubeops.kops.tests.conftest import ROOT
from markdown_it import MarkdownIt

# What is between single backticks.
INLINE = "inline"
# The comment at the head of a playbook is its documentation: the commands in it are indented.
_OF_HEADS = re.compile(r"^#   (ansible(?:.*\\\n#)*.*)$", re.MULTILINE)
# What is said of such a command in its line.
_EXPLAINED = re.compile(r"(?<=[^\s\\]) {2,}[^\s\\].*")


@dataclass(frozen=True)
class Block:
    """A block of code. line: of the page, counted from 1; INLINE is the language of code in a sentence."""

    page: str
    line: int
    language: str
    text: str

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[pathlib.Path]:
    """All pages that users and contributors read."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@functools.cache
def blocks() -> tuple[Block, ...]:
    """The blocks of all pages, in their order, and those at the heads of playbooks."""
    heads = sorted((ROOT / "playbooks").glob("*.yml"))
    of_pages = (block for path in pages() for block in _blocks_of(path))
    return (*of_pages, *(block for path in heads for block in _blocks_of_head(path)))


def heading_of(page: str, line: int) -> str:
    """The heading above a line of a page, of any level; "" above the first one, and in the head of a playbook."""
    return next((text for at, text in reversed(_headings(page)) if at <= line), "")


@functools.cache
def _headings(page: str) -> tuple[tuple[int, str], ...]:
    if not page.endswith(".md"):
        return ()
    tokens = MarkdownIt("commonmark").parse((ROOT / page).read_text(encoding="utf-8"))
    return tuple(
        (token.map[0] + 1, inline.content)
        for token, inline in zip(tokens, tokens[1:])
        if token.type == "heading_open" and token.map
    )


def _blocks_of(path: pathlib.Path) -> Iterator[Block]:
    page = str(path.relative_to(ROOT))
    for token in MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8")):
        line = (token.map or [0])[0] + 1
        if token.type in ("fence", "code_block"):
            yield Block(page, line + 1, token.info.strip(), token.content)
        for child in token.children or ():
            if child.type == "code_inline":
                yield Block(page, line, INLINE, child.content)


def _blocks_of_head(path: pathlib.Path) -> Iterator[Block]:
    text = path.read_text(encoding="utf-8")
    for found in _OF_HEADS.finditer(text):
        line = text[: found.start()].count("\n") + 1
        yield Block(str(path.relative_to(ROOT)), line, "shell", _EXPLAINED.sub("", found[1].replace("\n#", "\n")))
