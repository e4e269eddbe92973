# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of OpenStack's services, each of which wraps them in its own way."""

from __future__ import annotations

import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import AccessDenied, CloudError, Exists, Missing
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import errors
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import TryAgainLater

NEUTRON = {"NeutronError": {"type": "PortInUse", "message": "Unable to complete: port is in use", "detail": ""}}
OVER = {"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: ['port'].", "detail": ""}}
NOVA = {"forbidden": {"code": 403, "message": "Quota exceeded for cores: Requested 2, but already used 9 of 10"}}
CINDER = {"overLimit": {"code": 413, "message": "VolumeLimitExceeded: Maximum number of volumes allowed exceeded"}}
OCTAVIA = {
    "faultcode": "Client",
    "faultstring": "Load Balancer 1 is immutable and cannot be updated.",
    "debuginfo": None,
}
POLICY = {"NeutronError": {"type": "PolicyNotAuthorized", "message": "rule:create_router is disallowed", "detail": ""}}
DOUBLE = {"conflictingRequest": {"code": 409, "message": "Key pair 'mine' already exists."}}
ATTACHED = {"badRequest": {"code": 400, "message": "Invalid volume: Volume status must be available or error"}}


@pytest.mark.parametrize(
    ("status", "body", "kind", "message"),
    [
        (409, NEUTRON, TryAgainLater, "cannot make port a yet: Unable to complete: port is in use"),
        (409, OCTAVIA, TryAgainLater, "immutable"),
        (400, ATTACHED, TryAgainLater, "must be available"),
        (429, "", TryAgainLater, "cannot make port a yet: HTTP 429"),
        (409, OVER, CloudError, "a quota of the project is used up"),
        (403, NOVA, CloudError, "a quota of the project is used up"),
        (413, CINDER, CloudError, "a quota of the project is used up"),
        (403, POLICY, AccessDenied, "the login lacks a role.*create_router"),
        (409, DOUBLE, Exists, "already exists"),
        (404, {"itemNotFound": {"message": "no such server"}}, Missing, "no such server"),
        (401, {"error": {"message": "The request you have made requires authentication."}}, CloudError, "OS_CLOUD"),
        (400, "<html> not\n JSON", CloudError, "cannot make port a: <html> not JSON"),
        (400, "", CloudError, "cannot make port a: HTTP 400"),
    ],
)
def test_answers_are_sentences(status: int, body: object, kind: type[KopsError], message: str) -> None:
    text = body if isinstance(body, str) else json.dumps(body)
    error = errors.refused(status, text, "make port a")
    assert error.__class__ is kind
    with pytest.raises(KopsError, match=message):
        raise error


class ConnectFailure(Exception):
    """As keystoneauth's."""


def test_errors_of_the_library_say_what_to_do() -> None:
    found = errors.explain(ConnectFailure("no route"), "reading each network")
    assert str(found) == (
        "reading each network: OpenStack cannot be reached: check the network, proxies and OS_AUTH_URL (no route)"
    )
    assert errors.explain(KopsError("ours")).args == ("ours",)
    assert isinstance(errors.explain(Missing("gone"), "looking"), Missing)
