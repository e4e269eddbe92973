# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways to the Kubernetes API. vSphere has no load balancers: these are the addresses of control planes."""

from __future__ import annotations

from ..endpoints import Endpoint
from ..instances import Target
from . import names
from .cloud import VSphereCloud
from .ownership import forget_machines, machines, settings_of
from .states import addresses, is_on


def api_endpoints(cloud: VSphereCloud) -> list[Endpoint]:
    """The first address of each control plane that runs, as VMware Tools say it."""
    forget_machines(cloud)
    found = [
        addresses(each)[0]
        for each in machines(cloud)
        if is_on(each) and settings_of(each).get(names.ROLE) == names.CONTROL_PLANE and addresses(each)
    ]
    return [Endpoint(each) for each in sorted(found)]


def api_targets(cloud: VSphereCloud) -> list[Target] | None:
    """None: what is in front of the API, if anything, is not in vCenter."""
    return None
