# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What DigitalOcean's refusals become."""

from __future__ import annotations

import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.errors import explain, refused
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import (
    AccessDenied,
    CloudError,
    Exists,
    Missing,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import TryAgainLater


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (401, "Unable to authenticate you", CloudError),
        (403, "You are not authorized to perform this operation", AccessDenied),
        (403, "Can not delete VPC with members", TryAgainLater),
        (403, "Load Balancer can't be updated while it processes previous actions", TryAgainLater),
        (409, "volume is attached to a droplet", TryAgainLater),
        (422, "This volume is already attached", CloudError),
        (404, "The resource you were accessing could not be found.", Missing),
        (409, "volume already exists", Exists),
        (422, "SSH Key is already in use on your account", Exists),
        (422, "Droplet already has a pending event.", TryAgainLater),
        (422, "creating this/these droplet(s) will exceed your droplet limit", CloudError),
        (422, "You specified an invalid size for Droplet creation.", CloudError),
    ],
)
def test_each_refusal_has_its_kind(status: int, message: str, kind: type[Exception]) -> None:
    error = refused(status, json.dumps({"id": "x", "message": message}), "make droplet a")
    assert error.__class__ is kind
    assert message in str(error)
    assert "cannot make droplet a" in str(error)


def test_a_page_of_a_proxy_is_one_line() -> None:
    assert str(refused(400, "<html>\n no\n</html>", "read")) == "cannot read: <html> no </html>"


def test_an_error_of_the_library_is_explained() -> None:
    import requests

    assert "check the network" in str(explain(requests.exceptions.ReadTimeout("x"), "read each VPC"))
