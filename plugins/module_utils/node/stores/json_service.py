# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of APIs that take a token and speak JSON."""

from __future__ import annotations

import json
import urllib.error
from collections.abc import Callable, Collection
from typing import Any

from .xml_service import ServiceError, retried

_UNAUTHORIZED, _TOO_MANY, _SERVER_ERROR = 401, 429, 500


def answer_of(
    what: str,
    ask: Callable[[], bytes],
    explain: Callable[[str, urllib.error.HTTPError], ServiceError],
    forget_token: Callable[[], None],
    throttled: Collection[str] = (),
) -> dict[str, Any]:
    """The answer to a request, which is made again as long as that may help; {} for an empty one, and for null.

    Raises ServiceError.

    explain: gives an answer that is an error in the API's words. forget_token: is called when it was not accepted.
    throttled: codes of errors that pass.
    """

    def asked() -> bytes:
        try:
            return ask()
        except urllib.error.HTTPError as error:
            found = explain(what, error)
            if found.status == _UNAUTHORIZED:
                forget_token()
            passes = found.status in (_UNAUTHORIZED, _TOO_MANY) or found.status >= _SERVER_ERROR
            if passes or found.code in throttled:
                raise OSError(str(found).partition(": ")[2]) from error
            raise found from error

    answer = retried(what, asked)
    return dict(json.loads(answer) or {}) if answer else {}
