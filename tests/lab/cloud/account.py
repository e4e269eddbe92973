# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud's API: moto's server, which checks signatures and policies of all but the controller's own key."""

from __future__ import annotations

import functools
import pathlib
import shutil
import sys
from collections.abc import Iterator
from typing import Any

from ansible_collections.kubeops.kops.tests.lab import cache, processes
from ansible_collections.kubeops.kops.tests.lab.cloud import network
from ansible_collections.kubeops.kops.tests.support import aws_server

NUMBER = "123456789012"
PORT = 4566
URL = f"http://{network.BRIDGE.gateway}:{PORT}"
BUCKET = "lab-kops-state"
STORE = f"s3://{BUCKET}"
_SERVER = "cloud-account"


def start() -> None:
    """Start it, unless it runs, with an empty bucket for the state store. All that it knows goes when it stops."""
    consoles().mkdir(exist_ok=True)
    command = [
        *(sys.executable, aws_server.__file__, f"--log={calls()}", "--detached", "--checked"),
        *(f"--address={network.BRIDGE.gateway}", f"--port={PORT}", f"--consoles={consoles()}"),
    ]
    environment = {"MOTO_IAM_LOAD_MANAGED_POLICIES": "true"}
    answers = functools.partial(processes.has_page, f"{URL}/moto-api/data.json")
    processes.start(_SERVER, command, answers, environment=environment)
    client("s3").create_bucket(Bucket=BUCKET)


def stop() -> None:
    """Stop it."""
    processes.stop(_SERVER)
    shutil.rmtree(consoles(), ignore_errors=True)


def is_running() -> bool:
    """Whether it runs."""
    return processes.is_running(_SERVER)


def calls() -> pathlib.Path:
    """The file with a line for each call of its API."""
    return cache.directory() / "cloud-calls.log"


def consoles() -> pathlib.Path:
    """The directory with a file for each instance: what its machine has printed to its console, as podman logs it."""
    return cache.directory() / "cloud-consoles"


def environment() -> dict[str, str]:
    """What a controller needs in its environment to use this account and no other."""
    return {**aws_server.environment_of(URL), "KOPS_STATE_STORE": STORE}


@functools.cache
def client(service: str) -> Any:
    """A boto3 client of the account."""
    return aws_server.client_of(URL, service)


def pages(service: str, operation: str, key: str, **given: Any) -> Iterator[dict[str, Any]]:
    """All items of an operation ("describe_instances") that answers in pages. key: what they are called."""
    for page in client(service).get_paginator(operation).paginate(**given):
        yield from page[key]
