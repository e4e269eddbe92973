# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of the Kubernetes API of a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from ..endpoints import Endpoint
from ..instances import Target
from . import names
from .cloud import DigitalOceanCloud
from .ownership import api_balancers_of, droplets_of
from .states import lives

_PRIVATE = "private"


def api_endpoints(cloud: DigitalOceanCloud) -> list[Endpoint]:
    """That of the API's load balancer, which is public; without one, those of control planes."""
    found = [Endpoint(str(each["ip"])) for each in api_balancers_of(cloud) if each.get("ip")]
    return sorted(found or _of_control_planes(cloud), key=lambda each: (each.internal, each.host))


def _of_control_planes(cloud: DigitalOceanCloud) -> Iterator[Endpoint]:
    for droplet in droplets_of(cloud):
        if lives(droplet) and names.has_tag(droplet, names.control_plane_tag(cloud.cluster_name)):
            for each in (droplet.get("networks") or {}).get("v4") or ():
                yield Endpoint(str(each["ip_address"]), internal=each["type"] == _PRIVATE)


def api_targets(cloud: DigitalOceanCloud) -> list[Target] | None:
    """None: DigitalOcean does not say which droplets its load balancers take for healthy."""
    del cloud
    return None
