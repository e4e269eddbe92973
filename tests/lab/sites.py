# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user of the playbooks has: hosts in groups, a manifest, a state store."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Callable
from typing import Any

from ansible_collections.kubeops.kops.tests.lab import cluster, network, running


@dataclasses.dataclass
class Site:
    """A cluster and its hosts, as its user has them.

    control_planes: one host for each of the groups control-plane-a ... workers: the group nodes.
    others: hosts of the inventory that are in no instance group. variables: of every run ("kops_kubeconfig").
    """

    directory: pathlib.Path
    state_store: str
    control_planes: list[str]
    workers: list[str]
    others: list[str] = dataclasses.field(default_factory=list)
    variables: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def manifest(self) -> pathlib.Path:
        """The file with the cluster and its instance groups."""
        return self.directory / "cluster.yml"

    def write(self, **given: Any) -> None:
        """Write the manifest for these hosts; given: as cluster.manifest takes it."""
        count = len(self.workers)
        defaults = {
            "control_planes": len(self.control_planes),
            "api": network.address(self.control_planes[0]),
            "nodes": {"minSize": count, "maxSize": count},
        }
        self.manifest.write_text(cluster.manifest(**{**defaults, **given}))

    @property
    def nodes(self) -> list[str]:
        """The hosts that are to be nodes, sorted."""
        return sorted([*self.control_planes, *self.workers])

    @property
    def inventory(self) -> dict[str, Any]:
        """The inventory."""
        groups = {cluster.control_plane_group(index): [name] for index, name in enumerate(self.control_planes)}
        return running.inventory({**groups, "nodes": self.workers, "others": self.others})

    def run(self, playbook: str, *options: str, **variables: Any) -> running.Run:
        """Run a playbook of the collection, or of a file, as running.playbook does."""
        given = {"kops_state_store": self.state_store, "kops_cluster_name": cluster.NAME}
        return running.playbook(playbook, self.inventory, {**given, **self.variables, **variables}, *options)

    def killed(self, playbook: str, when: Callable[[], bool], **variables: Any) -> running.Run:
        """Run a playbook, and kill -9 its controller as soon as this holds."""
        given = {"kops_state_store": self.state_store, "kops_cluster_name": cluster.NAME}
        every = {**given, **self.variables, **variables}
        return running.playbook(playbook, self.inventory, every, killed_when=when)

    def create(self, *options: str, **variables: Any) -> running.Run:
        """Run create_cluster with the manifest."""
        return self.run("create_cluster", *options, **{"kops_manifest": str(self.manifest), **variables})
