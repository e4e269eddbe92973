# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What exists in a project, by asking for every kind of object that a cluster can have: prints the counts.

The environment says which project, and where its APIs are.
"""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.cloud import GCECloud, default_project
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.resources.listing import everything
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.service_account import accounts

from .compute import REGION


def counts() -> dict[str, int]:
    """Kind -> how many there are."""
    cloud = GCECloud(REGION, project=default_project())
    found: dict[str, int] = {}
    for each in everything(cloud).values():
        found[each.kind.name] = found.get(each.kind.name, 0) + 1
    return {**found, "service-account": len(accounts(cloud, cloud.project))}


if __name__ == "__main__":
    print("\n".join(f"{count:4} {kind}" for kind, count in sorted(counts().items()) if count) or "   nothing")
