# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stub as its instances see it: they are known by their addresses."""

from __future__ import annotations

import json
import urllib.request
from typing import Any, Optional

from ..stores.signing import Credentials

ADDRESS = "http://169.254.169.254"


class StubAPI:
    """All methods raise OSError if it does not answer."""

    def ask(self, path: str, body: Optional[object] = None) -> Any:
        """The answer to a request; a POST if it has a body."""
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(f"{ADDRESS}/{path}", data, timeout=30) as answer:
            return json.loads(answer.read())

    def own(self) -> dict[str, Any]:
        """This instance: its name, address, zone, and keys for the state store."""
        found: dict[str, Any] = self.ask("self")
        return found

    def cluster(self, name: str) -> dict[str, Any]:
        """What a cluster has: instances and disks by their names."""
        found: dict[str, Any] = self.ask(f"clusters/{name}/")
        return found

    def credentials(self) -> Credentials:
        """For the state store."""
        return Credentials(*self.own()["keys"])

    def region(self) -> str:
        """Where the state store is."""
        return "us-east-1"

    def domain(self) -> str:
        """The environment names the whole endpoint of the store."""
        return ""
