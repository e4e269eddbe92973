# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metadata service of an instance (IMDSv2): who it is, and the credentials of its role."""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from typing import Optional

from ..stores.signing import Credentials

_ADDRESS = "http://169.254.169.254"
_ANSWER_SECONDS = 5
_TOKEN_SECONDS = 21600
_UNAUTHORIZED, _NOT_FOUND = 401, 404
_TOKEN_HEADER = "X-aws-ec2-metadata-token"  # noqa: S105 - its name
# Credentials are asked for again after this time; AWS replaces them some minutes before they expire.
_FRESH_SECONDS = 240


class Metadata:
    """What the service says; all methods raise OSError if it does not answer.

    endpoint: AWS_EC2_METADATA_SERVICE_ENDPOINT of the environment, else that of every instance.
    """

    def __init__(self, endpoint: str = "") -> None:
        chosen = endpoint or os.environ.get("AWS_EC2_METADATA_SERVICE_ENDPOINT") or _ADDRESS
        self.endpoint = chosen.rstrip("/")
        self._token = ""
        self._known: Optional[Credentials] = None
        self._until = 0.0

    def get(self, path: str) -> str:
        """The text of a path below ``latest/``. Raises urllib.error.HTTPError if there is none."""
        for last in (False, True):
            if not self._token:
                seconds = {f"{_TOKEN_HEADER}-ttl-seconds": str(_TOKEN_SECONDS)}
                self._token = self._ask("api/token", "PUT", seconds)
            try:
                return self._ask(path, "GET", {_TOKEN_HEADER: self._token})
            except urllib.error.HTTPError as error:
                if error.code != _UNAUTHORIZED or last:
                    raise
                self._token = ""
        raise AssertionError

    def find(self, path: str) -> str:
        """The same; "" if there is none."""
        try:
            return self.get(path)
        except urllib.error.HTTPError as error:
            if error.code == _NOT_FOUND:
                return ""
            raise

    def region(self) -> str:
        """Of the instance."""
        return self.get("meta-data/placement/region")

    def domain(self) -> str:
        """Of the services of its partition."""
        return self.get("meta-data/services/domain")

    def credentials(self) -> Credentials:
        """Those of the instance's role. Raises OSError if it has none."""
        if self._known is None or time.monotonic() > self._until:
            place = "meta-data/iam/security-credentials/"
            role = self.find(place).split("\n", maxsplit=1)[0].strip()
            given = json.loads(self.get(place + role)) if role else {}
            if given.get("Code") != "Success":
                raise OSError("the metadata service has no credentials of a role for this instance")
            self._known = Credentials(given["AccessKeyId"], given["SecretAccessKey"], given["Token"])
            self._until = time.monotonic() + _FRESH_SECONDS
        return self._known

    def _ask(self, path: str, method: str, headers: dict[str, str]) -> str:
        request = urllib.request.Request(f"{self.endpoint}/latest/{path}", method=method, headers=headers)  # noqa: S310
        # Never through a proxy: each machine has a service of its own.
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(request, timeout=_ANSWER_SECONDS) as answer:
            return str(answer.read().decode())
