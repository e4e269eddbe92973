# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A project of Hetzner Cloud on this machine: its API, which a process of its own serves (centre.py), and a bucket."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.tests.lab import hosts
from ansible_collections.kubeops.kops.tests.lab.cloud import buckets, network
from ansible_collections.kubeops.kops.tests.lab.cloud.centres import Centre
from ansible_collections.kubeops.kops.tests.support.hetzner.project import TOKEN

LOCATIONS = ("fsn1", "nbg1", "hel1")
STORE = f"hos://{buckets.BUCKET}"
PORT = 4574
URL = f"http://{network.BRIDGE.gateway}:{PORT}/v1"
CENTRE = Centre("hetzner")


def environment() -> dict[str, str]:
    """What a controller needs in its environment to use this project and no other."""
    return {
        **endpoints(),
        **buckets.environment(),
        "HCLOUD_TOKEN": TOKEN,
        "ANSIBLE_PRIVATE_KEY_FILE": str(hosts.key_pair()),
        "KOPS_STATE_STORE": STORE,
    }


def endpoints() -> dict[str, str]:
    """The variable by which Hetzner's own programs, and ours, find the API here."""
    return {"HCLOUD_ENDPOINT": URL}


def client() -> Any:
    """The official client of the project."""
    import hcloud

    return hcloud.Client(TOKEN, api_endpoint=URL, poll_interval=0.2)
