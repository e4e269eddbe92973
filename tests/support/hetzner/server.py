# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner Cloud on loopback, with one project."""

from __future__ import annotations

from ..rest_server import RestServer
from .project import TOKEN, Project


class HetznerServer(RestServer):
    """The API. project: what there is."""

    def __init__(self, address: str = "127.0.0.1", port: int = 0) -> None:
        self.project = Project()
        super().__init__(self.project, "/v1", address, port)

    def __enter__(self) -> HetznerServer:
        super().__enter__()
        return self

    @property
    def environment(self) -> dict[str, str]:
        """The variables that name it, and its token."""
        return {"HCLOUD_ENDPOINT": self.url, "HCLOUD_TOKEN": TOKEN}

    def names(self) -> list[str]:
        """All objects of the project, as "networks demo"."""
        kept = ("servers", "networks", "firewalls", "load_balancers", "volumes", "ssh_keys", "placement_groups")
        kinds = self.project.objects.kinds
        return sorted(f"{kind} {each['name']}" for kind in kept for each in kinds[kind].values())
