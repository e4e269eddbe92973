# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions of requests with Google's application default credentials, for the state store and for the cloud.

Credentials are looked for once in a process: where there are none, that can take seconds.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any

from ...base.errors import KopsError

if TYPE_CHECKING:
    import requests

CREDENTIALS_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
# What decides which credentials are found begins with this; HOME has those of gcloud.
_SETTINGS = ("GOOGLE_", "CLOUDSDK_", "HOME")


class CredentialsMissing(KopsError):
    """There are no credentials of Google on this machine, or the libraries that use them are missing."""


class CredentialsUnusable(KopsError):
    """The environment names credentials of Google that cannot be used."""


def authorized_session() -> requests.Session:
    """A new session, whose requests carry the credentials; they are refreshed when they end.

    Raises CredentialsMissing, CredentialsUnusable.
    """
    try:
        import google.auth.exceptions
        from google.auth.transport import requests as transport
    except ImportError as error:
        library = {"google": "google-auth"}.get((error.name or "").partition(".")[0], error.name)
        raise CredentialsMissing(
            f"the Python library {library} is missing: install it with 'pip install {library}'"
        ) from error
    settings = {name: value for name, value in os.environ.items() if name.startswith(_SETTINGS)}
    try:
        credentials = _default_credentials(tuple(sorted(settings.items())))
    except google.auth.exceptions.DefaultCredentialsError as error:
        if os.environ.get(CREDENTIALS_VARIABLE):
            raise CredentialsUnusable(
                f"the Google credentials that {CREDENTIALS_VARIABLE} names cannot be used: {error}"
            ) from error
        raise CredentialsMissing(
            "no credentials for Google Cloud were found: run gcloud auth application-default login,"
            f" or set {CREDENTIALS_VARIABLE}"
        ) from error
    # The library has no types.
    new_session: Any = transport.AuthorizedSession
    session: requests.Session = new_session(credentials)
    return session


@functools.lru_cache(maxsize=1)
def _default_credentials(_settings: tuple[tuple[str, str], ...]) -> Any:
    import google.auth

    credentials, _project = google.auth.default(scopes=[SCOPE])
    return credentials


def errors() -> tuple[type[Exception], ...]:
    """What requests with credentials raise besides the errors of requests: of the library, if it is there."""
    try:
        from google.auth.exceptions import GoogleAuthError
    except ImportError:
        return ()
    return (GoogleAuthError,)


def is_unreachable(error: Exception) -> bool:
    """Whether an error of the library only says that nobody answers who refreshes credentials."""
    from google.auth.exceptions import TransportError

    return isinstance(error, TransportError)


def message_of(answer: requests.Response) -> str:
    """Google's own words for an error."""
    try:
        return str(answer.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        # Answers to requests for the content of an object are plain text.
        is_text = answer.headers.get("Content-Type", "").startswith("text/plain")
        return (is_text and answer.text.strip()[:300]) or f"HTTP {answer.status_code} {answer.reason}"
