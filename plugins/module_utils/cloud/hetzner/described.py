# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster in Hetzner Cloud, and health of its targets, for a dump."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from .cloud import HetznerCloud
from .ingress import api_targets
from .kinds import FIREWALL
from .resources.discovery import discover
from .resources.owned import Owned


def described(cloud: HetznerCloud) -> Mapping[str, Callable[[], Any]]:
    """Name -> a function that reads it. Each is read on its own, so that one that fails keeps no other away.

    The API never shows the user data of a server.
    """
    return {
        "servers": lambda: [dict(each) for each in Owned(cloud).servers()],
        "volumes": lambda: [dict(each) for each in Owned(cloud).volumes()],
        "load-balancers": lambda: [dict(each) for each in Owned(cloud).balancers()],
        "firewalls": lambda: [dict(each) for each in Owned(cloud).labelled(FIREWALL)],
        "target-health": lambda: [asdict(each) for each in api_targets(cloud) or ()],
        "resources": lambda: sorted(
            (each.as_data() for each in discover(cloud).values()), key=lambda each: (each["kind"], each["id"])
        ),
    }
