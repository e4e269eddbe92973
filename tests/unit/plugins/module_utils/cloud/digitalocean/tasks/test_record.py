# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records: of the load balancer and for control planes; those of others stay."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.record import Record
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.applying import applied, changes, planned
from ansible_collections.kubeops.kops.tests.support.rest_server import LOST, RESET, RestServer

NAME, DOMAIN = "demo.example.com", "example.com"
API, PUBLIC = f"api.{NAME}", "k8s.example.com"
MARK = ("TXT", "k8s", f"kubeops.kops cluster {NAME}")


@pytest.fixture(autouse=True)
def _domain(account: Account) -> None:
    account.names.add_domain(DOMAIN)


def wanted(title: str = API, leads_to: str | None = "192.0.2.1", of_type: str = "A") -> list[Record]:
    return [Record(f"{title} {of_type}", domain=DOMAIN, title=title, type=of_type, leads_to=leads_to)]


def said(account: Account) -> list[tuple[str, str, str]]:
    records = account.names.records[DOMAIN].values()
    return sorted((each["type"], each["name"], each["data"]) for each in records if each["type"] != "NS")


@pytest.mark.parametrize("spoiled", [None, LOST, RESET, 500])
def test_it_is_made_once(
    cloud: DigitalOceanCloud, client, account: Account, server: RestServer, spoiled: int | str | None
) -> None:
    if spoiled is not None:
        server.spoil(1, spoiled)
    applied(cloud, wanted())
    assert said(account) == [("A", "api.demo", "192.0.2.1")]
    assert [each["ttl"] for each in account.names.records[DOMAIN].values() if each["type"] == "A"] == [60]
    assert changes(applied(client(), wanted())) == []


def test_it_follows_what_it_leads_to_and_twins_go(cloud: DigitalOceanCloud, client, account: Account) -> None:
    for data in ("192.0.2.9", "192.0.2.2", "192.0.2.2"):
        account.names.add(DOMAIN, "A", "api.demo", data)
    assert changes(applied(cloud, wanted(leads_to="192.0.2.2"))) == [f"update Record/{API} A ['leads_to']"]
    assert said(account) == [("A", "api.demo", "192.0.2.2")]
    applied(client(), wanted(leads_to="192.0.2.3"))
    assert said(account) == [("A", "api.demo", "192.0.2.3")]


@pytest.mark.parametrize(("of_type", "data"), [("A", "203.0.113.123"), ("AAAA", "fd00:dead:add::")])
def test_a_place_is_held_and_then_left_alone(
    cloud: DigitalOceanCloud, client, account: Account, of_type: str, data: str
) -> None:
    applied(cloud, wanted(leads_to=None, of_type=of_type))
    assert said(account) == [(of_type, "api.demo", data)]
    for each in account.names.records[DOMAIN].values():
        each["data"] = "2001:db8::1" if of_type == "AAAA" else "10.0.0.1"
    assert changes(applied(client(), wanted(leads_to=None, of_type=of_type))) == []


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("spoiled", [LOST, RESET])
def test_a_public_name_says_whose_it_is(
    cloud: DigitalOceanCloud, client, account: Account, server: RestServer, spoiled: str, number: int
) -> None:
    server.spoil(number, spoiled)
    applied(cloud, wanted(PUBLIC))
    assert said(account) == [("A", "k8s", "192.0.2.1"), MARK]
    assert changes(applied(client(), wanted(PUBLIC))) == []
    applied(client(), wanted(PUBLIC, "192.0.2.2"))
    assert said(account) == [("A", "k8s", "192.0.2.2"), MARK]


def test_a_name_of_others_stays_as_it_is(client, account: Account) -> None:
    account.names.add(DOMAIN, "A", "k8s", "192.0.2.7")
    account.names.add(DOMAIN, "TXT", "k8s", "kubeops.kops cluster other.example.com")
    with pytest.raises(KopsError, match="nothing says that it is the cluster's"):
        planned(client(), wanted(PUBLIC))


def test_a_domain_that_is_not_there_is_refused_before_anything_is_written(client, server: RestServer) -> None:
    with pytest.raises(KopsError, match=f"the account has no domain example.org, only {DOMAIN}"):
        planned(client(), [Record("api.example.org A", domain="example.org", title="api.example.org", type="A")])
    assert server.writes == []


def test_the_name_of_the_domain_itself(cloud: DigitalOceanCloud, client, account: Account) -> None:
    applied(cloud, wanted(DOMAIN))
    assert ("A", "@", "192.0.2.1") in said(account)
    assert changes(applied(client(), wanted(DOMAIN))) == []
