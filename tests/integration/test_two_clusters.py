# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clusters with NAT gateways in one account, whose server passes over all filters: each keeps what it owns."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.cloud import AWSCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.looking import AWSLooking
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.resources.discovery import discover
from ansible_collections.kubeops.kops.tests.integration.conftest import ZONE, Account

OTHER = "other.example.com"


def of_all_clusters(account: Account) -> set[str]:
    """The instances of both, as rolling updates and the inventory see them."""
    clouds = [AWSCloud("us-east-1", name) for name in (account.name, OTHER)]
    return {each.name for cloud in clouds for group in AWSLooking().machines(cloud).values() for each in group}


@pytest.mark.long
def test_deleting_one_cluster_leaves_the_other_whole(account: Account) -> None:
    other = Account(account.server)
    other.name = OTHER
    account.client("ec2").create_key_pair(KeyName="of-a-person")
    account.create(zones=[ZONE], topology="private")
    account.update()
    alone = account.inventory()
    assert len(alone["NAT gateways"]) == 1
    other.create(zones=[ZONE], topology="private")
    other.update()
    owned = set(discover(AWSCloud("us-east-1", OTHER)))
    instances = of_all_clusters(account)
    with account.server.ignoring_filters():
        shown = account.client("ec2").describe_nat_gateways(
            Filters=[{"Name": "tag:KubernetesCluster", "Values": ["x"]}]
        )
        assert len(shown["NatGateways"]) == 2
        # Neither an update nor a rolling update takes objects of the other cluster for its own: its groups are not
        # what removed instance groups have left behind.
        assert account.update(check=True, prune=True).plan.text().startswith("Nothing to do")
        assert of_all_clusters(account) == instances
        listed = other.delete(check=True)
        assert {f"{each['kind']}:{each['id']}" for each in listed.resources} == owned
        deleted = other.delete()
    assert {each["id"] for each in listed.resources} <= {each["id"] for each in deleted.resources}
    assert account.inventory() == alone
    assert not account.update(check=True).changed
