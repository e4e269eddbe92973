# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deleting what may be gone already, or may still be in use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....engine.task import TryAgainLater
from ..cloud import AWSCloud
from ..errors import error_code

# AWS says "it is not there" in one way for each service; EC2 says Invalid...ID.NotFound.
GONE = frozenset(
    {
        "NoSuchEntity",
        "NotFoundException",
        "ResourceNotFoundException",
        "LoadBalancerNotFound",
        "TargetGroupNotFound",
        "AWS.SimpleQueueService.NonExistentQueue",
        "QueueDoesNotExist",
        "NatGatewayNotFound",
        "Gateway.NotAttached",
    }
)
# Passing states: something that uses it is on its way out.
IN_USE = frozenset(
    {
        "DependencyViolation",
        "VolumeInUse",
        "InvalidIPAddress.InUse",
        "InvalidAddress.Locked",
        "InvalidNetworkInterface.InUse",
        "ResourceInUse",
        "ResourceInUseFault",
        "ScalingActivityInProgress",
        "OperationNotPermitted",
        "DeleteConflict",
        "AuthFailure",
    }
)

# Protections, which nobody takes away by waiting: OperationNotPermitted of these operations.
_PROTECTED = ("terminate_instances", "delete_load_balancer")


def is_gone(code: str) -> bool:
    """Whether an error code says that the object does not exist."""
    return code in GONE or (code.startswith("Invalid") and code.endswith((".NotFound", ".NotFoundException")))


def removal(cloud: AWSCloud, service: str, operation: str, **parameters: Any) -> Callable[[], None]:
    """A function that makes one deleting call: content when the object is gone, TryAgainLater while it is in use."""

    def delete() -> None:
        call(cloud, service, operation, **parameters)

    return delete


def call(cloud: AWSCloud, service: str, operation: str, **parameters: Any) -> Any:
    """One deleting call; None when the object is gone. Raises TryAgainLater while it is in use."""
    try:
        return getattr(cloud.client(service), operation)(**parameters)
    except Exception as error:
        code = error_code(error)
        if is_gone(code):
            return None
        if code in IN_USE and not (code == "OperationNotPermitted" and operation in _PROTECTED):
            raise TryAgainLater(f"AWS does not delete it yet: {error}") from error
        raise
