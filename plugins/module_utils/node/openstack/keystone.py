# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The login of a control plane: a token for its application credential, and where the services are.

OS_AUTH_URL and OS_REGION_NAME of the environment, which user data gives, say where to ask.
"""

from __future__ import annotations

import datetime
import json
import os
import time
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

from ..system.proxy import opener
from .sealed import credential

_LOGIN_SECONDS = 30
# Another token is asked for some time before one ends.
_EARLY_SECONDS = 300
_PUBLIC = "public"


class Login:
    """A token, and the catalogue that came with it. ask: gives id and secret of the credential; raises OSError."""

    def __init__(self, ask: Callable[[], Mapping[str, str]] = credential) -> None:
        self._ask = ask
        self._token, self._ends = "", 0.0
        self._catalog: list[dict[str, Any]] = []

    def token(self) -> str:
        """One that is good for some minutes at least. Raises OSError, ValueError."""
        if not self._token or self._ends - time.time() < _EARLY_SECONDS:
            self._log_in()
        return self._token

    def forget_token(self) -> None:
        """Ask for another one next time, because this one was refused."""
        self._token = ""

    def endpoint(self, *types: str) -> str:
        """The URL of a service of one of these types. Raises OSError, ValueError."""
        self.token()
        region = os.environ.get("OS_REGION_NAME") or ""
        for service in self._catalog:
            if service["type"] not in types:
                continue
            for each in service["endpoints"]:
                if each["interface"] == _PUBLIC and region in ("", each.get("region_id"), each.get("region")):
                    return str(each["url"]).rstrip("/")
        raise OSError(f"OpenStack's catalogue has no {types[0]} in the region {region or 'of the login'}")

    def _log_in(self) -> None:
        given = self._ask()
        said = {"identity": {"methods": ["application_credential"], "application_credential": dict(given)}}
        url = f"{versioned(os.environ.get('OS_AUTH_URL') or '')}/auth/tokens"
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(url, json.dumps({"auth": said}).encode(), headers)  # noqa: S310
        with opener().open(request, timeout=_LOGIN_SECONDS) as answer:
            token = json.load(answer)["token"]
            self._token, self._catalog = str(answer.headers["X-Subject-Token"]), list(token.get("catalog") or ())
        ends = datetime.datetime.fromisoformat(str(token["expires_at"]).replace("Z", "+00:00"))
        self._ends = ends.timestamp()


def versioned(url: str) -> str:
    """Keystone's URL with the version of its API."""
    url = url.rstrip("/")
    return url if url.endswith("/v3") else f"{url}/v3"
