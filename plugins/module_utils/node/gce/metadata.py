# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metadata server of an instance: who it is, and tokens of its service account.

GCE_METADATA_HOST of the environment names another server (HOST[:PORT]), as for Google's own libraries.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from typing import Optional

# Not its name metadata.google.internal: names may be resolved by a network that does not know it.
_ADDRESS = "169.254.169.254"
_FLAVOR, _OURS = "Metadata-Flavor", "Google"
_ANSWER_SECONDS = 5
_NOT_FOUND = 404
# Other tokens are asked for some time before one ends. The server gives none that is good for less.
_EARLY_SECONDS = 240


class Metadata:
    """What the server says; all methods raise OSError if it does not answer."""

    def __init__(self, host: str = "") -> None:
        self.host = host or os.environ.get("GCE_METADATA_HOST") or _ADDRESS
        self._token: Optional[tuple[str, float]] = None

    def get(self, path: str) -> str:
        """The text of a path below ``computeMetadata/v1/``. Raises urllib.error.HTTPError if there is none."""
        url = f"http://{self.host}/computeMetadata/v1/{path}"
        request = urllib.request.Request(url, headers={_FLAVOR: _OURS})
        # Never through a proxy: each machine has a server of its own.
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(request, timeout=_ANSWER_SECONDS) as answer:
            if answer.headers.get(_FLAVOR) != _OURS:
                raise OSError(f"{self.host} answers, but it is no metadata server of Google")
            return str(answer.read().decode()).strip()

    def find(self, path: str) -> str:
        """The same; "" if there is none."""
        try:
            return self.get(path)
        except urllib.error.HTTPError as error:
            if error.code == _NOT_FOUND:
                return ""
            raise

    def token(self) -> tuple[str, float]:
        """An access token of the instance's service account, and when it ends, in seconds since 1970."""
        if self._token is None or self._token[1] - time.time() < _EARLY_SECONDS:
            asked = time.time()
            given = json.loads(self.get("instance/service-accounts/default/token"))
            self._token = str(given["access_token"]), asked + float(given["expires_in"])
        return self._token

    def forget_token(self) -> None:
        """Ask for another one next time, because this one was refused."""
        self._token = None
