# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instances of a cluster as its controllers see them (pkg/nodeidentity/gce of kops).

One listing is asked for all of them, where kops asks several times for each Node. Metadata and labels of an instance
can be changed only by whoever may change instances of the project, which kops' accounts of workers may not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ...base.google_instance_ids import COMPUTE_ENGINE
from ...base.labels import INSTANCE_GROUP
from ..cloud.instances import CloudInstance
from .api import Google, metadata_of
from .marks import API_SERVER, CLUSTER_NAME, CONTROL_PLANE, GROUP_NAME, ROLE_LABEL, search_of

RUNNING = ("PROVISIONING", "STAGING", "RUNNING")
_FILTER_VALUES = 40
# As IdentifyNode of kops has them; by the label of the instance's role.
_NODE_ROLES = {CONTROL_PLANE: "control-plane", API_SERVER: "api-server", "node": "node"}


class GoogleInstances:
    """Those of one cluster."""

    ids = COMPUTE_ENGINE

    def __init__(self, google: Google, cluster: str) -> None:
        self.google, self.cluster = google, cluster

    def own_id(self) -> str:
        """The instance that the process runs on."""
        return self.google.instance

    def all(self) -> dict[str, CloudInstance]:
        """See CloudInstances. Compute Engine has none that are gone. Raises ServiceError, KopsError."""
        return {found.id: found for found in map(_read, self._ours(search_of(self.cluster)))}

    def servers(self) -> dict[str, CloudInstance]:
        """See CloudInstances. Raises ServiceError, KopsError."""
        found: dict[str, CloudInstance] = {}
        for role in (CONTROL_PLANE, API_SERVER):
            label = ROLE_LABEL + role
            listed = self._ours(f"({search_of(self.cluster)}) (labels.{label}={role})")
            found.update(
                {each["name"]: _read(each) for each in listed if (each.get("labels") or {}).get(label) == role}
            )
        return found

    def existing(self, ids: Collection[str]) -> set[str]:
        """See CloudInstances. Raises ServiceError, KopsError."""
        found, names = set(), sorted(ids)
        for start in range(0, len(names), _FILTER_VALUES):
            some = " OR ".join(f"(name={name})" for name in names[start : start + _FILTER_VALUES])
            found |= {str(each["name"]) for each in self.google.in_region("instances", some)}
        return found & set(names)

    def _ours(self, search: str) -> Iterator[dict[str, Any]]:
        """By their metadata, which names the cluster in full: labels, records and the Nodes follow from them."""
        for each in self.google.in_region("instances", search):
            if metadata_of(each).get(CLUSTER_NAME) == self.cluster:
                yield each


def _read(described: Mapping[str, Any]) -> CloudInstance:
    labels = described.get("labels") or {}
    role = next((each for each in _NODE_ROLES if labels.get(ROLE_LABEL + each)), "")
    group = metadata_of(described).get(GROUP_NAME, "")
    first: Mapping[str, Any] = next(iter(described.get("networkInterfaces") or ()), {})
    version6 = [each for each in first.get("ipv6AccessConfigs") or () if each.get("externalIpv6")]
    outside = [str(each["natIP"]) for each in first.get("accessConfigs") or () if each.get("natIP")]
    own6 = [str(each["externalIpv6"]) for each in version6] or [str(first.get("ipv6Address") or "")]
    ranges = [f"{each['externalIpv6']}/{each['externalIpv6PrefixLength']}" for each in version6]
    named = {f"node-role.kubernetes.io/{_NODE_ROLES[role]}": ""} if role else {}
    return CloudInstance(
        id=str(described["name"]),
        group=group,
        role="ControlPlane" if role == CONTROL_PLANE else "",
        runs=described.get("status") in RUNNING,
        tagged_labels={**named, **({INSTANCE_GROUP: group} if group else {})},
        internal=tuple(filter(None, (str(first.get("networkIP") or ""), *own6))),
        external=tuple(filter(None, (*outside, *own6))),
        # As kops' controller of addresses (gceipam.go), which takes one range only.
        pod_range=ranges[0] if len(ranges) == 1 else "",
    )
