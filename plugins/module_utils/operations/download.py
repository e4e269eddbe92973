# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Downloads by the controller."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ..base.errors import KopsError

_TIMEOUT = 30
_ATTEMPTS = 4
BUSY = (429, 500, 502, 503, 504)

_Found = TypeVar("_Found")


class DownloadError(KopsError):
    """A URL that cannot be downloaded; the text is the reason. may_pass: whether it is worth another attempt."""

    def __init__(self, reason: str, *, may_pass: bool) -> None:
        super().__init__(reason)
        self.may_pass = may_pass


def download(url: str, longest: int) -> bytes:
    """The content of a URL, no more than so many bytes of it. Raises DownloadError."""
    from http.client import HTTPException
    from urllib.error import HTTPError

    from ansible.module_utils import urls

    try:
        with urls.open_url(url, timeout=_TIMEOUT) as answer:
            return bytes(answer.read(longest))
    except HTTPError as error:
        with error:
            raise DownloadError(f"{error.code} {error.reason}", may_pass=error.code in BUSY) from error
    except (OSError, ValueError, HTTPException, urls.ConnectionError) as error:
        reason = getattr(error, "reason", None) or error
        raise DownloadError(str(reason), may_pass=isinstance(error, OSError)) from error


def attempted(function: Callable[[], _Found]) -> _Found:
    """What a function gives; it is called again, after growing pauses, while its DownloadError may pass."""
    from ansible.module_utils.api import generate_jittered_backoff, retry_with_delays_and_condition

    def may_pass(error: BaseException) -> bool:
        return isinstance(error, DownloadError) and error.may_pass

    delays = generate_jittered_backoff(retries=_ATTEMPTS, delay_base=1)
    found: _Found = retry_with_delays_and_condition(delays, may_pass)(function)()
    return found
