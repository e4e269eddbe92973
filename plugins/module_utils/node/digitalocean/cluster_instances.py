# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The droplets of a cluster as its controllers see them (pkg/nodeidentity/do of kops).

Tags of a droplet can be changed only by whoever may change the account, which workers may not: they have no token.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...base.digitalocean_droplet_ids import DROPLETS
from ...base.labels import INSTANCE_GROUP
from ..cloud.instances import CloudInstance
from .api import DigitalOcean
from .marks import (
    CONTROL_PLANE,
    ENDED,
    GROUP,
    ROLE,
    RUNNING,
    WORKER,
    addresses_of,
    cluster_tag,
    id_of,
    is_of,
    tags_of,
)

_NODE_ROLES = {CONTROL_PLANE: "control-plane", WORKER: "node"}


class Droplets:
    """Those of one cluster. own: the name of the droplet that the process runs on."""

    ids = DROPLETS

    def __init__(self, api: DigitalOcean, cluster: str, own: str) -> None:
        self.api, self.cluster, self._own = api, cluster, own

    def own_id(self) -> str:
        """See CloudInstances."""
        return self._own

    def all(self) -> dict[str, CloudInstance]:
        """See CloudInstances."""
        found = self.api.listed("droplets", tag_name=cluster_tag(self.cluster))
        return {each.id: each for each in (_read(droplet) for droplet in found if is_of(droplet, self.cluster))}

    def servers(self) -> dict[str, CloudInstance]:
        """See CloudInstances."""
        return {name: each for name, each in self.all().items() if each.role == CONTROL_PLANE}

    def existing(self, ids: Collection[str]) -> set[str]:
        """See CloudInstances."""
        found = self.api.listed("droplets") if ids else ()
        return {id_of(each) for each in found if each["status"] not in ENDED} & set(ids)


def _read(droplet: Mapping[str, Any]) -> CloudInstance:
    tags = tags_of(droplet)
    group, role = tags.get(GROUP, ""), tags.get(ROLE, "")
    named = {f"node-role.kubernetes.io/{_NODE_ROLES[role]}": ""} if role in _NODE_ROLES else {}
    return CloudInstance(
        id=id_of(droplet),
        group=group,
        role=CONTROL_PLANE if role == CONTROL_PLANE else "",
        runs=droplet["status"] in RUNNING,
        is_terminated=droplet["status"] in ENDED,
        tagged_labels={**named, **({INSTANCE_GROUP: group} if group else {})},
        internal=addresses_of(droplet, "private"),
        external=addresses_of(droplet, "public"),
    )
