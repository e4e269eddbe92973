# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster in OpenStack, why servers could not be made, and health of its targets, for a dump."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from .cloud import OpenStackCloud
from .ingress import api_targets
from .resources.discovery import discover
from .resources.owned import Owned

# What user data is in, where the login may see it.
_NOT_TOLD = "OS-EXT-SRV-ATTR:user_data"


def described(cloud: OpenStackCloud) -> Mapping[str, Callable[[], Any]]:
    """Name -> a function that reads it. Each is read on its own, so that one that fails keeps no other away."""
    return {
        "servers": lambda: [
            {key: value for key, value in each.items() if key != _NOT_TOLD} for each in Owned(cloud).servers()
        ],
        "ports": lambda: [dict(each) for each in Owned(cloud).ports()],
        "volumes": lambda: [dict(each) for each in Owned(cloud).volumes()],
        "load-balancers": lambda: [dict(each) for each in Owned(cloud).balancers()],
        "target-health": lambda: [asdict(each) for each in api_targets(cloud) or ()],
        "resources": lambda: sorted(
            (each.as_data() for each in discover(cloud).values()), key=lambda each: (each["kind"], each["id"])
        ),
    }
