# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An account of DigitalOcean on this machine: its API, which a process of its own serves (centre.py), and a bucket."""

from __future__ import annotations

from typing import Any

import requests
from ansible_collections.kubeops.kops.tests.lab import hosts
from ansible_collections.kubeops.kops.tests.lab.cloud import buckets, network
from ansible_collections.kubeops.kops.tests.lab.cloud.centres import Centre
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import TOKEN

REGIONS = ("tor1",)
STORE = f"do://{buckets.BUCKET}"
PORT = 4575
URL = f"http://{network.BRIDGE.gateway}:{PORT}"
CENTRE = Centre("digitalocean")
# DigitalOcean counts the requests of each token.
_OBSERVER = "dop_v1_observer"


def environment() -> dict[str, str]:
    """What a controller needs in its environment to use this account and no other."""
    return {
        **buckets.environment(),
        "DIGITALOCEAN_API_URL": URL,
        "DIGITALOCEAN_ACCESS_TOKEN": TOKEN,
        "ANSIBLE_PRIVATE_KEY_FILE": str(hosts.key_pair()),
        "KOPS_STATE_STORE": STORE,
    }


def endpoints() -> dict[str, str]:
    """The variables by which DigitalOcean's own programs, and ours, find the API here."""
    return {"DIGITALOCEAN_API_URL": URL, "DO_OVERRIDE_URL": URL}


def call(method: str, path: str) -> Any:
    """An answer of the API; None if it is empty. Raises requests.HTTPError."""
    answer = requests.request(method, f"{URL}/v2/{path}", headers={"Authorization": f"Bearer {_OBSERVER}"}, timeout=30)
    answer.raise_for_status()
    return answer.json() if answer.content else None


def all_of(collection: str) -> list[dict[str, Any]]:
    """All objects of a collection: the first page has as many as tests make."""
    return list(call("GET", f"{collection}?per_page=200")[collection])
