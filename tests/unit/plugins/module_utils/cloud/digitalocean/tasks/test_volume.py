# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A volume of etcd: made with kops' tags, kept, and marked if kops has made it."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.kinds import VOLUME
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.volume import Volume
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.applying import applied, changes, planned
from ansible_collections.kubeops.kops.tests.support.digitalocean.catalog import OTHER_REGION, REGION
from ansible_collections.kubeops.kops.tests.support.rest_server import LOST, RESET, RestServer

NAME, LIKE_IT = "demo.example.com", "demo-example.com"
KOPS = ["etcdCluster-main:a", "k8s-index:a", "KubernetesCluster:demo-example-com"]


def wanted(size: int = 20, cluster: str = NAME) -> list[Volume]:
    tags = names.etcd_tags("main", "a", cluster)
    return [Volume(names.etcd_volume("main", "a", cluster), size=size, region=REGION, tags=tags)]


def add(cloud: DigitalOceanCloud, tags: list[str], region: str = REGION) -> None:
    name = names.etcd_volume("main", "a", NAME)
    cloud.make(VOLUME, {"name": name, "region": region, "size_gigabytes": 20, "tags": tags})


@pytest.mark.parametrize("spoiled", [None, LOST, RESET, 500])
def test_it_is_made_once(
    cloud: DigitalOceanCloud, client, account: Account, server: RestServer, spoiled: int | str | None
) -> None:
    if spoiled is not None:
        server.spoil(1, spoiled)
    applied(cloud, wanted())
    (made,) = account.volumes.objects.values()
    assert made["name"] == "kops-a-etcd-main-demo-example-com"
    assert made["size_gigabytes"] == 20
    assert made["tags"] == [*KOPS, "kubeops-cluster:demo_example_com"]
    assert changes(applied(client(), wanted())) == []


def test_that_of_kops_is_marked_and_keeps_its_tags(cloud: DigitalOceanCloud, client, account: Account) -> None:
    add(cloud, ["theirs", *KOPS])
    assert changes(applied(client(), wanted())) == ["update Volume/kops-a-etcd-main-demo-example-com ['tags']"]
    (found,) = account.volumes.objects.values()
    assert found["tags"] == ["theirs", *KOPS, "kubeops-cluster:demo_example_com"]
    assert changes(applied(client(), wanted())) == []


def test_capitals_of_a_tag_are_those_of_its_first_user(cloud: DigitalOceanCloud, client, account: Account) -> None:
    account.tags.use(["kubernetescluster:demo-example-com"])
    applied(cloud, wanted())
    assert changes(applied(client(), wanted())) == []


def test_one_of_others_stays_as_it_is(cloud: DigitalOceanCloud, client, account: Account) -> None:
    add(cloud, [])
    with pytest.raises(KopsError, match="nothing says that it is the cluster's"):
        planned(client(), wanted())


def test_a_cluster_whose_name_looks_the_same_is_named(cloud: DigitalOceanCloud, client, account: Account) -> None:
    applied(client(LIKE_IT), wanted(cluster=LIKE_IT))
    with pytest.raises(KopsError, match=f"another cluster, {LIKE_IT}, whose name is that of {NAME} without its dots"):
        planned(client(), wanted())


def test_a_region_without_volumes_is_refused_before_anything_is_written(client, server: RestServer) -> None:
    with pytest.raises(KopsError, match="the region nyc2 has no volumes"):
        planned(client(), [Volume("kops-a", size=1, region="nyc2")])
    assert server.writes == []


def test_its_size_stays_and_other_regions_do_not_matter(cloud: DigitalOceanCloud, client, account: Account) -> None:
    add(cloud, [], OTHER_REGION)
    applied(client(), wanted())
    with pytest.raises(KopsError, match="size: 20 -> 30"):
        planned(client(), wanted(30))
