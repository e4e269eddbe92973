# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client of the stub: a few requests to stub_api.py, whose place the environment names."""

from __future__ import annotations

import json
import os
import urllib.request
from typing import Any

from ..reads import Reads

ENDPOINT = "STUB_CLOUD"


class StubCloud(Reads):
    """What one cluster has there."""

    def __init__(self, cluster_name: str) -> None:
        super().__init__()
        self.cluster_name = cluster_name

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The answer to a request. Raises OSError."""
        url = f"{os.environ[ENDPOINT]}/clusters/{self.cluster_name}/{path}"
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(url, data, method=method), timeout=30) as answer:
            return json.loads(answer.read())


def everything(cloud: StubCloud) -> dict[str, Any]:
    """Groups, instances and disks by their names: {"groups": ..., "instances": ..., "disks": ...}."""
    found: dict[str, Any] = cloud.ask("GET", "")
    return found
