# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A group with a warm pool as an update makes it, and an instance of it that asks with the role that it has got.

The account checks signatures and policies. Moto has no lifecycle actions, so completing one is only looked at.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.common import WarmPoolSpec
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.instance import AWSInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError, read_xml
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE, Account, fresh_account
from ansible_collections.kubeops.kops.tests.support import metadata_service
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

pytestmark = pytest.mark.long

ZONE, INSTANCE = "us-east-1a", "i-0123456789abcdef0"
GROUP = f"nodes-{ZONE}"


@pytest.fixture()
def account(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    with AWSServer(checked=True) as server:
        made = fresh_account(server, monkeypatch, tmp_path)
        made.create(zones=[ZONE])
        made.update()
        yield made


@pytest.fixture()
def instance(account: Account, monkeypatch: pytest.MonkeyPatch) -> Iterator[AWSInstance]:
    paths = metadata_service.paths_of_an_instance(INSTANCE, "10.0.0.7", ZONE)
    with metadata_service.running(paths) as (url, service):
        arn = f"arn:aws:iam::123456789012:role/nodes.{NAME}"
        session = account.client("sts").assume_role(RoleArn=arn, RoleSessionName=INSTANCE)
        service.paths.update(metadata_service.paths_of_credentials("nodes", session["Credentials"]))
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", url)
        monkeypatch.setenv("AWS_ENDPOINT_URL", account.server.url)
        yield AWSInstance()


def test_an_instance_may_tell_the_group_that_its_node_config_names(
    account: Account, instance: AWSInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ServiceError, match="403"):
        instance.tell_group(f"{GROUP}.{NAME}", "kops-warmpool")
    account.change_group(GROUP, warm_pool=WarmPoolSpec(enable_lifecycle_hook=True, additional_images=["busybox:1"]))
    account.update()
    pool = _newest_pool()
    assert "busybox:1" in pool["images"]
    known, completed = instance.aws.call, []

    def call(service: str, action: str, parameters: Mapping[str, str]) -> Element:
        if action != "CompleteLifecycleAction":
            return known(service, action, parameters)
        completed.append(parameters)
        return read_xml(b"<Response/>")

    monkeypatch.setattr(instance.aws, "call", call)
    assert instance.tell_group(pool["group"], pool["hook"])
    (request,) = completed
    assert (request["AutoScalingGroupName"], request["InstanceId"]) == (f"{GROUP}.{NAME}", INSTANCE)
    assert not instance.tell_group(pool["group"], "another-hook")


def _newest_pool() -> dict[str, Any]:
    """What the NodeConfig of the group says of its pool; that of the first update says nothing."""
    files = [file for file in ClusterStore.open(STORE, NAME).files() if f"/{GROUP}/nodeconfig/" in f"/{file.name}"]
    configs = [json.loads(file.path.read()) for file in files]
    (pool,) = [config["warmPool"] for config in configs if "warmPool" in config]
    return dict(pool)
