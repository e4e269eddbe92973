# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signatures and policies, which moto checks for roles' sessions if it is told to: what it lacks for that."""

from __future__ import annotations

import json
import re
import urllib.parse
from typing import Any

# What the services say of requests that a policy does not allow, by protocol; all others say "AccessDenied".
REFUSALS = {"ec2": "UnauthorizedOperation", "json": "AccessDeniedException", "rest-json": "AccessDeniedException"}
# RFC 3986, and so what a signature's canonical form leaves as it is.
UNRESERVED = "-_.~"


def check_sessions_of_roles() -> None:
    """Check signatures and policies, but for the key of tests; moto does so for all or for none."""
    from moto import settings
    from moto.core.authorization import ActionAuthenticatorMixin

    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    known = ActionAuthenticatorMixin._authenticate_and_authorize_action

    def check(self: Any, *arguments: Any, **options: Any) -> None:
        signature = self.headers.get("Authorization", "")
        # The token of a service account proves who asks.
        if not signature and self._get_action() == "AssumeRoleWithWebIdentity":
            return
        if "Credential=testing/" not in signature:
            known(self, *arguments, **options)

    ActionAuthenticatorMixin._authenticate_and_authorize_action = check
    sign_what_was_sent()
    resources_of_route53()
    statements_about_some_resources()
    refuse_in_the_protocol_of_the_service()


def sign_what_was_sent() -> None:
    """moto signs a query that it has decoded, and of a request without a body its headers."""
    from botocore.awsrequest import AWSRequest
    from moto.iam.access_control import IAMRequestBase

    known = IAMRequestBase._create_aws_request

    def create(self: Any) -> AWSRequest:
        path, mark, query = self._path.partition("?")
        # Decoded or not: "+" is a plus sign in both.
        pairs = [part.partition("=") for part in query.split("&")] if mark else []
        encoded = (
            "=".join(urllib.parse.quote(urllib.parse.unquote(text), safe=UNRESERVED) for text in (name, value))
            for name, _equals, value in pairs
        )
        self._path = urllib.parse.quote(urllib.parse.unquote(path), safe="/" + UNRESERVED)
        self._path += f"?{'&'.join(encoded)}" if mark else ""
        if "form-urlencoded" not in self._headers.get("Content-Type", ""):
            self._data = {}
        return known(self)

    IAMRequestBase._create_aws_request = create


def resources_of_route53() -> None:
    """moto asks the policies for all of Route 53 at once, which none of a cluster's allows."""
    from moto.route53.responses import Route53

    def resource(self: Any) -> str:
        found = re.search(r"/(hostedzone|change)/([^/?]+)", self.parsed_url.path)
        return f"arn:{self.partition}:route53:::{found[1]}/{found[2]}" if found else "*"

    responses: Any = Route53
    responses._determine_resource = resource


def statements_about_some_resources() -> None:
    """Of most services moto does not know which resource a request is about: a statement about some allows it.

    So neither their names nor their tags are checked.
    """
    from moto.iam.access_control import IAMPolicyStatement, PermissionResult

    known = IAMPolicyStatement.is_action_permitted

    def is_action_permitted(self: Any, action: str, resource: str = "*", *rest: Any) -> PermissionResult:
        statement = self._statement
        if resource == "*" and statement.get("Resource") and statement["Effect"] == "Allow":
            self._statement = {**statement, "Resource": "*"}
        return known(self, action, resource, *rest)

    IAMPolicyStatement.is_action_permitted = is_action_permitted


def refuse_in_the_protocol_of_the_service() -> None:
    """moto refuses in a form that the SDK of Python alone reads, and with one code for all services."""
    from moto.core.authorization import ActionAuthenticatorMixin
    from moto.core.exceptions import AccessDeniedError, _RESTError
    from moto.core.responses import get_service_model

    known = ActionAuthenticatorMixin._authenticate_and_authorize_normal_action

    def check(self: Any, resource: str = "*") -> None:
        try:
            known(self, resource)
        except _RESTError as error:
            protocol = self.determine_response_protocol(get_service_model(self.boto3_service_name))
            denied = isinstance(error, AccessDeniedError)
            code = REFUSALS.get(protocol, error.error_type) if denied else error.error_type
            error.description = _error(protocol, code, error.message)
            raise

    ActionAuthenticatorMixin._authenticate_and_authorize_normal_action = check


def _error(protocol: str, code: str, message: str) -> str:
    """The body of an error's answer; message has no signs that XML would have to escape."""
    if "json" in protocol:
        return json.dumps({"__type": code, "message": message})
    error = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>"
    if protocol == "ec2":
        return f"<Response><Errors>{error}</Errors><RequestID>refused</RequestID></Response>"
    return f"<ErrorResponse>{error}<RequestId>refused</RequestId></ErrorResponse>"
