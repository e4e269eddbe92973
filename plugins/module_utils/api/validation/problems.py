# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a rule says what is wrong: one constructor for each class of problem. Paths are kops' own spelling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...base.errors import FieldError
from ..suggest import did_you_mean

Problems = list[FieldError]


def required(path: str, message: str) -> FieldError:
    """A value that has to be there is missing."""
    return FieldError("Required", path, message)


def invalid(path: str, value: Any, message: str) -> FieldError:
    """A value that can never be right."""
    return FieldError("Invalid", path, message, value)


def forbidden(path: str, message: str) -> FieldError:
    """A value that is not allowed here: in this combination, on this cloud, or any longer."""
    return FieldError("Forbidden", path, message)


def duplicate(
    path: str, value: Any, message: str = "is listed before already; each value may appear once"
) -> FieldError:
    """A value that has to be unique appears again."""
    return FieldError("Duplicate", path, message, value)


def not_found(path: str, value: Any, message: str) -> FieldError:
    """A reference to something that does not exist."""
    return FieldError("NotFound", path, message, value)


def too_many(path: str, message: str) -> FieldError:
    """More values than are allowed together."""
    return FieldError("TooMany", path, message)


def other(path: str, message: str, value: Any = None) -> FieldError:
    """A problem that kops reports without naming a field; the path only helps the reader."""
    return FieldError("Other", path, message, value)


def besides(found: Problems, more: Problems) -> Problems:
    """Those of more that are about other places than found: one value is refused by one rule."""
    places = {(problem.type, problem.path) for problem in found}
    return [problem for problem in more if (problem.type, problem.path) not in places]


def not_supported(path: str, value: Any, allowed: Iterable[str]) -> FieldError:
    """A value outside a fixed list. The message lists what is allowed and the nearest match."""
    choices = [choice for choice in allowed if choice]
    return FieldError(
        "NotSupported", path, f"must be one of {', '.join(choices)}{did_you_mean(str(value), choices)}", value
    )


def one_of(path: str, value: str | None, allowed: Sequence[str]) -> Problems:
    """Check a value against a fixed list; None (unset) passes, the empty string only if it is listed."""
    return [] if value is None or value in allowed else [not_supported(path, value, allowed)]
