# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control plane and two workers in Google Cloud: instances become nodes by themselves, and are replaced.

What is the same on AWS is tested by the same functions.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import running
from ansible_collections.kubeops.kops.tests.lab.cloud import machines
from ansible_collections.kubeops.kops.tests.lab.cloud.test_joining import (  # noqa: F401  # pylint: disable=unused-import
    cluster,
    created,
    test_a_second_run_changes_nothing,
    test_a_worker_has_no_key_of_an_authority_and_reads_nothing_of_the_store,
    test_a_worker_that_is_terminated_is_replaced,
    test_it_is_valid_again,
    test_the_only_control_plane_comes_back_with_its_data,
)
from ansible_collections.kubeops.kops.tests.lab.google import account
from ansible_collections.kubeops.kops.tests.lab.google.sites import GoogleSite
from ansible_collections.kubeops.kops.tests.support import software_tpm

pytestmark = [pytest.mark.turn(3), software_tpm.needed]
TOKEN = "http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token"
# What a pod of a worker can have: the token of its service account.
ASK = f"""
given=$(curl --silent --fail --header Metadata-Flavor:Google {TOKEN})
token=$(echo "$given" | python3 -c 'import json, sys; print(json.load(sys.stdin)["access_token"])')
curl --silent --output /dev/null --write-out %{{http_code}} --header "Authorization: Bearer $token" "$@"
"""


@pytest.fixture(scope="module")
def site(new_site: Callable[..., GoogleSite]) -> GoogleSite:
    """With the simplest network, whose routes the cloud controller makes."""
    return new_site({"networking": "kubenet", "node_count": 2})


def test_instances_become_nodes_without_a_connection_to_any(cluster: GoogleSite) -> None:  # noqa: F811
    assert cluster.ready() == sorted([*cluster.control_planes(), *cluster.workers()])
    assert len(cluster.workers()) == 2
    nodes = cluster.nodes()
    for name, instance in cluster.instances().items():
        node = nodes[name]
        assert node["spec"]["providerID"] == f"gce://{account.PROJECT}/{instance['zone']}/{name}"
        assert node["metadata"]["labels"]["kops.k8s.io/instancegroup"] == instance["group"]
    assert f"server: https://{public_address()}" in (cluster.directory / "kubeconfig").read_text()


def public_address() -> str:
    """That of the load balancer before the API."""
    (found,) = (each for each in account.all_of("addresses") if each["addressType"] == "EXTERNAL")
    return str(found["address"])


def test_the_cloud_controller_has_made_a_route_to_the_pods_of_each(cluster: GoogleSite) -> None:  # noqa: F811
    made = account.call("GET", "global/routes")["items"]
    routes = {each["nextHopInstance"].rpartition("/")[2]: each["destRange"] for each in made}
    nodes = cluster.nodes()
    assert all(routes[name] == nodes[name]["spec"]["podCIDR"] for name in cluster.instances())


def test_a_token_of_a_worker_opens_neither_the_store_nor_the_bootstrap_server(cluster: GoogleSite) -> None:  # noqa: F811
    worker, (server,) = cluster.workers()[0], cluster.instances(control_planes=True).values()
    files = f"{account.STORAGE_URL}/storage/v1/b/{account.BUCKET}/o"
    assert machines.within(worker, "sh", "-c", ASK, "sh", files) == "403"
    address = server["networkInterfaces"][0]["networkIP"]
    asked = ("--insecure", "--data", "{}", f"https://{address}:3988/bootstrap")
    assert machines.within(worker, "sh", "-c", ASK, "sh", *asked) == "403"


def test_user_data_holds_no_secret(cluster: GoogleSite) -> None:  # noqa: F811
    for instance in cluster.instances().values():
        text = json.dumps(instance["metadata"])
        assert "PRIVATE KEY" not in text
        assert "kubeops" in text


def test_deletion_leaves_nothing(cluster: GoogleSite) -> None:  # noqa: F811
    run: running.Run = cluster.run("delete_cluster")
    assert run.code == 0, run.output
    for collection in ("instances", "disks", "addresses", "forwardingRules", "instanceGroupManagers", "subnetworks"):
        assert account.all_of(collection) == []
    for collection in ("routes", "firewalls", "networks", "instanceTemplates"):
        assert account.call("GET", f"global/{collection}")["items"] == []
