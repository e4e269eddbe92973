# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A project of Google Cloud on this machine: its APIs, which a process of its own serves (centre.py)."""

from __future__ import annotations

import functools
import pathlib
import sys
from typing import Any

import requests
from ansible_collections.kubeops.kops.tests.lab import cache, processes
from ansible_collections.kubeops.kops.tests.lab.cloud import network
from ansible_collections.kubeops.kops.tests.support.google import server

PROJECT, NUMBER = "lab-project", "123456789012"
REGION = "us-test1"
ZONES = tuple(f"{REGION}-{letter}" for letter in "bcd")
BUCKET = "lab-kops-state"
STORE = f"gs://{BUCKET}"
PORT, STORAGE_PORT = 4571, 4572
URL, STORAGE_URL = (f"http://{network.BRIDGE.gateway}:{port}" for port in (PORT, STORAGE_PORT))
_SERVER, _MODULE = "google-centre", f"{__package__}.centre"


def start() -> None:
    """Start it, unless it runs, with an empty bucket for the state store. All that it knows goes when it stops."""
    if is_running():
        return
    ready().unlink(missing_ok=True)
    processes.start(_SERVER, [sys.executable, "-m", _MODULE], ready().exists)
    requests.post(f"{STORAGE_URL}/storage/v1/b", json={"name": BUCKET}, headers=_HEADERS, timeout=10).raise_for_status()


def stop() -> None:
    """Stop it."""
    processes.stop(_SERVER)


def is_running() -> bool:
    """Whether it runs."""
    return processes.is_running(_SERVER)


def ready() -> pathlib.Path:
    """The file that says that it serves."""
    return cache.directory() / "google-centre.ready"


def credentials() -> pathlib.Path:
    """The file with the key of a service account, for controllers."""
    return cache.directory() / "google-credentials.json"


def environment() -> dict[str, str]:
    """What a controller needs in its environment to use this project and no other."""
    return {
        **endpoints(),
        "GOOGLE_APPLICATION_CREDENTIALS": str(credentials()),
        "GOOGLE_CLOUD_PROJECT": PROJECT,
        "KOPS_STATE_STORE": STORE,
    }


def endpoints() -> dict[str, str]:
    """The variables by which Google's own programs, and ours, find the APIs here."""
    return {**server.environment_of(URL), server.variable("storage"): f"{STORAGE_URL}/storage/v1/"}


_HEADERS = {"Authorization": f"Bearer {server.TOKEN}"}


def call(method: str, path: str, body: Any = None) -> Any:
    """An answer of Compute Engine. path: below the project. Raises requests.HTTPError."""
    url = f"{URL}/compute/v1/projects/{PROJECT}/{path}"
    answer = _session().request(method, url, json=body, timeout=30)
    answer.raise_for_status()
    return answer.json()


def all_of(collection: str) -> list[dict[str, Any]]:
    """All objects of a collection that zones or regions have."""
    found = call("GET", f"aggregated/{collection}")["items"]
    return [each for scope in found.values() for each in scope[collection]]


@functools.cache
def _session() -> requests.Session:
    made = requests.Session()
    made.headers.update(_HEADERS)
    return made
