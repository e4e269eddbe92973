# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of clusters in clouds that are a list of servers; the file of tests of such a cloud imports them."""

from __future__ import annotations

import secrets
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.bootstrap import Request
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud import challenge
from ansible_collections.kubeops.kops.tests.lab import running
from ansible_collections.kubeops.kops.tests.lab.cloud import machines
from ansible_collections.kubeops.kops.tests.lab.cloud.server_sites import ServerSite

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


def test_servers_become_nodes_without_a_connection_to_any(cluster: ServerSite) -> None:
    assert cluster.ready() == sorted([*cluster.control_planes(), *cluster.workers()])
    assert len(cluster.workers()) == 2
    nodes = cluster.nodes()
    for name, server in cluster.instances().items():
        # The cloud controller has written it.
        assert nodes[name]["spec"]["providerID"] == f"{cluster.provider}{server['id']}"
        assert nodes[name]["metadata"]["labels"]["kops.k8s.io/instancegroup"] == server["group"]


def test_pods_cannot_ask_the_metadata_service(cluster: ServerSite) -> None:
    """As one of their containers would. The API server's address shows that it is not the network that is missing."""
    hosts = [name for name in cluster.instances() if machines.within(name, "pgrep", "coredns", check=False)]
    assert hosts
    for name in hosts:
        served = f"https://{cluster.address(cluster.control_planes()[0])}"
        # curl's word for a time that is over.
        assert machines.within(name, "sh", "-c", WITHIN_POD, "sh", served, SERVICE).split() == ["0", "28"]
        machines.within(name, "curl", "--fail", "--silent", "--output", "/dev/null", cluster.user_data)


def test_a_stranger_gets_no_certificate(cluster: ServerSite) -> None:
    """From another server, for another server, with a proof that is used again; and without any."""
    worker, other = cluster.workers()
    servers = cluster.instances()
    address = cluster.address(cluster.control_planes()[0])
    body = Request({}, "0" * 64).text().decode()

    def asked(source: str, header: str) -> str:
        return machines.within(source, "sh", "-c", BOOTSTRAP, "sh", address, header, body).strip()

    def header(name: str) -> str:
        return challenge.header(cluster.scheme, str(servers[name]["id"]), secrets.token_bytes(32))

    assert asked(worker, "") == "403"
    assert asked(worker, header(other)) == "403"
    # Its own, which nobody answers for: as a pod would ask, whose requests have the address of its server.
    assert asked(worker, header(worker)) == "403"
    assert asked(worker, header(cluster.control_planes()[0])) == "403"


def test_a_group_grows_and_shrinks(cluster: ServerSite) -> None:
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


def test_outdated_servers_are_rolled(cluster: ServerSite) -> None:
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


def nodes_of_workers(cluster: ServerSite) -> list[dict[str, Any]]:
    """As the API knows them."""
    nodes = cluster.nodes()
    return [nodes[name] for name in cluster.workers()]
