# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections of openstacksdk, for the state store and for the cloud.

The login is the SDK's: a cloud of clouds.yaml that OS_CLOUD names, or the variables OS_AUTH_URL and so on.
"""

from __future__ import annotations

from typing import Any

from ...base.errors import KopsError

_LIBRARY = "openstacksdk"
# Of a request that is refused because a service is busy, or that breaks off: the SDK pauses longer each time.
_RETRIES = 5
_TRANSIENT = (408, 429, 500, 502, 503, 504)
# Options of a request that may not be sent twice.
ONCE = {"connect_retries": 0, "status_code_retries": 0}
# The SDK itself waits for ever.
SECONDS = 60


class LibraryMissing(KopsError):
    """The SDK is not installed."""


def library() -> Any:
    """The SDK. Raises LibraryMissing."""
    try:
        import openstack
    except ImportError as error:
        text = f"the Python library {error.name} is missing: install it with 'pip install {_LIBRARY}'"
        raise LibraryMissing(text) from error
    return openstack


def connect(region: str = "") -> Any:
    """A connection. region: "" is the login's. Raises LibraryMissing, or what the SDK raises."""
    return library().connect(region_name=region or None, api_timeout=SECONDS)


def let_try_again(adapter: Any) -> None:
    """Let the requests to a service be tried again."""
    adapter.connect_retries = adapter.status_code_retries = _RETRIES
    adapter.retriable_status_codes = list(_TRANSIENT)
