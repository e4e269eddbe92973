# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metadata service of a server: who it is, and what is kept for it in Nova. It knows nothing that is secret.

OS_METADATA_HOST of the environment names another service (HOST[:PORT]).
"""

from __future__ import annotations

import json
import os
import urllib.request
from typing import Any

_METADATA_ADDRESS = "169.254.169.254"
_METADATA_SECONDS = 5


def described() -> dict[str, Any]:
    """What it says of the server now: uuid, name, availability_zone, meta ... Raises OSError, ValueError."""
    return dict(json.loads(_metadata("openstack/latest/meta_data.json")))


def own_address() -> str:
    """The first address of the server; "" while it has none. Raises OSError."""
    return _metadata("latest/meta-data/local-ipv4").strip()


def _metadata(path: str) -> str:
    host = os.environ.get("OS_METADATA_HOST") or _METADATA_ADDRESS
    # Never through a proxy: each server is answered for itself.
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(f"http://{host}/{path}", timeout=_METADATA_SECONDS) as answer:
        return str(answer.read().decode())
