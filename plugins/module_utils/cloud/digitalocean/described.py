# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster in DigitalOcean, for a dump."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .cloud import DigitalOceanCloud
from .ownership import api_balancers_of, balancers_of_services, droplets_of, volumes_of, vpcs_of
from .resources.discovery import discover


def described(cloud: DigitalOceanCloud) -> Mapping[str, Callable[[], Any]]:
    """Name -> a function that reads it. Each is read on its own, so that one that fails keeps no other away."""
    return {
        "droplets": lambda: [dict(each) for each in droplets_of(cloud)],
        "volumes": lambda: [dict(each) for each in volumes_of(cloud)],
        "load-balancers": lambda: [dict(each) for each in (*api_balancers_of(cloud), *balancers_of_services(cloud))],
        "vpcs": lambda: [dict(each) for each in vpcs_of(cloud)],
        "resources": lambda: sorted(
            (each.as_data() for each in discover(cloud).values()), key=lambda each: (each["kind"], each["id"])
        ),
    }
