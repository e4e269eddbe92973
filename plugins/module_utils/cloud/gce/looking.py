# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Google Cloud shows of a cluster: little yet, as only Terraform makes its objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.errors import KopsError
from ..looking import Looking
from .cloud import GCECloud

if TYPE_CHECKING:
    from ...engine.resource import Resource
    from ..endpoints import Endpoint
    from ..instances import InstancesOfGroup


class GCELooking(Looking[GCECloud]):
    """Objects are neither found nor deleted, and instances do not become nodes yet."""

    def find_objects(self, cloud: GCECloud) -> dict[str, Resource]:
        raise KopsError(
            "objects in Google Cloud cannot be deleted yet: run terraform destroy in the directory of the cluster's"
            " configuration, then delete the cluster with unregister: true"
        )

    def api_endpoints(self, cloud: GCECloud) -> list[Endpoint]:
        """None yet: the addresses of Google's load balancers are not read."""
        return []

    def groups(self, cloud: GCECloud, *, only_serving: bool = False, why: bool = False) -> dict[str, InstancesOfGroup]:
        purpose = "validate" if only_serving else "list"
        raise KopsError(f"instances in Google Cloud do not become nodes yet, so that there is nothing to {purpose}")
