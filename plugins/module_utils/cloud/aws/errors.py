# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS' errors as sentences: what is wrong, and what the user can do about it."""

from __future__ import annotations

from ...base.errors import KopsError
from ..errors import CloudError

# The SDK's own errors, by class name (so that this file needs no SDK) -> what to do.
SDK_ERRORS = {
    "NoCredentialsError": (
        "no AWS credentials were found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
        "or run where a role is attached"
    ),
    "PartialCredentialsError": "the AWS credentials are incomplete: a key id and a secret key go together",
    "CredentialRetrievalError": "the AWS credentials could not be fetched",
    "ProfileNotFound": "the AWS profile does not exist: look at AWS_PROFILE and ~/.aws/config",
    "SSOTokenLoadError": "the AWS single sign-on session is missing: run aws sso login",
    "UnauthorizedSSOTokenError": "the AWS single sign-on session has ended: run aws sso login",
    "TokenRetrievalError": "the AWS single sign-on session has ended: run aws sso login",
    "NoRegionError": "no AWS region is known: give the cluster's zones, or set AWS_REGION",
    "InvalidRegionError": "this is no AWS region",
    "EndpointConnectionError": "AWS cannot be reached: check the region's name, the network and AWS_ENDPOINT_URL",
    "ConnectTimeoutError": "AWS did not answer: check the network, proxies and AWS_ENDPOINT_URL",
    "ReadTimeoutError": "AWS did not answer in time: check the network, and run it again",
    "ConnectionClosedError": "AWS closed the connection: run it again",
    "ProxyConnectionError": "the proxy to AWS cannot be reached: check HTTPS_PROXY",
    "SSLError": "the connection to AWS is not trusted: check proxies and AWS_CA_BUNDLE",
}

# AWS' own error codes -> what to do. Codes that are not here speak for themselves.
CODES = {
    "AuthFailure": "AWS does not accept the credentials",
    "InvalidClientTokenId": "AWS does not know the access key",
    "UnrecognizedClientException": "AWS does not know the access key",
    "InvalidAccessKeyId": "AWS does not know the access key",
    "SignatureDoesNotMatch": "the secret key does not belong to the access key, or this machine's clock is wrong",
    "ExpiredToken": "the AWS session has ended: log in again",
    "ExpiredTokenException": "the AWS session has ended: log in again",
    "RequestExpired": "the request came too late: this machine's clock is wrong, or the AWS session has ended",
    "OptInRequired": "the region is not switched on in this account",
    "UnauthorizedOperation": "the credentials lack a permission",
    "AccessDenied": "the credentials lack a permission",
    "AccessDeniedException": "the credentials lack a permission",
    "RequestLimitExceeded": "AWS limits the rate of requests, and stayed so over all attempts: run it again later",
    "Throttling": "AWS limits the rate of requests, and stayed so over all attempts: run it again later",
}

# AWS' codes for "you may not".
DENIED = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"})

# How AWS' codes for "it is there already" end (InvalidSubnet.Conflict, RouteAlreadyExists ...), how they begin, and
# those of other forms. IAM says LimitExceeded of a profile that has its role.
_CONFLICT_ENDS = (
    "AlreadyAssociated",
    "AlreadyExists",
    "AlreadyExistsException",
    "AlreadyExistsFault",
    ".Conflict",
    ".Duplicate",
    "LimitExceeded",
)
_CONFLICT_BEGINS = "Duplicate"
CONFLICTS = frozenset(
    {"CidrConflict", "ConflictingDomainExists", "IncorrectModificationState", "InvalidChangeBatch", "QueueNameExists"}
)
# Limits of the rate say nothing of what is there.
THROTTLED = frozenset(
    {
        "BandwidthLimitExceeded",
        "EC2ThrottledException",
        "PriorRequestNotComplete",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)


def error_code(error: Exception) -> str:
    """The AWS error code of a botocore ClientError; "" for anything else."""
    response = getattr(error, "response", None)
    return str(response.get("Error", {}).get("Code", "")) if isinstance(response, dict) else ""


def is_denied(error: Exception) -> bool:
    """Whether AWS refused because the credentials lack a permission."""
    return error_code(error) in DENIED


def is_conflict(error: Exception) -> bool:
    """Whether AWS refused because what is to be made is there already, or because as many as may be are."""
    code = error_code(error)
    if code in THROTTLED:
        return False
    return code in CONFLICTS or code.startswith(_CONFLICT_BEGINS) or code.endswith(_CONFLICT_ENDS)


def explain(error: BaseException, where: str = "") -> KopsError:
    """An error of boto3, or its absence, as an error for the user.

    where: what was being done ("reading the zones of us-east-1"). A KopsError comes back as it is. AWS' own code
    and message stay in the text; nothing of the credentials is ever in it.
    """
    if isinstance(error, KopsError):
        return error
    head = f"{where}: " if where else ""
    if isinstance(error, ImportError):
        library = (error.name or "boto3").partition(".")[0].replace("botocore", "boto3")
        message = f"the Python library {library} is missing: install it with 'pip install {library}'"
        return CloudError(f"{head}{message} ({error})")
    name = next((kind.__name__ for kind in type(error).__mro__ if kind.__name__ in SDK_ERRORS), None)
    if name is not None:
        return CloudError(f"{head}{SDK_ERRORS[name]} ({error})")
    advice = CODES.get(error_code(error) if isinstance(error, Exception) else "")
    return CloudError(f"{head}{advice} ({error})" if advice else f"{head}{error}")
