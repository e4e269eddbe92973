# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cloud can do that decides which objects a cluster has there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .cloud import OpenStackCloud
from .errors import explain

# Since this version of Octavia's API (Train), a listener has allowed_cidrs.
_RESTRICTS = (2, 12)


def _can() -> bool:
    return True


@dataclass(frozen=True)
class Account:
    """A project's cloud. asked: answers whether listeners restrict; most clusters have no load balancer."""

    asked: Callable[[], bool] = field(default=_can, repr=False)

    @classmethod
    def of(cls, cloud: OpenStackCloud) -> Account:
        """A project that is asked when somebody wants to know."""
        return cls(lambda: cloud.once(_listeners_restrict))

    @property
    def listeners_restrict(self) -> bool:
        """Whether a listener of Octavia can say who may connect. Raises KopsError."""
        return self.asked()


def _listeners_restrict(cloud: OpenStackCloud) -> bool:
    try:
        versions = cloud.connection.load_balancer.get_all_version_data()
    except Exception as error:
        raise explain(error, "asking Octavia for its versions") from error
    found = [
        tuple(map(int, str(version["version"]).split(".")))
        for interfaces in versions.values()
        for services in interfaces.values()
        for service in services.values()
        for version in service
    ]
    return max(found, default=(0, 0)) >= _RESTRICTS
