# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which services refuse a credential because of its rules."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import access_rules
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.logins import SILENCE, Login, ask_all
from keystoneauth1 import exceptions

RULES = access_rules.rules(access_rules.TYPES, read=["swift://state/demo"], written=[], with_names=True)


class Answers:
    """A login that gets these answers; 200 for what is not named. asked: what it has asked."""

    def __init__(self, **statuses: Iterable[int]) -> None:
        self.statuses: dict[str, Iterator[int]] = {
            name.replace("_", "-"): iter(each) for name, each in statuses.items()
        }
        self.asked: list[str] = []

    def status(self, service: str, path: str) -> int:
        self.asked.append(f"{service} {path}")
        return next(self.statuses.get(service, itertools.repeat(200)))


def found(credential: Answers, own: Answers | None = None, pauses: list[float] | None = None) -> list[str]:
    answers = ask_all(credential, own or Answers(), RULES, (pauses if pauses is not None else []).append)
    assert answers.silent == []
    return answers.refusing


def test_each_service_is_asked_once_and_only_what_its_rules_allow():
    credential, own = Answers(key_manager=[404]), Answers()
    assert found(credential, own) == []
    assert [each.split()[0] for each in credential.asked] == sorted(access_rules.TYPES)
    assert "object-store /state?limit=1" in credential.asked
    assert own.asked == []


@pytest.mark.parametrize("status", [401, 403])
def test_a_service_that_always_refuses_is_named_after_some_attempts(status: int):
    credential, pauses = Answers(dns=itertools.repeat(status)), []
    assert found(credential, pauses=pauses) == ["dns"]
    assert len(credential.asked) == len(access_rules.TYPES) + 3
    assert pauses == [0, 1, 2, 4]


def test_a_credential_that_is_not_known_everywhere_yet_keeps_its_rules():
    pauses: list[float] = []
    assert found(Answers(compute=[401, 200], network=[401, 401, 200]), pauses=pauses) == []
    assert pauses == [0, 1, 2]


def test_what_the_login_itself_may_not_ask_is_no_matter_of_rules():
    always = itertools.repeat(403)
    assert found(Answers(dns=always, compute=itertools.repeat(401)), Answers(dns=[403])) == ["compute"]


class Session:
    """As keystoneauth's: where a service is, and what it answers. urls: what was asked."""

    def __init__(self, endpoint: str, status: int = 200, error: Exception | None = None) -> None:
        self.endpoint, self.status_code, self.error = endpoint, status, error
        self.urls: list[str] = []

    def get_endpoint(self, auth: Any, **place: str) -> str:
        assert place["interface"] == "public"
        return self.endpoint

    def get(self, url: str, **options: Any) -> Any:
        self.urls.append(url)
        if self.error:
            raise self.error
        return self


@pytest.mark.parametrize(
    ("service", "endpoint", "url"),
    [
        ("network", "https://a:9696/", "https://a:9696/v2.0/x"),
        ("network", "https://a/network/v2.0", "https://a/network/v2.0/x"),
        ("load-balancer", "https://a/load-balancer", "https://a/load-balancer/v2/x"),
        ("volumev3", "https://a/v3/p1", "https://a/v3/p1/x"),
        ("object-store", "https://a/v1/AUTH_p1", "https://a/v1/AUTH_p1/x"),
    ],
)
def test_services_are_asked_below_the_version_of_their_api(service: str, endpoint: str, url: str):
    session = Session(endpoint)
    assert Login(session, None, {"interface": "public"}).status(service, "/x") == 200
    assert session.urls == [url]


@pytest.mark.parametrize(
    "session",
    [Session("https://a", 503), Session("https://a", error=exceptions.ConnectFailure("gone"))],
    ids=["unavailable", "unreachable"],
)
def test_a_service_that_does_not_answer_is_said_and_refuses_nothing(session: Session):
    assert Login(session, None, {"interface": "public"}).status("compute", "/servers") == SILENCE


def test_a_service_that_does_not_answer_is_asked_again():
    always = itertools.repeat(SILENCE)
    answers = ask_all(Answers(dns=always, compute=[SILENCE, 401, 200], network=always), Answers(), RULES, float)
    assert (answers.refusing, answers.silent) == ([], ["dns", "network"])


def test_a_login_that_ended_is_a_refusal():
    session = Session("https://a", error=exceptions.Unauthorized("no"))
    assert Login(session, None, {"interface": "public"}).status("compute", "/servers") == 401
