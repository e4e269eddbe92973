# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The routes of a project's network: by instances, and to the ranges that instances have as aliases."""

from __future__ import annotations

from ansible_collections.kubeops.kops.tests.lab.google.metadata import address_of
from ansible_collections.kubeops.kops.tests.support.google.objects import LINK, Objects


def of_project(objects: Objects) -> dict[str, str]:
    """Range -> address of an instance."""
    found = {}
    for path, each in objects.found.items():
        if "/instances/" in path:
            aliases = each["networkInterfaces"][0].get("aliasIpRanges", ())
            found.update({alias["ipCidrRange"]: address_of(each) for alias in aliases})
        if "/routes/" in path and each.get("nextHopInstance"):
            instance = objects.found.get(each["nextHopInstance"][len(LINK) :])
            if instance is not None:
                found[each["destRange"]] = address_of(instance)
    return found
