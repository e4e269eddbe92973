# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials for Google Cloud, and sessions that try again what may be tried again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..errors import CloudError
from .errors import NoCredentials

if TYPE_CHECKING:
    import requests

CREDENTIALS_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"

# The library's own retries do the waiting: exponential back-off when Google is busy or a connection breaks.
ATTEMPTS, BACKOFF_SECONDS = 6, 0.5
TRANSIENT = (429, 500, 502, 503, 504)
# Whatever else may be sent again changes nothing, or is known by its requestId.
_READS = frozenset({"GET"})


def authorized_session() -> requests.Session:
    """A session with Google's application default credentials.

    Raises NoCredentials if there are none, or a library is missing; CloudError for credentials that cannot be used.
    """
    try:
        import google.auth
        import google.auth.exceptions
        from google.auth.transport import requests as transport
    except ImportError as error:
        library = {"google": "google-auth"}.get((error.name or "").partition(".")[0], error.name)
        raise NoCredentials(
            f"the Python library {library} is missing: install it with 'pip install {library}'"
        ) from error
    try:
        credentials, _project = google.auth.default(scopes=[SCOPE])
    except google.auth.exceptions.DefaultCredentialsError as error:
        if os.environ.get(CREDENTIALS_VARIABLE):
            raise CloudError(
                f"the Google credentials that {CREDENTIALS_VARIABLE} names cannot be used: {error}"
            ) from error
        raise NoCredentials(
            "no credentials for Google Cloud were found: run gcloud auth application-default login,"
            f" or set {CREDENTIALS_VARIABLE}"
        ) from error
    # The library has no types.
    new_session: Any = transport.AuthorizedSession
    session: requests.Session = new_session(credentials)
    return session


def let_try_again(session: requests.Session, *repeatable: str) -> requests.Session:
    """Let a session try reads again, and below the URLs of repeatable everything."""
    from requests.adapters import HTTPAdapter
    from urllib3.util.retry import Retry

    def adapter(methods: frozenset[str] | None) -> HTTPAdapter:
        retry = Retry(
            total=ATTEMPTS,
            backoff_factor=BACKOFF_SECONDS,
            status_forcelist=TRANSIENT,
            allowed_methods=methods,
            # Google's own words say more than the number of attempts.
            raise_on_status=False,
        )
        return HTTPAdapter(max_retries=retry, pool_maxsize=32)

    for prefix in ("https://", "http://"):
        session.mount(prefix, adapter(_READS))
    for prefix in repeatable:
        session.mount(prefix, adapter(None))
    return session
