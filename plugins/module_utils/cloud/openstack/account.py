# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What decides which objects a cluster has in a cloud: what the cloud can do, and which servers there are."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ...base.errors import KopsError
from ..pools.numbers import Numbers
from . import access_rules
from .cloud import OpenStackCloud, place_of_login, types_of
from .errors import explain
from .pool import marks_of, numbers_of

# Since this version of Octavia's API (Train), a listener has allowed_cidrs.
_RESTRICTS = (2, 12)


def _can() -> bool:
    return True


def _none(_group: str) -> Numbers:
    return Numbers()


def _unmarked(_group: str) -> Mapping[int, str]:
    return {}


def _nowhere() -> tuple[str, str]:
    return "", ""


def _all_types() -> tuple[str, ...]:
    return access_rules.TYPES


@dataclass(frozen=True)
class Account:
    """A project, and what its cloud can do.

    asked: answers whether listeners restrict; most clusters have no load balancer. numbers: instance group -> those of
    its servers. marks: instance group -> number -> the mark of a server that runs. Without them, nothing is there yet.
    login: where Keystone is, and the region. types: of its services.
    """

    asked: Callable[[], bool] = field(default=_can, repr=False)
    numbers: Callable[[str], Numbers] = field(default=_none, repr=False)
    marks: Callable[[str], Mapping[int, str]] = field(default=_unmarked, repr=False)
    login: Callable[[], tuple[str, str]] = field(default=_nowhere, repr=False)
    types: Callable[[], Sequence[str]] = field(default=_all_types, repr=False)

    @classmethod
    def of(cls, cloud: OpenStackCloud) -> Account:
        """A project that is asked when somebody wants to know."""
        return cls(
            lambda: cloud.once(_listeners_restrict),
            functools.partial(numbers_of, cloud),
            functools.partial(marks_of, cloud),
            lambda: cloud.once(place_of_login),
            lambda: cloud.once(types_of),
        )

    @property
    def listeners_restrict(self) -> bool:
        """Whether a listener of Octavia can say who may connect. Raises KopsError."""
        return self.asked()


def _listeners_restrict(cloud: OpenStackCloud) -> bool:
    try:
        versions = cloud.service("load_balancer").get_all_version_data()
    except Exception as error:
        raise explain(error, "asking Octavia for its versions") from error
    found = [
        tuple(map(int, str(version["version"]).split(".")))
        for interfaces in versions.values()
        for services in interfaces.values()
        for service in services.values()
        for version in service
        # The library says so of a service that has not answered it.
        if version["version"]
    ]
    if not found:
        raise KopsError("asking Octavia for its versions: it names none, or did not answer; run again when it does")
    return max(found) >= _RESTRICTS
