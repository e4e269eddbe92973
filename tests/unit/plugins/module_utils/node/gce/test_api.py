# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce import api
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.api import COMPUTE, Google
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.tests.support.google_metadata import (
    INSTANCE,
    PROJECT,
    REGION,
    ZONE,
    MetadataServer,
)

from .fake_google import FakeGoogle

PATH = f"zones/{ZONE}/instances/{INSTANCE}"


def test_where_the_instance_is_is_asked_once(google: Google, server: type[MetadataServer]) -> None:
    for _time in range(2):
        assert (google.project, google.region, google.zone, google.instance) == (PROJECT, REGION, ZONE, INSTANCE)
    assert sorted(server.asked) == ["instance/name", "instance/zone", "project/project-id"]


def test_an_object(google: Google, cloud: FakeGoogle) -> None:
    cloud.instance()
    assert google.get(COMPUTE, PATH)["name"] == INSTANCE
    assert google.find_object(COMPUTE, "zones/z/instances/none") is None
    with pytest.raises(ServiceError, match="404 notFound The resource .* was not found") as caught:
        google.get(COMPUTE, "zones/z/instances/none")
    assert (caught.value.status, caught.value.code) == (404, "notFound")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_passes_is_tried_again(google: Google, cloud: FakeGoogle, status: int) -> None:
    cloud.instance()
    cloud.statuses = [status, status]
    assert google.get(COMPUTE, PATH)["name"] == INSTANCE
    cloud.statuses = [status] * 6
    with pytest.raises(ServiceError, match=f"compute GET {PATH}: {status} backendError"):
        google.get(COMPUTE, PATH)


def test_what_does_not_pass_is_said_at_once(google: Google, cloud: FakeGoogle) -> None:
    cloud.instance()
    cloud.statuses = [403]
    with pytest.raises(ServiceError, match="403 backendError"):
        google.find_object(COMPUTE, PATH)
    assert len(cloud.asked) == 1


def test_a_token_that_is_refused_is_replaced(google: Google, cloud: FakeGoogle, server: type[MetadataServer]) -> None:
    cloud.instance()
    google.get(COMPUTE, PATH)
    server.tokens.clear()
    assert google.get(COMPUTE, PATH)["name"] == INSTANCE


def test_all_pages_of_the_region(google: Google, cloud: FakeGoogle) -> None:
    names = [cloud.instance(f"nodes-a-000{number}", f"us-test1-{'abc'[number % 3]}")["name"] for number in range(5)]
    cloud.instance("elsewhere-0000", "us-test12-a")
    assert sorted(each["name"] for each in google.in_region("instances", "labels.k8s-io-role-node=node")) == names
    assert len(cloud.asked) == 3
    assert not [*google.in_region("instances", "labels.k8s-io-role-node=other")]


def test_a_zone_that_does_not_answer_has_not_lost_its_objects(
    google: Google, cloud: FakeGoogle, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = {"items": {f"zones/{ZONE}": {"warning": {"code": "UNREACHABLE"}}}}
    monkeypatch.setattr(cloud, "answer", lambda *_request: missing)
    with pytest.raises(KopsError, match=f"Compute Engine does not know the instances of zones/{ZONE} now"):
        list(google.in_region("instances", ""))


def test_an_operation_is_waited_for(google: Google, cloud: FakeGoogle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_POLL", 0)
    cloud.instance()
    body = {"source": f"projects/{PROJECT}/zones/{ZONE}/disks/{cloud.disk('a')}", "deviceName": "a"}
    cloud.running = 3
    google.operate(f"{PATH}/attachDisk", body)
    assert [each.split("/")[-2] for each in cloud.asked].count("operations") == 4
    monkeypatch.setattr(api, "_OPERATION_SECONDS", 0)
    body = {"source": f"projects/{PROJECT}/zones/{ZONE}/disks/{cloud.disk('b')}", "deviceName": "b"}
    with pytest.raises(ServiceError, match="Compute Engine is not done after 0 s"):
        google.operate(f"{PATH}/attachDisk", body)


def test_an_operation_that_fails_late(google: Google, cloud: FakeGoogle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_POLL", 0)
    cloud.instance()
    cloud.late = {"code": "QUOTA_EXCEEDED", "message": "Quota 'DISKS' exceeded"}
    body = {"source": f"projects/{PROJECT}/zones/{ZONE}/disks/{cloud.disk('a')}", "deviceName": "a"}
    with pytest.raises(ServiceError, match="400 QUOTA_EXCEEDED Quota 'DISKS' exceeded") as caught:
        google.operate(f"{PATH}/attachDisk", body)
    assert caught.value.code == "QUOTA_EXCEEDED"


def test_a_lost_answer_of_a_write(google: Google, cloud: FakeGoogle) -> None:
    """It is sent again with its id, and Google does not carry it out twice."""
    cloud.instance()
    body = {"source": f"projects/{PROJECT}/zones/{ZONE}/disks/{cloud.disk('a')}", "deviceName": "a"}
    cloud.lost = ["attachDisk"]
    google.operate(f"{PATH}/attachDisk", body)
    assert [each for each in cloud.asked if "attachDisk" in each] == [f"POST {PATH}/attachDisk"] * 2
