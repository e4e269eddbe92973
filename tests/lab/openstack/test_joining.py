# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control plane and two workers in OpenStack: servers become nodes by themselves, and are replaced.

What is the same on AWS is tested by the same functions.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.openstack_sealing import key_in, sealed_in
from ansible_collections.kubeops.kops.tests.lab import running
from ansible_collections.kubeops.kops.tests.lab.cloud import machines
from ansible_collections.kubeops.kops.tests.lab.cloud.server_tests import (  # noqa: F401  # pylint: disable=unused-import
    test_a_group_grows_and_shrinks,
    test_a_stranger_gets_no_certificate,
    test_outdated_servers_are_rolled,
    test_pods_cannot_ask_the_metadata_service,
    test_servers_become_nodes_without_a_connection_to_any,
)
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


@pytest.fixture(scope="module")
def site(new_site: Callable[..., OpenStackSite]) -> OpenStackSite:
    """With the simplest network, behind a load balancer."""
    return new_site({"networking": "flannel", "node_count": 2})


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


def test_a_credential_is_sealed_for_one_server_only(cluster: OpenStackSite) -> None:  # noqa: F811
    (control_plane,) = cluster.control_planes()
    assert key_in((account.consoles() / control_plane).read_text())
    files = machines.within(control_plane, "sh", "-c", "stat --format '%a %U %n' /etc/kubeops/openstack/*")
    assert [line.split()[:2] for line in files.splitlines()] == [["600", "root"]] * 2


def test_the_api_is_reached_from_outside(cluster: OpenStackSite) -> None:  # noqa: F811
    assert "server: https://203.0.113." in (cluster.directory / "kubeconfig").read_text()


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
