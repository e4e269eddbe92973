# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Buckets for clouds whose state stores have the protocol of S3: moto's server, beside the cloud's own API."""

from __future__ import annotations

import functools
import sys

from ansible_collections.kubeops.kops.tests.lab import cache, processes
from ansible_collections.kubeops.kops.tests.lab.cloud import network
from ansible_collections.kubeops.kops.tests.support import aws_server

PORT = 4573
BUCKET = "lab-kops-state"
_URL = f"http://{network.BRIDGE.gateway}:{PORT}"
_SERVER = "cloud-buckets"


def start() -> None:
    """Start it with an empty bucket, unless it runs. All that it knows goes when it stops."""
    log = cache.directory() / "cloud-buckets-calls.log"
    command = [
        *(sys.executable, aws_server.__file__, f"--log={log}", "--detached"),
        *(f"--address={network.BRIDGE.gateway}", f"--port={PORT}"),
    ]
    processes.start(_SERVER, command, functools.partial(processes.has_page, f"{_URL}/moto-api/data.json"))
    aws_server.client_of(_URL, "s3").create_bucket(Bucket=BUCKET)


def stop() -> None:
    """Stop it."""
    processes.stop(_SERVER)


def environment() -> dict[str, str]:
    """The variables by which controllers find it, and a key to it."""
    of_aws = aws_server.environment_of(_URL)
    return {
        "S3_ENDPOINT": _URL,
        "S3_REGION": aws_server.REGION,
        "S3_ACCESS_KEY_ID": of_aws["AWS_ACCESS_KEY_ID"],
        "S3_SECRET_ACCESS_KEY": of_aws["AWS_SECRET_ACCESS_KEY"],
    }
