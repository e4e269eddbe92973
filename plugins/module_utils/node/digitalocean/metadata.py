# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metadata service of a droplet: who it is. It knows nothing that is secret.

DIGITALOCEAN_METADATA_HOST of the environment names another one (HOST[:PORT]).
"""

from __future__ import annotations

import json
import os
import urllib.request
from typing import Any

_ADDRESS = "169.254.169.254"
_SECONDS = 5


def described() -> dict[str, Any]:
    """What it says of the droplet: droplet_id, hostname, region, interfaces ... Raises OSError, ValueError."""
    host = os.environ.get("DIGITALOCEAN_METADATA_HOST") or _ADDRESS
    # Never through a proxy: each droplet is answered for itself.
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(f"http://{host}/metadata/v1.json", timeout=_SECONDS) as answer:
        return dict(json.loads(answer.read().decode()))
