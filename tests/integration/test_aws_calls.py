# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many API calls an operation costs: as many as there are kinds of objects, however many objects there are."""

from __future__ import annotations

from collections import Counter

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks import launch_template
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.write import StoreOptions, remove_groups
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import Account

pytestmark = pytest.mark.long

ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"]
# A read of each keyset is among them: user data names the key pairs that instances use. So are whose the directory is,
# and what the cluster has opened in groups that the specification no longer names.
UNCHANGED_AIM = 52
# A highly available cluster costs kops 519 calls.
FIRST_APPLY_AIM = 519 // 2
MORE_GROUPS = 14


def test_calls_grow_with_what_differs(account: Account) -> None:
    account.create(zones=ZONES, control_plane_count=3)
    with account.server.recorded() as created:
        account.update()
    assert sum(created.values()) <= FIRST_APPLY_AIM, created
    few = _unchanged(account)
    assert sum(few.values()) <= UNCHANGED_AIM, few

    _add_node_groups(account, MORE_GROUPS)
    with account.server.recorded() as grown:
        account.update()
    # What a new group costs: template, group, metrics, hook, its record, node configuration, its own file.
    assert sum(grown.values()) <= sum(few.values()) + 7 * MORE_GROUPS + 8, grown
    assert _unchanged(account) == few

    remove_groups(StoreOptions(account.store), account.name, [f"more-{index:02d}" for index in range(MORE_GROUPS)])
    with account.server.recorded() as shrunk:
        account.update()
    # Autoscaling group and template of each, the detached instances of all of them, the lease.
    assert sum(shrunk.values()) <= sum(few.values()) + 2 * MORE_GROUPS + 8, shrunk
    assert shrunk["ec2.DescribeInstances"] == 1
    assert _unchanged(account) == few


def _unchanged(account: Account) -> Counter[str]:
    with account.server.recorded() as calls:
        assert not account.update().changed
    assert account.writes(calls) == []
    return calls


def _add_node_groups(account: Account, number: int) -> None:
    store = ClusterStore.open(account.store, account.name)
    node = next(group for group in store.read_groups() if group.spec.role == "Node")
    for index in range(number):
        more = codec.copy(node)
        more.metadata.name = f"more-{index:02d}"
        more.spec.machine_type = f"t3.{'small' if index % 2 else 'large'}"
        more.spec.node_labels["kops.k8s.io/instancegroup"] = more.metadata.name
        store.write_group(more)


def test_more_groups_than_a_page_are_read_by_pages(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_template, "PAGE", {"PageSize": 3})
    account.create(zones=ZONES[:1])
    _add_node_groups(account, 5)
    account.update()
    calls = _unchanged(account)
    # Seven groups.
    assert (calls["ec2.DescribeLaunchTemplates"], calls["ec2.DescribeLaunchTemplateVersions"]) == (3, 3)

    with account.server.recorded() as gone:
        account.delete()
    assert gone["ec2.DeleteLaunchTemplate"] == gone["autoscaling.DeleteAutoScalingGroup"] == 7
    # Before and after their deletion, and in two rounds of discovery; no group is asked for by itself.
    assert gone["autoscaling.DescribeAutoScalingGroups"] <= 4
    assert account.client("ec2").describe_launch_templates()["LaunchTemplates"] == []
