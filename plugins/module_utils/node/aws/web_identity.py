# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials of a role that service accounts of the cluster may take (AssumeRoleWithWebIdentity of STS)."""

from __future__ import annotations

import time
import urllib.parse
from collections.abc import Callable
from typing import Optional

from ..stores.signing import Credentials
from ..stores.xml_service import post, read_xml, retried
from .api import AWS, FORM, VERSIONS

# Of tokens that STS takes, as IAM's provider of the cluster's issuer says.
AUDIENCE = "amazonaws.com"
_SESSION = "kops-controller-manager"
_SECONDS = 3600
# Credentials are taken again some time before they end.
_FRESH_SECONDS = 2700


class WebIdentity:
    """A role by its ARN. token: gives a token of a service account, which proves who asks."""

    def __init__(self, aws: AWS, role: str, token: Callable[[], str]) -> None:
        self.aws, self.role, self.token = aws, role, token
        self._known: Optional[Credentials] = None
        self._until = 0.0

    def credentials(self) -> Credentials:
        """Those of the role. Raises KopsError, ServiceError."""
        if self._known is None or time.monotonic() > self._until:
            request = {
                "Action": "AssumeRoleWithWebIdentity",
                "Version": VERSIONS["sts"],
                "RoleArn": self.role,
                "RoleSessionName": _SESSION,
                "DurationSeconds": str(_SECONDS),
                "WebIdentityToken": self.token(),
            }
            form, url = urllib.parse.urlencode(request).encode(), self.aws.endpoint("sts")
            # It is not signed: the token is what proves who asks.
            answer = read_xml(retried("sts.AssumeRoleWithWebIdentity", lambda: post(url, form, {"content-type": FORM})))
            names = ("AccessKeyId", "SecretAccessKey", "SessionToken")
            self._known = Credentials(*(answer.findtext(f".//Credentials/{name}") or "" for name in names))
            self._until = time.monotonic() + _FRESH_SECONDS
        return self._known
