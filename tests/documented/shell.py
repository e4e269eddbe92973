# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that the documentation shows: of each block a list, with those of loops, pipes and substitutions."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bashlex
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import playbooks
from ansible_collections.kubeops.kops.tests.documented.pages import INLINE, Block, blocks

SHELLS = ("bash", "sh", "shell")
# Commands with the output that they have.
CONSOLE = "console"
_PROMPT = "$ "
# Units of systemd.
UNITS = "ini"
_STARTED = re.compile(r"^Exec\w+=(.+)$", re.MULTILINE)
# In a sentence, code with a space that begins like this is a command; a name alone is only mentioned.
_OF_SENTENCES = re.compile(r"(ansible[\w-]*|script/[\w-]+|kops|kubectl|aws|podman|terraform) \S")
# So is the name of a playbook with options.
_PLAYBOOK_WITH_OPTIONS = re.compile(rf"({'|'.join(playbooks())}) -")


@dataclass(frozen=True)
class Command:
    """A simple command.

    shown: the lines that the page shows as its output, nothing if it shows none. mentioned: whether a sentence only
    names it, where a block would say to type it. into: the file that gets its output, "" for none.
    """

    page: str
    line: int
    words: tuple[str, ...]
    shown: tuple[str, ...] = ()
    mentioned: bool = False
    into: str = ""

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def program(self) -> str:
        """What is called: its name, but for scripts of the project, which are called by their path."""
        name = self.words[0]
        return name if name.startswith("script/") else name.rpartition("/")[2]

    def __str__(self) -> str:
        return " ".join(self.words)


@functools.cache
def commands() -> tuple[Command, ...]:
    """The commands of all pages, in their order."""
    return tuple(command for block in blocks() for command in _commands_of(block))


def _commands_of(block: Block) -> Iterator[Command]:
    if block.language in SHELLS:
        yield from _parsed(block, block.text, block.line)
    elif block.language == CONSOLE:
        yield from _of_console(block)
    elif block.language == UNITS:
        for started in _STARTED.findall(block.text):
            yield from _parsed(block, started, block.line)
    elif block.language == INLINE and _OF_SENTENCES.match(block.text):
        yield from _parsed(block, block.text, block.line)
    elif block.language == INLINE and _PLAYBOOK_WITH_OPTIONS.match(block.text):
        yield from _parsed(block, f"ansible-playbook kubeops.kops.{block.text}", block.line)


def _of_console(block: Block) -> Iterator[Command]:
    """Each line after a prompt is a command, and the lines up to the next one are its output."""
    found: list[tuple[int, str, list[str]]] = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith(_PROMPT):
            found.append((number, line.removeprefix(_PROMPT), []))
        else:
            assert found, f"{block.page}:{number}: output without a command"
            found[-1][2].append(line)
    for number, text, shown in found:
        yield from _parsed(block, text, number, tuple(shown))


def _parsed(block: Block, text: str, line: int, shown: tuple[str, ...] = ()) -> Iterator[Command]:
    try:
        trees = bashlex.parse(text)
    except (bashlex.errors.ParsingError, NotImplementedError) as error:
        raise AssertionError(f"{block.page}:{line}: no shell can read this: {error}") from error
    for tree in trees:
        for node in _simple(tree):
            words = tuple(part.word for part in node.parts if part.kind == "word")
            if words:
                at = line + text[: node.pos[0]].count("\n")
                into = [part.output.word for part in node.parts if part.kind == "redirect" and part.type == ">"]
                yield Command(block.page, at, words, shown, block.language == INLINE, "".join(into))


def _simple(node: Any) -> Iterator[Any]:
    """The simple commands of a tree, with those inside of words."""
    if node.kind == "command":
        yield node
    inner = [*getattr(node, "parts", ()), *getattr(node, "list", ())]
    if hasattr(node, "command"):
        inner.append(node.command)
    for each in inner:
        yield from _simple(each)
