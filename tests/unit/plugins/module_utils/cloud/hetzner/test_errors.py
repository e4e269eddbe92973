# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of the API as sentences: what is wrong, what to do, and whether it passes by itself."""

from __future__ import annotations

from typing import Any

import pytest
import requests
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import AccessDenied, CloudError, Exists, Missing
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.errors import (
    explain,
    failed,
    is_unknown,
    refused,
)
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import TryAgainLater


def answer(code: str, message: str = "because") -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "details": None}}


@pytest.mark.parametrize(
    ("status", "code", "kind", "said"),
    [
        (401, "unauthorized", CloudError, "Hetzner Cloud does not accept the token: check HCLOUD_TOKEN (because)"),
        (403, "forbidden", AccessDenied, "the token lacks the permission (because)"),
        (403, "token_readonly", AccessDenied, "the token may only read: give HCLOUD_TOKEN one"),
        (
            403,
            "resource_limit_exceeded",
            CloudError,
            "a limit of the project is used up: ask Hetzner for more (because)",
        ),
        (403, "protected", CloudError, "remove its protection, and run again"),
        (404, "not_found", Missing, "cannot do it: because"),
        (409, "uniqueness_error", Exists, "cannot do it: because"),
        (409, "target_already_defined", Exists, "cannot do it: because"),
        (409, "conflict", TryAgainLater, "cannot do it yet: because"),
        (412, "resource_unavailable", CloudError, "take another type or location, or wait (because)"),
        (422, "invalid_input", CloudError, "cannot do it: because"),
        (422, "resource_in_use", TryAgainLater, "cannot do it yet: because"),
        (423, "locked", TryAgainLater, "cannot do it yet: because"),
        (503, "maintenance", TryAgainLater, "cannot do it yet: because"),
    ],
)
def test_codes(status: int, code: str, kind: type[KopsError], said: str) -> None:
    error = refused(status, answer(code), "do it")
    assert (type(error), said in str(error)) == (kind, True)


@pytest.mark.parametrize("body", [None, "<html>", {}, {"error": "no"}])
def test_what_is_no_error_of_the_api(body: object) -> None:
    assert str(refused(418, body, "do it")) == "cannot do it: HTTP 418"


def test_whether_it_was_carried_out() -> None:
    assert [is_unknown(status, "") for status in (500, 502, 503, 504)] == [True] * 4
    assert not is_unknown(503, "maintenance")
    assert not is_unknown(423, "locked")


def test_an_action_that_has_failed() -> None:
    error = failed({"id": 7, "error": {"code": "placement_error", "message": "full"}}, "make server a")
    assert str(error) == (
        "cannot make server a: no host of the location can take it at the moment: wait, or take another type or"
        " location (full)"
    )
    assert str(failed({"id": 7, "error": None}, "make server a")) == "cannot make server a: action 7 has failed"


def test_exceptions_of_libraries() -> None:
    said = str(explain(requests.exceptions.SSLError("bad"), "read each network"))
    assert (
        said
        == "read each network: the connection to Hetzner Cloud is not trusted: check proxies and HCLOUD_ENDPOINT (bad)"
    )
    missing = explain(ModuleNotFoundError("no", name="hcloud"))
    assert str(missing) == "the Python library hcloud is missing: install it with 'pip install hcloud'"
    kept = Exists("there")
    assert isinstance(explain(kept, "here"), Exists)
