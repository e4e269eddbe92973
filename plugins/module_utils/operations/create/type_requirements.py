# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requirements on machine types as users write them: options of kops toolbox instance-selector, with underscores."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...base.errors import FieldError, ValidationError
from ...cloud.type_selection import Requirements, Span

# Options of which each may be exact, or have _min and _max.
NUMBERS = ("vcpus", "gpus", "network_interfaces")
QUANTITIES = ("memory", "gpu_memory")
USAGE_CLASSES = ("on-demand", "spot")
PLACEMENT_STRATEGIES = ("cluster", "partition", "spread")
_ARCHITECTURES = {"amd64": "amd64", "x86_64": "amd64", "arm64": "arm64"}
ARCHITECTURES = tuple(_ARCHITECTURES)
# Other options with a lowest and a highest number. An autoscaling group has at most 40 machine types.
_BOUNDS: dict[str, tuple[int, int | None]] = {
    "max_results": (1, 40),
    "ig_count": (1, None),
    "node_count_min": (0, None),
    "node_count_max": (0, None),
    "node_volume_size": (1, None),
}

_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]{1,3})?) ?([mgt])?(?:i?b)?", re.IGNORECASE)
_MIB = {"m": 1, "g": 1024, "t": 1024 * 1024}
_RATIO = re.compile(r"([1-9][0-9]*):([1-9][0-9]*)")


def requirements_of(options: Mapping[str, Any]) -> Requirements:
    """Read the requirements from the options; None and "" mean that an option is not given.

    Raises ValidationError with all options whose values are wrong, numbers of groups and nodes among them.
    """
    reading = _Reading(options)
    spans: dict[str, Any] = {name: reading.span(name, _number) for name in NUMBERS}
    spans |= {f"{name}_mib": reading.span(name, mebibytes) for name in QUANTITIES}
    wanted = Requirements(
        architecture=_ARCHITECTURES.get(options.get("cpu_architecture") or ""),
        usage_class=options.get("usage_class") or USAGE_CLASSES[0],
        ratio=reading.value("vcpus_to_memory_ratio", _ratio),
        placement_strategy=options.get("placement_group_strategy") or None,
        ena=options.get("ena_support"),
        burstable=options.get("burst_support"),
        allowed=reading.value("allow_list", _pattern),
        denied=reading.value("deny_list", _pattern),
        **spans,
    )
    for name, (lowest, highest) in _BOUNDS.items():
        reading.bound(name, lowest, highest)
    if reading.problems:
        raise ValidationError(reading.problems, "requirements")
    return wanted


@dataclass
class _Reading:
    """Options, and what is wrong with them."""

    options: Mapping[str, Any]
    problems: list[FieldError] = field(default_factory=list)

    def value(self, name: str, parse: Callable[[str], Any]) -> Any:
        """The value of an option; None if it is not given or is wrong."""
        text = self.options.get(name)
        if text is None or text == "":
            return None
        try:
            return parse(str(text))
        except ValueError as error:
            self.problems.append(FieldError("Invalid", name, str(error), text))
            return None

    def span(self, name: str, parse: Callable[[str], int]) -> Span | None:
        """The range that an option gives, as one number or by its bounds."""
        exact, lowest, highest = (self.value(f"{name}{end}", parse) for end in ("", "_min", "_max"))
        if exact is not None:
            if lowest is not None or highest is not None:
                self._wrong(name, f"excludes {name}_min and {name}_max")
            return Span(exact, exact)
        if lowest is None and highest is None:
            return None
        if highest is not None and (lowest or 0) > highest:
            self._wrong(f"{name}_min", f"is more than {name}_max")
        return Span(lowest or 0, highest)

    def bound(self, name: str, lowest: int, highest: int | None) -> None:
        """Note a number that is given and out of bounds."""
        number = self.options.get(name)
        if number is not None and number not in Span(lowest, highest):
            self._wrong(name, f"must be {lowest} or more" if highest is None else f"must be {lowest} to {highest}")

    def _wrong(self, name: str, message: str) -> None:
        self.problems.append(FieldError("Invalid", name, message, self.options.get(name)))


def mebibytes(text: str) -> int:
    """MiB of a quantity ("4gb", "512 MiB", "1.5"); without a unit it is in GiB. Raises ValueError."""
    found = _QUANTITY.fullmatch(text.strip())
    if not found:
        raise ValueError("is no quantity of memory; examples are 4gb, 512mb and 1.5tb")
    amount = float(found[1]) * _MIB[(found[2] or "g").lower()]
    if (found[2] or "").lower() == "m" and amount != int(amount):
        raise ValueError("must be whole MiB")
    return int(amount)


def _number(text: str) -> int:
    if not text.isdecimal():
        raise ValueError("must be a whole number, 0 or more")
    return int(text)


def _ratio(text: str) -> float:
    found = _RATIO.fullmatch(text)
    if not found or int(found[2]) % int(found[1]):
        raise ValueError("must be 1:<whole GiB of memory for each virtual CPU>, for example 1:2")
    return int(found[2]) / int(found[1])


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(f"is no regular expression: {error}") from error
