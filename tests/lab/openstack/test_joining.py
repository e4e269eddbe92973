# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control plane and two workers in OpenStack: servers become nodes by themselves, and are replaced.

What is the same on AWS is tested by the same functions.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.bootstrap import Request
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.openstack_sealing import key_in, sealed_in
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
from ansible_collections.kubeops.kops.tests.lab.openstack import account
from ansible_collections.kubeops.kops.tests.lab.openstack.sites import OpenStackSite

pytestmark = pytest.mark.long
SERVICE = "http://169.254.169.254"
# Asks in the network of a pod; says curl's word for each.
WITHIN_POD = """
for url in "$@"; do
  nsenter --target "$(pgrep --oldest coredns)" --net curl --insecure --silent --max-time 5 --output /dev/null "${url}"
  echo $?
done
"""
# Asks a bootstrap server for certificates: address, header, body.
BOOTSTRAP = """
curl --silent --insecure --output /dev/null --write-out %{http_code} --header "Authorization: $2" --data "$3" \\
  "https://$1:3988/bootstrap"
"""


@pytest.fixture(scope="module")
def site(new_site: Callable[..., OpenStackSite]) -> OpenStackSite:
    """With the simplest network, behind a load balancer."""
    return new_site({"networking": "flannel", "node_count": 2})


def test_servers_become_nodes_without_a_connection_to_any(cluster: OpenStackSite) -> None:  # noqa: F811
    assert cluster.ready() == sorted([*cluster.control_planes(), *cluster.workers()])
    assert len(cluster.workers()) == 2
    nodes = cluster.nodes()
    for name, server in cluster.instances().items():
        # The cloud controller has written it.
        assert nodes[name]["spec"]["providerID"] == f"openstack:///{server['id']}"
        assert nodes[name]["metadata"]["labels"]["kops.k8s.io/instancegroup"] == server["group"]
    assert "server: https://203.0.113." in (cluster.directory / "kubeconfig").read_text()


def test_what_every_pod_can_read_holds_no_secret(cluster: OpenStackSite) -> None:  # noqa: F811
    secret = json.loads(machines.within(cluster.control_planes()[0], "cat", "/etc/kubeops/openstack/credential.json"))
    for name in cluster.instances():
        told = [
            machines.within(name, "curl", "--silent", f"{SERVICE}/openstack/latest/{path}")
            for path in ("meta_data.json", "user_data")
        ]
        assert not [text for text in told if secret["secret"] in text or "PRIVATE KEY" in text or "testing" in text]
        assert (sealed_in(json.loads(told[0])["meta"]) is not None) == (name in cluster.control_planes())
        assert secret["secret"] not in (account.consoles() / name).read_text()


def test_pods_cannot_ask_the_metadata_service(cluster: OpenStackSite) -> None:  # noqa: F811
    """As one of their containers would. The API server's address shows that it is not the network that is missing."""
    hosts = [name for name in cluster.instances() if machines.within(name, "pgrep", "coredns", check=False)]
    assert hosts
    for name in hosts:
        served = f"https://{cluster.address(cluster.control_planes()[0])}"
        # curl's word for a time that is over.
        assert machines.within(name, "sh", "-c", WITHIN_POD, "sh", served, SERVICE).split() == ["0", "28"]
        machines.within(
            name, "curl", "--fail", "--silent", "--output", "/dev/null", f"{SERVICE}/openstack/latest/meta_data.json"
        )


def test_a_credential_is_sealed_for_one_server_only(cluster: OpenStackSite) -> None:  # noqa: F811
    (control_plane,) = cluster.control_planes()
    assert key_in((account.consoles() / control_plane).read_text())
    files = machines.within(control_plane, "sh", "-c", "stat --format '%a %U %n' /etc/kubeops/openstack/*")
    assert [line.split()[:2] for line in files.splitlines()] == [["600", "root"]] * 2


def test_a_stranger_gets_no_certificate(cluster: OpenStackSite) -> None:  # noqa: F811
    """From another server, for another server, with a proof that is used again; and without any."""
    worker, other = cluster.workers()
    servers = cluster.instances()
    address = cluster.address(cluster.control_planes()[0])
    body = Request({}, "0" * 64).text().decode()

    def asked(source: str, header: str) -> str:
        return machines.within(source, "sh", "-c", BOOTSTRAP, "sh", address, header, body).strip()

    def header(name: str) -> str:
        said = {"server": servers[name]["id"], "key": base64.b64encode(secrets.token_bytes(32)).decode()}
        return f"x-kubeops-openstack {base64.b64encode(json.dumps(said).encode()).decode()}"

    assert asked(worker, "") == "403"
    assert asked(worker, header(other)) == "403"
    # Its own, which nobody answers for: as a pod would ask, whose requests have the address of its server.
    assert asked(worker, header(worker)) == "403"
    assert asked(worker, header(cluster.control_planes()[0])) == "403"


def test_a_group_grows_and_shrinks(cluster: OpenStackSite) -> None:  # noqa: F811
    grown: running.Run = cluster.change_group("Node", minSize=4, maxSize=4)
    assert grown.code == 0, grown.output
    cluster.wait_ready()
    assert len(cluster.workers()) == 4
    gone = cluster.workers()[:2]
    shrunk = cluster.run("delete_instance", kops_instance=",".join(gone), kops_replace=False)
    assert shrunk.code == 0, shrunk.output
    assert (len(cluster.workers()), set(gone) & set(cluster.workers())) == (2, set())
    after = cluster.run("update_cluster")
    assert (after.code, after.changed, len(cluster.workers())) == (0, 0, 2), after.output


def test_outdated_servers_are_rolled(cluster: OpenStackSite) -> None:  # noqa: F811
    before = set(cluster.workers())
    changed = cluster.change_group("Node", nodeLabels={"round": "two"}, minSize=2, maxSize=2)
    assert "another NodeConfig" in changed.output
    rolled = cluster.run("rolling_update")
    assert rolled.code == 0, rolled.output
    assert "2 of 2 instances replaced" in rolled.output
    assert not before & set(cluster.workers())
    nodes = cluster.nodes()
    cluster.wait(lambda: all("round" in node["metadata"]["labels"] for node in nodes_of_workers(cluster)), 60)
    assert sorted(nodes) == sorted(cluster.instances())
    again = cluster.run("rolling_update")
    assert (again.code, again.changed) == (0, 0), again.output


def nodes_of_workers(cluster: OpenStackSite) -> list[dict[str, Any]]:  # noqa: F811
    """As the API knows them."""
    nodes = cluster.nodes()
    return [nodes[name] for name in cluster.workers()]


def test_deletion_leaves_nothing(cluster: OpenStackSite) -> None:  # noqa: F811
    run: running.Run = cluster.run("delete_cluster")
    assert run.code == 0, run.output
    connection = account.connection()
    project = connection.current_project_id
    assert [*connection.compute.servers(), *connection.compute.server_groups(), *connection.compute.keypairs()] == []
    assert [*connection.block_storage.volumes(), *connection.load_balancer.load_balancers()] == []
    network = connection.network
    assert [each.name for each in network.networks(project_id=project)] == []
    assert [*network.ports(project_id=project), *network.ips(project_id=project), *network.routers()] == []
    assert [each.name for each in network.security_groups(project_id=project)] == ["default"]
    assert [*connection.identity.application_credentials(connection.current_user_id)] == []
    assert [each.name for each in connection.object_store.objects(account.CONTAINER)] == []
