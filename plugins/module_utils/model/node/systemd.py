# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Units of systemd, as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

# What may stand in a command line without being quoted or escaped, besides letters and digits.
_PLAIN = frozenset("!#$%&()*+,-./:;<>=?@[]^_`{|}~ ")
# Endings of names of units; without one a name is that of a service.
_KINDS = (
    *(".automount", ".device", ".mount", ".path", ".scope"),
    *(".service", ".slice", ".socket", ".swap", ".target", ".timer"),
)

# What a line of a unit is: a section, a setting, a comment, or nothing (systemd.syntax(7)).
_LINE = re.compile(r"\[[^\[\]]+\]|[^=\[\s][^=]*=.*|[#;].*|")

# Where user data's loader puts the node program (node/loader/load.py).
_PROGRAM = "/opt/kubeops/kops-node"

Section = Sequence[tuple[str, str]]


def unit_text(sections: Mapping[str, Section | str]) -> str:
    """A unit file. sections: name -> its settings in order, or its text as it is."""
    return "\n".join(
        f"[{name}]\n" + (content if isinstance(content, str) else "".join(f"{key}={text}\n" for key, text in content))
        for name, content in sections.items()
    )


def unread_lines(text: str) -> list[str]:
    """The lines of a unit that systemd would ignore. A line that ends with a backslash goes on in the next."""
    found: list[str] = []
    continued = False
    for line in map(str.strip, text.splitlines()):
        if not continued and not _LINE.fullmatch(line):
            found.append(line)
        # Comments may stand between the parts of a line.
        if not (continued and line.startswith(("#", ";"))):
            continued = line.endswith("\\")
    return found


def unit_name(name: str) -> str:
    """The name with the ending of its kind, a service unless it has one."""
    return name if name.endswith(_KINDS) else f"{name}.service"


def program_command(arguments: str) -> str:
    """A command line of ExecStart: the node program with arguments."""
    return f"/usr/bin/env python3 {_PROGRAM} {arguments}"


def command_line(arguments: Sequence[str]) -> str:
    """Arguments as systemd reads them from ExecStart."""
    return " ".join(map(_quoted, arguments))


def _quoted(argument: str) -> str:
    escaped = "".join(map(_escaped, argument))
    return f'"{escaped}"' if " " in argument else escaped


def _escaped(char: str) -> str:
    if char in "\"'\\":
        return "\\" + char
    if (char.isascii() and char.isalnum()) or char in _PLAIN:
        return char
    return "".join(f"\\x{byte:02x}" for byte in char.encode())
