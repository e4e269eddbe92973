# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A private topology with a private zone: names that control planes publish lead workers to them, whatever happens."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab.cloud import account, clusters, machines
from ansible_collections.kubeops.kops.tests.lab.cloud.clusters import NAME
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

pytestmark = pytest.mark.long
ADDONS = ("aws-cloud-controller-manager",)
PLACEHOLDER = "203.0.113.123"


@pytest.fixture(scope="module")
def cluster(cloud: None, new_site: Callable[..., CloudSite]) -> CloudSite:
    """The cluster, valid."""
    clusters.make_private_zone()
    site = new_site({"networking": "flannel", "node_count": 1, **clusters.PRIVATE})
    run = site.create(kops_validate_wait=600)
    assert run.code == 0, f"{run.output}\n{site.state()}"
    print(f"\nfrom nothing to valid in {run.seconds:.0f} s")
    return site


def records() -> dict[str, set[str]]:
    """Name -> addresses, of the records that are no aliases."""
    found: dict[str, set[str]] = {}
    for zone in account.pages("route53", "list_hosted_zones", "HostedZones"):
        for record in account.pages(
            "route53", "list_resource_record_sets", "ResourceRecordSets", HostedZoneId=zone["Id"]
        ):
            if record["Type"] == "A" and "AliasTarget" not in record:
                found[record["Name"].rstrip(".")] = {each["Value"] for each in record["ResourceRecords"]}
    return found


def addresses(cluster: CloudSite) -> set[str]:
    """The private addresses of the control planes."""
    return {each["PrivateIpAddress"] for each in cluster.instances(control_planes=True).values()}


def test_control_planes_publish_where_they_are(cluster: CloudSite) -> None:
    found = records()
    for name in ("api.internal", "kops-controller.internal"):
        assert found[f"{name}.{NAME}"] == addresses(cluster), found
    assert not any(PLACEHOLDER in each for each in found.values())


def test_instances_that_were_stopped_and_started_are_the_same_nodes(cluster: CloudSite) -> None:
    cluster.kubectl("create", "configmap", "marker", "--from-literal=it=lives")
    names = sorted(cluster.instances())
    account.client("ec2").stop_instances(InstanceIds=names)
    cluster.wait(lambda: set(machines.present().values()) == {"exited"}, 120)
    account.client("ec2").start_instances(InstanceIds=names)
    cluster.wait(lambda: set(machines.present().values()) == {"running"}, 120)
    run = cluster.run("validate_cluster", kops_validate_wait=600)
    assert run.code == 0, f"{run.output}\n{cluster.state()}"
    assert cluster.ready() == names
    assert cluster.kubectl("get", "configmap", "marker", "--output=jsonpath={.data.it}") == "lives"


def test_records_follow_a_control_plane_that_is_replaced(cluster: CloudSite) -> None:
    (gone,) = cluster.control_planes()
    cluster.replaced(gone, 600)
    seconds = cluster.wait(lambda: records()[f"api.internal.{NAME}"] == addresses(cluster), 120)
    print(f"\nrecords were right {seconds:.0f} s after all were ready")
    run = cluster.run("validate_cluster", kops_validate_wait=300)
    assert run.code == 0, run.output


def test_deleting_leaves_no_record_and_no_instance(cluster: CloudSite) -> None:
    run = cluster.run("delete_cluster")
    assert run.code == 0, run.output
    assert not cluster.instances()
    assert not [name for name in records() if name.endswith(NAME)]
