# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Several objects where there should be one: which of them is in use, and what removes the others."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.cloud import to_tags
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks import _ec2
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.dhcp_options import DHCPOptions
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.ebs_volume import EBSVolume
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.elastic_ip import ElasticIP
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.internet_gateway import InternetGateway
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc import VPC
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import PlanError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Twins

CLUSTER = "demo.example.com"
TAGS = {"Name": CLUSTER, "KubernetesCluster": CLUSTER, f"kubernetes.io/cluster/{CLUSTER}": "owned"}


def the_vpc() -> VPC:
    return VPC(CLUSTER, cidr="10.0.0.0/16", tags=TAGS)


def gateway() -> list[Any]:
    vpc = the_vpc()
    return [vpc, InternetGateway(CLUSTER, vpc=vpc, tags=TAGS)]


# Kind -> the tasks, the last of which is the one with a twin.
KINDS: dict[str, Callable[[], list[Any]]] = {
    "dhcp-options": lambda: [DHCPOptions(CLUSTER, domain_name="ec2.internal", tags=TAGS)],
    "internet-gateway": gateway,
    "vpc": lambda: [the_vpc()],
    "volume": lambda: [EBSVolume(CLUSTER, availability_zone="us-east-1a", size_gb=1, volume_type="gp3", tags=TAGS)],
    "address": lambda: [ElasticIP(CLUSTER, tags=TAGS)],
}


@pytest.mark.parametrize("kind", KINDS)
def test_twins_are_named_with_the_commands_that_remove_them(run, cloud, kind):
    tasks = KINDS[kind]()
    run(tasks)
    known, twin = tasks[-1], KINDS[kind]()[-1]
    if hasattr(known, "vpc"):
        # The twin is attached to nothing.
        answer = cloud.client("ec2").create_internet_gateway()["InternetGateway"]
        twin.id = answer["InternetGatewayId"]
        cloud.client("ec2").create_tags(Resources=[twin.id], Tags=to_tags(TAGS))
    else:
        twin.create(cloud)
    with pytest.raises(PlanError, match=f"several objects are named {CLUSTER} and carry the cluster's tag") as told:
        run(KINDS[kind]())
    assert known.id in str(told.value) and twin.id in str(told.value)
    if kind == "volume":
        assert "look which one holds data" in str(told.value)
        assert "aws ec2" not in str(told.value)
        return
    (command,) = re.findall(r"aws ec2 [^;\n]+", str(told.value))
    _aws, _service, operation, _region, region, option, identifier = shlex.split(command)
    assert region == cloud.region
    assert ("in use: " + known.id in str(told.value)) == (kind == "internet-gateway")
    assert identifier == (twin.id if kind == "internet-gateway" else max(known.id, twin.id))
    # The command is one of AWS, and helps.
    method = getattr(cloud.client("ec2"), operation.replace("-", "_"))
    argument = "".join(part.title() for part in option.removeprefix("--").split("-"))
    method(**{argument: identifier})
    assert run(KINDS[kind]()).actions == {}


def test_of_volumes_the_one_that_an_instance_has_stays(cloud):
    def volume(name: str, *attachments: dict[str, str]) -> dict[str, Any]:
        return {"VolumeId": name, "Attachments": list(attachments)}

    task = EBSVolume(CLUSTER)
    with pytest.raises(Twins, match=r"in use: vol-2\)\. Remove the others: .*delete-volume .* vol-1$") as told:
        _ec2.VOLUMES.single(cloud, task, [volume("vol-1"), volume("vol-2", {"InstanceId": "i-1"})])
    assert len(told.value.spare) == 1
    used = [volume(name, {"InstanceId": "i-1"}) for name in ("vol-1", "vol-2")]
    with pytest.raises(Twins, match=r": vol-1, vol-2$") as told:
        _ec2.VOLUMES.single(cloud, task, used)
    assert told.value.spare == []
