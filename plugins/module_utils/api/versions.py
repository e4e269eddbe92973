# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of Kubernetes and kops: parsing, order, and the ranges that channels are written in."""

from __future__ import annotations

import functools
import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable

from ..base.errors import KopsError

if TYPE_CHECKING:
    from .cluster import Cluster

# An API server takes kubelets that are so many minor versions older.
OLDER_KUBELETS = 3
_VERSION = re.compile(
    r"^v?(?P<major>\d+)(?:\.(?P<minor>\d+)(?:\.(?P<patch>\d+)(?P<pre>-[0-9A-Za-z.-]+)?(?P<build>\+[0-9A-Za-z.-]+)?)?)?$"
)
# A URL of a Kubernetes build names its minor version somewhere in its path.
_VERSION_IN_URL = re.compile(r"/v1\.(\d+)\.")
_URL_SCHEMES = ("http:", "https:", "memfs:")


@functools.total_ordering
@dataclass(frozen=True)
class Version:
    """A semantic version. Order is that of semver: a pre-release comes before its release, build data does not count.

    pre: the dot-separated parts of the pre-release, numbers as int ("beta.1" -> ("beta", 1)).
    build: what follows "+", without it.
    """

    major: int
    minor: int = 0
    patch: int = 0
    pre: tuple[int | str, ...] = ()
    build: str = ""

    @classmethod
    def parse(cls, text: str) -> Version:
        """Read "1.34.0-beta.1", "v1.34", "1.34" or the URL of a Kubernetes build; raises KopsError for the rest."""
        return _parse(text)

    @property
    def release(self) -> Version:
        """The same version without pre-release and build data."""
        return Version(self.major, self.minor, self.patch)

    def __str__(self) -> str:
        pre = "-" + ".".join(str(part) for part in self.pre) if self.pre else ""
        build = f"+{self.build}" if self.build else ""
        return f"{self.major}.{self.minor}.{self.patch}{pre}{build}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._order() == other._order()

    def __lt__(self, other: Version) -> bool:
        return self._order() < other._order()

    def __hash__(self) -> int:
        return hash(self._order())

    def _order(self) -> tuple[Any, ...]:
        # Numbers sort before words, a shorter pre-release before a longer one, no pre-release last.
        parts = tuple((isinstance(part, str), part) for part in self.pre)
        return self.major, self.minor, self.patch, not self.pre, parts


@functools.lru_cache(maxsize=256)
def _parse(text: str) -> Version:
    found = _VERSION.match(text.strip())
    if found:
        pre = tuple(int(part) if part.isdigit() else part for part in (found["pre"] or "-")[1:].split(".") if part)
        major, minor, patch = (int(found[name] or 0) for name in ("major", "minor", "patch"))
        return Version(major, minor, patch, pre, (found["build"] or "+")[1:])
    in_url = _VERSION_IN_URL.search(text)
    if in_url:
        return Version(1, int(in_url.group(1)))
    raise KopsError(f"{text!r} is not a version; write for example 1.34.0 or 1.34.0-beta.1")


def is_build_url(kubernetes_version: str) -> bool:
    """True if spec.kubernetesVersion is the URL of a build of Kubernetes and not a version."""
    return kubernetes_version.startswith(_URL_SCHEMES)


def is_at_least(cluster: Cluster, version: str) -> bool:
    """True if the cluster's Kubernetes is of that version or newer; its own pre-release does not count.

    Raises KopsError if spec.kubernetesVersion is not a version.
    """
    return Version.parse(cluster.spec.kubernetes_version or "").release >= Version.parse(version)


_OPERATORS: dict[str, Callable[[Version, Version], bool]] = {
    "": operator.eq,
    "=": operator.eq,
    "==": operator.eq,
    "!": operator.ne,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_CONDITION = re.compile(r"^([=!<>]*)(.+)$")
# 1.x, 1.x.x and 1.34.x. What a sign means then: operators, and whether it is the first version or the one after all.
_WILD = re.compile(r"^(?P<major>\d+)(?:\.(?P<minor>\d+))?(?:\.x){1,2}$")
_WILD_SIGNS: dict[str, list[tuple[str, bool]]] = {
    **dict.fromkeys(("", "=", "=="), [(">=", True), ("<", False)]),
    ">": [(">=", False)],
    ">=": [(">=", True)],
    "<": [("<", True)],
    "<=": [("<", False)],
}


@dataclass(frozen=True)
class VersionRange:
    """A set of versions: alternatives ("||"), each a list of conditions that must all hold (">=1.32.0 <1.34.0")."""

    alternatives: tuple[tuple[tuple[str, Version], ...], ...]

    @classmethod
    def parse(cls, text: str) -> VersionRange:
        """Read a range in the channels' notation; raises KopsError for anything else."""
        return _parse_range(text)

    def __contains__(self, version: Version) -> bool:
        return any(
            all(_OPERATORS[sign](version, bound) for sign, bound in conditions) for conditions in self.alternatives
        )


@functools.lru_cache(maxsize=256)
def _parse_range(text: str) -> VersionRange:
    # A sign may be separated from its version by blanks.
    joined = re.sub(r"([=!<>])\s+", r"\1", text)
    alternatives = [alternative.split() for alternative in joined.split("||")]
    if not all(alternatives):
        raise _no_range(text)
    return VersionRange(
        tuple(
            tuple(each for condition in alternative for each in _parse_condition(condition, text))
            for alternative in alternatives
        )
    )


def _parse_condition(condition: str, text: str) -> list[tuple[str, Version]]:
    found = _CONDITION.match(condition)
    if not found or found.group(1) not in _OPERATORS:
        raise _no_range(text)
    sign, bound = found.groups()
    wild = _WILD.match(bound)
    if wild is None:
        return [(sign, Version.parse(bound))]
    if sign not in _WILD_SIGNS:
        raise _no_range(text)
    first = Version(int(wild["major"]), int(wild["minor"] or 0))
    after = Version(first.major, first.minor + 1) if wild["minor"] else Version(first.major + 1)
    return [(operator, first if is_first else after) for operator, is_first in _WILD_SIGNS[sign]]


def _no_range(text: str) -> KopsError:
    return KopsError(f"{text!r} is not a range of versions; write for example '>=1.32.0 <1.34.0'")
