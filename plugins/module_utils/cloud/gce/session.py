# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions for the APIs of Google Cloud, which try again what may be tried again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...statestore.vfs import google
from ..errors import CloudError, NoLogin

if TYPE_CHECKING:
    import requests

# The library's own retries do the waiting: exponential back-off when Google is busy or a connection breaks.
ATTEMPTS, BACKOFF_SECONDS = 6, 0.5
TRANSIENT = (429, 500, 502, 503, 504)
# Connections that are kept: as many as tasks run at once.
_CONNECTIONS = 32
# Whatever else may be sent again changes nothing, or is known by its requestId.
_READS = frozenset({"GET"})


def authorized_session() -> requests.Session:
    """A session with Google's application default credentials.

    Raises NoLogin if there are none, or a library is missing; CloudError for credentials that cannot be used.
    """
    try:
        return google.authorized_session()
    except google.CredentialsMissing as error:
        raise NoLogin(str(error)) from error
    except google.CredentialsUnusable as error:
        raise CloudError(str(error)) from error


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
        return HTTPAdapter(max_retries=retry, pool_maxsize=_CONNECTIONS)

    for prefix in ("https://", "http://"):
        session.mount(prefix, adapter(_READS))
    for prefix in repeatable:
        session.mount(prefix, adapter(None))
    return session
