# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections of openstacksdk, for the state store and for the cloud.

The login is the SDK's: a cloud of clouds.yaml that OS_CLOUD names, or the variables OS_AUTH_URL and so on.
"""

from __future__ import annotations

import threading
from contextlib import suppress
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
# For the answer to a request that may not be sent twice: a service that is overloaded takes minutes to make a server.
SECONDS_TO_WRITE = 180
# So often a request is made if its token has ended. That is told to many threads at once; the library logs in for the
# first of them, and fails the others.
LOGINS = 4
UNAUTHORIZED = 401

_LOCK = threading.Lock()
# What a login is made from, as a hash -> the login, which store and cloud share.
_SHARED: dict[str, Any] = {}


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
    """A connection; all with the same login log in once. region: "" is the login's.

    Raises LibraryMissing, or what the SDK raises.
    """
    connection = library().connect(region_name=region or None, api_timeout=SECONDS)
    session = connection.session
    login = _without_questions(session)
    # Some ways to log in have none.
    with suppress(NotImplementedError):
        identity = login.get_cache_id()
        if identity:
            with _LOCK:
                login = _SHARED.setdefault(identity, login)
    session.auth = login
    return connection


def _without_questions(session: Any) -> Any:
    """The login of a session, one that does not ask Keystone for its versions if its address says the version."""
    from keystoneauth1.identity.generic import Password

    login = session.auth
    address = str(getattr(login, "auth_url", "") or "").rstrip("/")
    if not isinstance(login, Password) or not address.endswith("/v3"):
        return login
    return login.create_plugin(session, (3, 0), address)


def let_try_again(adapter: Any) -> None:
    """Let the requests to a service be tried again."""
    adapter.connect_retries = adapter.status_code_retries = _RETRIES
    adapter.retriable_status_codes = list(_TRANSIENT)
