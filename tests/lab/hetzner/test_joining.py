# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control plane and two workers at Hetzner: servers become nodes by themselves, and are replaced.

What is the same in other clouds is tested by the same functions.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import running
from ansible_collections.kubeops.kops.tests.lab.cloud.given_credentials import (  # noqa: F401  # pylint: disable=unused-import
    test_only_root_of_control_planes_has_credentials,
    test_what_every_pod_can_read_holds_no_secret,
)
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
from ansible_collections.kubeops.kops.tests.lab.hetzner import account
from ansible_collections.kubeops.kops.tests.lab.hetzner.sites import HetznerSite

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def site(new_site: Callable[..., HetznerSite]) -> HetznerSite:
    """With the simplest network."""
    return new_site({"networking": "flannel", "node_count": 2})


def test_deletion_leaves_nothing(cluster: HetznerSite) -> None:  # noqa: F811
    run: running.Run = cluster.run("delete_cluster")
    assert run.code == 0, run.output
    client = account.client()
    kinds = (client.servers, client.volumes, client.networks, client.load_balancers, client.firewalls, client.ssh_keys)
    assert [each.name for kind in kinds for each in kind.get_all()] == []
