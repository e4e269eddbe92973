# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations that take a while, fail late, or never end; and requests that are sent again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import AccessDenied, CloudError, Exists
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce import operations
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.cloud import IAM, GCECloud, _base
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.session import let_try_again
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import AnswerLost, TryAgainLater
from ansible_collections.kubeops.kops.tests.support.google.server import Call, GoogleServer

NETWORKS = "my-project/global/networks"


@pytest.fixture(name="server")
def make_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleServer]:
    with GoogleServer() as server:
        for variable, url in server.environment.items():
            monkeypatch.setenv(variable, url)
        yield server


@pytest.fixture(name="cloud")
def make_cloud(server: GoogleServer) -> GCECloud:
    session = let_try_again(server.session(), _base("compute"))
    return GCECloud("us-east1", "demo.example.com", "my-project", session)


def insert(cloud: GCECloud, name: str = "a") -> None:
    cloud.insert(NETWORKS, {"name": name, "autoCreateSubnetworks": False})


def test_a_write_is_done_when_its_operation_is(cloud: GCECloud, server: GoogleServer) -> None:
    server.objects.seconds = 0.5
    insert(cloud)
    assert any(call.method.endswith(".wait") for call in server.calls)


def test_an_operation_that_never_ends_is_named(
    cloud: GCECloud, server: GoogleServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.objects.seconds = 3600
    monkeypatch.setattr(operations, "DEADLINE", 0.1)
    with pytest.raises(CloudError, match=r"operation-\d+ \(insert of my-project/global/networks/a\) has not ended"):
        insert(cloud)


@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        ("QUOTA_EXCEEDED", CloudError, "a quota of the project is used up"),
        ("ZONE_RESOURCE_POOL_EXHAUSTED", CloudError, "no such machines left in this zone"),
        ("RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", TryAgainLater, "does not do it yet"),
        ("RESOURCE_NOT_READY", TryAgainLater, "does not do it yet"),
    ],
)
def test_an_operation_that_fails_late_says_why(
    cloud: GCECloud, server: GoogleServer, code: str, kind: type[Exception], said: str
) -> None:
    server.objects.failing.append(("insert", "networks", code, "Limit: 5.0"))
    with pytest.raises(kind, match=said):
        insert(cloud)


def test_a_conflict_is_one_of_its_own(cloud: GCECloud) -> None:
    insert(cloud)
    with pytest.raises(Exists, match="already exists"):
        insert(cloud)


def test_a_write_whose_answer_is_lost_is_sent_again_and_done_once(cloud: GCECloud, server: GoogleServer) -> None:
    faults: list[int | str | None] = ["lost", 503, "reset"]
    server.fault = lambda call: faults.pop(0) if call.writes and faults else None
    insert(cloud)
    assert [call.method for call in server.writes()].count("compute.networks.insert") == 4
    assert list(server.objects.found) == [f"{NETWORKS}/a"]


def test_reads_are_tried_again(cloud: GCECloud, server: GoogleServer) -> None:
    insert(cloud)
    faults: list[int | str | None] = [429, "reset", 503]
    server.fault = lambda call: faults.pop(0) if faults else None
    assert cloud.listed(NETWORKS)[0]["name"] == "a"


def test_what_has_no_id_is_not_sent_again(cloud: GCECloud, server: GoogleServer) -> None:
    def lose(call: Call) -> str | None:
        return "lost" if call.writes else None

    server.fault = lose
    with pytest.raises(AnswerLost):
        cloud.write("POST", IAM, "my-project/serviceAccounts", {"accountId": "node"})
    assert len(server.writes()) == 1


def test_a_missing_permission_is_said(cloud: GCECloud, server: GoogleServer) -> None:
    server.fault = lambda call: 403 if call.writes else None
    with pytest.raises(AccessDenied, match="lack a permission"):
        insert(cloud)


def test_what_is_gone_can_be_deleted(cloud: GCECloud) -> None:
    insert(cloud)
    for _again in range(2):
        cloud.delete(f"{NETWORKS}/a")
