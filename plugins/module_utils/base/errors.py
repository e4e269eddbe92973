# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors that users see, raised on the controller or on a node. Everything raised on purpose is a KopsError."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


class KopsError(Exception):
    """Root of all errors that carry a message for the user. The text is complete by itself.

    brief: the same in a line, if the text ends with a log, so that its last line does not say what is wrong; else "".
    """

    brief = ""


def in_one_line(error: KopsError) -> str:
    """The text of an error with several lines, for a sentence."""
    return "; ".join(line.removeprefix("- ") for line in str(error).splitlines()).replace(":; ", ": ")


@dataclass(frozen=True)
class FieldError:
    """One problem at one place of an object.

    type: kops' class of the problem: Required, Invalid, Forbidden, Duplicate, NotSupported, NotFound,
        TooMany, InternalError; "Other" where there is no field.
    path: the place, in the hub's spelling ("spec.networking.subnets[0].cidr").
    message: what is wrong and what is allowed.
    value: the offending value, if it helps.
    group: the instance group that it is about, "" for the cluster.
    where: file, document and line of the object, if it was read from one; the path is spelled as there then.
    """

    type: str
    path: str
    message: str
    value: Any = None
    group: str = ""
    where: str = ""

    def __str__(self) -> str:
        shown = f" ({self.value!r})" if self.value not in (None, "") else ""
        return ": ".join(part for part in (self.where, self.path, f"{self.message}{shown}") if part)


class ValidationError(KopsError):
    """An object that is readable but not allowed: all its problems at once."""

    def __init__(self, errors: Iterable[FieldError], subject: str = "") -> None:
        self.errors = list(errors)
        self.subject = subject
        lines = [str(error) for error in self.errors]
        count = f"{len(lines)} problem{'s' if len(lines) != 1 else ''}"
        head = f"{subject}: {count}" if subject else count
        super().__init__("\n".join([f"{head}:", *(f"- {line}" for line in lines)]))


class ManifestError(KopsError):
    """Text that is not a manifest of ours: not YAML, an unknown field, a wrong type. Names file, document and path."""


class ConfigError(KopsError):
    """What was asked for cannot be done on this node: all problems at once, found before anything was written."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = list(problems)
        count = f"{len(self.problems)} problem{'s' if len(self.problems) != 1 else ''}"
        lines = [f"the node was left as it is, for {count}:", *(f"- {problem}" for problem in self.problems)]
        super().__init__("\n".join(lines))


class CommandError(KopsError):
    """A command of the host failed; with the last lines of what it said."""
