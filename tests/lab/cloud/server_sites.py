# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters in clouds that are a list of servers: who deletes one has no other before an update, or a repair."""

from __future__ import annotations

from typing import ClassVar

from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite


class ServerSite(CloudSite):
    """A cluster. directory: for its manifest.

    provider: what ids of Nodes begin with. user_data: where a server reads its own. scheme: by which workers prove
    who they are.
    """

    provider: ClassVar[str]
    user_data: ClassVar[str]
    scheme: ClassVar[str]

    def serials(self) -> dict[str, str]:
        """See CloudSite."""
        return {name: str(each["id"]) for name, each in self.instances().items()}

    def resize(self, size: int) -> None:
        """Nothing but the store says which size a group has."""
        raise NotImplementedError

    def remove(self, name: str) -> None:
        """Delete a server; nobody makes another before an update."""
        self.terminate(name)

    def replaced(self, name: str, seconds: float = 300) -> float:
        """Delete a server, let `repair` make another one, and wait until that is a node; returns how long it took."""
        terminate = self.terminate

        def repaired(*names: str) -> None:
            terminate(*names)
            run = self.run("repair")
            assert run.code == 0, run.output

        self.terminate = repaired
        try:
            return super().replaced(name, seconds)
        finally:
            self.terminate = terminate
