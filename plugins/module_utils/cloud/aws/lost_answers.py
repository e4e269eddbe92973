# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests whose answer is lost after AWS may have acted: a connection that breaks, a server error.

The SDK sends such a request again. For most that is harmless: they read, set something, or remove what may be gone.
The others are in ONCE. Those of them that take a token get one, by which AWS knows the request again; it is new for
each call, so that it is never that of an object which has been deleted since. Those without are not sent again: they
raise AnswerLost, and the engine looks what exists (engine/doubts.py).
"""

from __future__ import annotations

import functools
import uuid
from typing import Any

from ...engine.task import AnswerLost
from .errors import THROTTLED

_TOKEN, _OF_REQUEST = "ClientToken", "ClientRequestToken"
_NONE = ""
# Service -> operations that do more, or fail, when they are carried out twice -> the member that takes a token.
# Of older versions of botocore, not every operation takes its token.
ONCE: dict[str, dict[str, str]] = {
    "ec2": {
        "AllocateAddress": _NONE,
        "AssociateRouteTable": _NONE,
        "AssociateSubnetCidrBlock": _NONE,
        "AssociateVpcCidrBlock": _NONE,
        "AttachInternetGateway": _NONE,
        "AuthorizeSecurityGroupEgress": _NONE,
        "AuthorizeSecurityGroupIngress": _NONE,
        "CreateDhcpOptions": _NONE,
        "CreateEgressOnlyInternetGateway": _TOKEN,
        "CreateInternetGateway": _NONE,
        "CreateLaunchTemplate": _TOKEN,
        "CreateLaunchTemplateVersion": _TOKEN,
        "CreateNatGateway": _TOKEN,
        "CreateRoute": _NONE,
        "CreateRouteTable": _TOKEN,
        "CreateSecurityGroup": _NONE,
        "CreateSubnet": _NONE,
        "CreateVolume": _TOKEN,
        "CreateVpc": _NONE,
        "ImportKeyPair": _NONE,
        "ModifyVolume": _NONE,
        "ReplaceRouteTableAssociation": _NONE,
    },
    "autoscaling": {
        "CreateAutoScalingGroup": _NONE,
        "DeleteAutoScalingGroup": _NONE,
        "DeleteLifecycleHook": _NONE,
        "DeleteWarmPool": _NONE,
        "DetachLoadBalancerTargetGroups": _NONE,
        "DetachLoadBalancers": _NONE,
    },
    "cloudformation": {
        "CreateChangeSet": _TOKEN,
        "ExecuteChangeSet": _OF_REQUEST,
    },
    "elbv2": {
        "CreateListener": _NONE,
        "CreateLoadBalancer": _NONE,
        "CreateTargetGroup": _NONE,
        "DeleteListener": _NONE,
    },
    "iam": {
        "AddRoleToInstanceProfile": _NONE,
        "CreateInstanceProfile": _NONE,
        "CreateOpenIDConnectProvider": _NONE,
        "CreateRole": _NONE,
        "DeleteRolePermissionsBoundary": _NONE,
        "DetachRolePolicy": _NONE,
        "RemoveRoleFromInstanceProfile": _NONE,
    },
    # A CallerReference is no such token: a repetition is refused.
    "route53": {
        "AssociateVPCWithHostedZone": _NONE,
        "ChangeResourceRecordSets": _NONE,
        "CreateHostedZone": _NONE,
    },
}
_SERVER_ERROR = 500


def guard(client: Any, service: str) -> None:
    """Let a new client of boto3 do so."""
    name = client.meta.service_model.service_id.hyphenize()
    for operation, token in ONCE.get(service, {}).items():
        model = client.meta.service_model.operation_model(operation)
        if token in model.input_shape.members:
            give = functools.partial(_give_token, member=token)
            client.meta.events.register(f"before-parameter-build.{name}.{operation}", give)
        else:
            # Before the SDK's own handler, which is registered for all operations of the service.
            client.meta.events.register(f"needs-retry.{name}.{operation}", _stop)


def _give_token(params: dict[str, Any], member: str, **_event: Any) -> None:
    params.setdefault(member, str(uuid.uuid4()))


def _stop(response: Any, caught_exception: Exception | None, operation: Any, **_event: Any) -> None:
    """Raise AnswerLost unless it is known whether AWS has acted."""
    from botocore.exceptions import HTTPClientError, SSLError

    if caught_exception is not None:
        # Without a connection nothing was sent: these errors are none of HTTPClientError.
        lost, reason = isinstance(caught_exception, (HTTPClientError, SSLError)), type(caught_exception).__name__
    else:
        http, parsed = response
        code = parsed.get("Error", {}).get("Code", "")
        lost = http.status_code >= _SERVER_ERROR and code not in THROTTLED
        reason = f"{http.status_code} {code}".strip()
    if lost:
        raise AnswerLost(f"the answer of AWS to {operation.name} was lost ({reason})")
