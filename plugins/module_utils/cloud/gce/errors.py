# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of Google Cloud as sentences: what is wrong, and what the user can do about it."""

from __future__ import annotations

from ...base.errors import KopsError
from ..errors import CloudError

# Exceptions of google-auth and requests, by class name (so that this file needs no library) -> what to do.
LIBRARY_ERRORS = {
    "RefreshError": "Google does not accept the credentials: run gcloud auth application-default login",
    "MalformedError": "the file of Google credentials is damaged: look at GOOGLE_APPLICATION_CREDENTIALS",
    "TransportError": "Google cannot be reached: check the network and proxies",
    "SSLError": "the connection to Google is not trusted: check proxies and REQUESTS_CA_BUNDLE",
    "ProxyError": "the proxy to Google cannot be reached: check HTTPS_PROXY",
    "ConnectTimeout": "Google did not answer: check the network and proxies",
    "ReadTimeout": "Google did not answer in time: check the network, and run it again",
    "RetryError": "Google refused the request, and stayed so over all attempts: run it again later",
    "ConnectionError": "Google cannot be reached: check the network and proxies",
}

FORBIDDEN = 403
# HTTP status -> what to do. Others speak for themselves.
STATUSES = {
    401: "Google does not accept the credentials: run gcloud auth application-default login",
    FORBIDDEN: "the credentials lack a permission, or the API is not switched on in the project",
    429: "Google limits the rate of requests, and stayed so over all attempts: run it again later",
}


class NoCredentials(CloudError):
    """There are no credentials for Google Cloud on this machine, or the libraries that use them are missing."""


class AccessDenied(CloudError):
    """The credentials lack a permission."""


class DirectTargetMissing(KopsError):
    """Something that only the direct target does."""

    def __init__(self) -> None:
        super().__init__("direct target not available yet for Google Cloud: use target=terraform")


def refused(status: int, message: str) -> CloudError:
    """An answer of Google's API that is an error; status is HTTP's, message Google's own."""
    advice = STATUSES.get(status)
    kind = AccessDenied if status == FORBIDDEN else CloudError
    return kind(f"{advice} ({message})" if advice else message)


def explain(error: BaseException, where: str = "") -> KopsError:
    """An error of a library as an error for the user; one of ours keeps its kind.

    where: what was being done ("reading the zones of us-east1"). Nothing of the credentials is ever in the text.
    """
    head = f"{where}: " if where else ""
    if isinstance(error, CloudError):
        return type(error)(f"{head}{error}")
    if isinstance(error, KopsError):
        return error
    name = next((kind.__name__ for kind in type(error).__mro__ if kind.__name__ in LIBRARY_ERRORS), None)
    return CloudError(f"{head}{LIBRARY_ERRORS[name]} ({error})" if name else f"{head}{error}")
