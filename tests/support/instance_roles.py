# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program of AWS finds on an instance: the account's address, and the role's credentials of its metadata."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping

from ansible_collections.kubeops.kops.tests.support import metadata_service
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer


@contextlib.contextmanager
def environment_on(
    server: AWSServer, role: str, instance: str, more: Mapping[str, str] | None = None
) -> Iterator[dict[str, str]]:
    """The environment of a program on an instance with a role; it has no credentials but those of the metadata.

    more: paths of the metadata service that only this program asks for.
    """
    arn = f"arn:aws:iam::123456789012:role/{role}"
    session = server.client("sts").assume_role(RoleArn=arn, RoleSessionName=instance)["Credentials"]
    paths = {
        **metadata_service.paths_of_an_instance(instance),
        # SDKs want to know when to ask again.
        **metadata_service.paths_of_credentials(
            role, {**session, "Expiration": session["Expiration"].strftime("%Y-%m-%dT%H:%M:%SZ")}
        ),
        **(more or {}),
    }
    with metadata_service.running(paths) as (url, _service):
        yield {
            "AWS_ENDPOINT_URL": server.url,
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": url,
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "PATH": os.environ["PATH"],
        }
