# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control plane and two workers on vSphere: virtual machines become nodes by themselves, and are replaced.

What is the same in other clouds is tested by the same functions.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.tests.lab import running
from ansible_collections.kubeops.kops.tests.lab.cloud import clusters
from ansible_collections.kubeops.kops.tests.lab.cloud.given_credentials import (  # noqa: F401  # pylint: disable=unused-import
    test_only_root_of_control_planes_has_credentials,
    test_what_every_pod_can_read_holds_no_secret,
)
from ansible_collections.kubeops.kops.tests.lab.cloud.server_tests import (  # noqa: F401  # pylint: disable=unused-import
    test_a_group_grows_and_shrinks,
    test_a_stranger_gets_no_certificate,
    test_outdated_servers_are_rolled,
    test_servers_become_nodes_without_a_connection_to_any,
)
from ansible_collections.kubeops.kops.tests.lab.cloud.test_joining import (  # noqa: F401  # pylint: disable=unused-import
    cluster,
    created,
    test_a_second_run_changes_nothing,
    test_a_worker_has_no_key_of_an_authority_and_reads_nothing_of_the_store,
    test_a_worker_that_is_terminated_is_replaced,
    test_it_is_valid_again,
)
from ansible_collections.kubeops.kops.tests.lab.vsphere import account
from ansible_collections.kubeops.kops.tests.lab.vsphere.sites import VSphereSite
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import find
from pyVmomi import vim

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def site(new_site: Callable[..., VSphereSite]) -> VSphereSite:
    """With the simplest network."""
    return new_site({"networking": "flannel", "node_count": 2})


def test_the_only_control_plane_is_replaced_with_its_data(cluster: VSphereSite) -> None:  # noqa: F811
    """By the playbook: who destroys a virtual machine in vCenter destroys its disks."""
    cluster.kubectl("create", "configmap", "marker", "--from-literal=it=lives")
    (gone,) = cluster.control_planes()
    run: running.Run = cluster.run("delete_instance", kops_instance=gone, kops_cloudonly=True)
    assert run.code == 0, run.output
    assert cluster.control_planes() != [gone]
    cluster.wait_ready()
    assert cluster.kubectl("get", "configmap", "marker", "--output=jsonpath={.data.it}") == "lives"


def test_deletion_leaves_nothing(cluster: VSphereSite) -> None:  # noqa: F811
    run: running.Run = cluster.run("delete_cluster")
    assert run.code == 0, run.output
    assert cluster.instances() == {}
    with account.vcenter().client() as instance:
        kinds = (vim.Folder, vim.ResourcePool)
        assert [find(instance, kind, clusters.NAME) for kind in kinds] == [None, None]
