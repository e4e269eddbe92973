# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Client tokens of EC2, which moto takes and forgets: the same token is the same request, and changes nothing again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

TOKEN = "ClientToken"


def recognise_requests_by_their_token() -> None:
    """All operations of EC2 that have a token. With other parameters, the same token is refused."""
    from botocore import xform_name
    from moto.core.responses import get_service_model
    from moto.ec2.responses import EC2Response

    model = get_service_model("ec2")
    for operation in model.operation_names:
        shape = model.operation_model(operation).input_shape
        name = xform_name(operation)
        if shape is not None and TOKEN in shape.members and hasattr(EC2Response, name):
            setattr(EC2Response, name, _once(getattr(EC2Response, name)))


def _once(known: Callable[[Any], Any]) -> Callable[[Any], Any]:
    from moto.ec2.exceptions import EC2ClientError

    # (account, region, token) -> the request's parameters and its answer. Tokens of a reset account are not used again.
    seen: dict[tuple[str, str, str], tuple[str, Any]] = {}
    lock = threading.Lock()

    def answer(self: Any) -> Any:
        token = self._get_param(TOKEN)
        if not token:
            return known(self)
        with lock:
            key, asked = (self.current_account, self.region, token), repr(sorted(self.params.items()))
            if key not in seen:
                seen[key] = (asked, known(self))
            parameters, answered = seen[key]
        if parameters != asked:
            message = f"The client token {token} was used with other parameters"
            raise EC2ClientError("IdempotentParameterMismatch", message)
        return answered

    return answer
