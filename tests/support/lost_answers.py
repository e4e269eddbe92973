# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A client of boto3 whose connection breaks after what it asked for was done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ConnectionClosedError


def lose_answers(
    patch: pytest.MonkeyPatch, client: Any, times: int = 1, then: Callable[[], object] = lambda: None
) -> list[bytes]:
    """Let the next so many answers be lost. then: what happens meanwhile. Returns the bodies of all that is sent."""
    session = client._endpoint.http_session
    known, sent = session.send, list[bytes]()

    def send(request: Any) -> Any:
        answer = known(request)
        sent.append(request.body)
        if len(sent) <= times:
            then()
            raise ConnectionClosedError(endpoint_url=request.url)
        return answer

    patch.setattr(session, "send", send)
    patch.setattr("botocore.endpoint.time.sleep", lambda _seconds: None)
    return sent
