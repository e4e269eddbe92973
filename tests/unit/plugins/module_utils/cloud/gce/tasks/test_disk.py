# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks of etcd members: they grow, and are never replaced."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.disk import Disk
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import PlanError

from .conftest import PROJECT, apply, changed, plan

LABELS = {"k8s-io-cluster-name": "demo-example-com", "k8s-io-etcd-main": "b-2fb"}
PATH = "zones/us-east1-b/disks/b-etcd-main"


def disk(**fields) -> Disk:
    return Disk(
        "b-etcd-main", **{"volume_type": "pd-ssd", "size_gb": 20, "zone": "us-east1-b", "labels": LABELS, **fields}
    )


def test_it_is_made_with_its_labels_in_one_call(cloud, compute):
    apply(cloud, disk(volume_iops=3000, volume_throughput=140))
    assert compute.writes == [("POST", "zones/us-east1-b/disks")]
    made = compute.only("disks")
    assert made["labels"] == LABELS
    assert made["description"] == "kubeops.kops cluster demo.example.com"
    assert made["type"].endswith("/projects/my-project/zones/us-east1-b/diskTypes/pd-ssd")
    assert [made[key] for key in ("sizeGb", "provisionedIops", "provisionedThroughput")] == ["20", "3000", "140"]


def test_a_second_run_asks_once_and_writes_nothing(cloud, compute):
    apply(cloud, disk())
    compute.forget()
    assert not plan(cloud, disk()).changed
    assert compute.asked == [("GET", "aggregated/disks")]


def test_it_grows_and_gets_faster_in_place(cloud, compute):
    apply(cloud, disk(volume_iops=3000))
    compute.forget()
    assert changed(apply(cloud, disk(size_gb=50, volume_iops=5000))) == {"Disk/b-etcd-main": ["size_gb", "volume_iops"]}
    assert compute.writes == [("POST", f"{PATH}/resize"), ("PATCH", PATH)]
    assert not plan(cloud, disk(size_gb=50, volume_iops=5000)).changed


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"size_gb": 10}, "has 20 GiB and cannot shrink to 10"),
        ({"volume_type": "pd-standard"}, "cannot be changed in place (volume_type: pd-ssd -> pd-standard)"),
        ({"zone": "us-east1-c"}, "cannot be changed in place (zone: us-east1-b -> us-east1-c)"),
    ],
)
def test_what_would_lose_its_data_is_refused(cloud, compute, fields, message):
    apply(cloud, disk())
    compute.forget()
    with pytest.raises(PlanError) as refused:
        plan(cloud, disk(**fields))
    assert message in str(refused.value)
    assert not compute.writes


def test_labels_of_others_stay(cloud, compute):
    compute.put(PATH, type="x/pd-ssd", sizeGb="20", labels={"k8s-io-cluster-name": "demo-example-com", "team": "a"})
    assert changed(apply(cloud, disk())) == {"Disk/b-etcd-main": ["labels"]}
    assert compute.only("disks")["labels"] == {**LABELS, "team": "a"}
    assert not plan(cloud, disk()).changed


def test_somebody_elses_is_refused(cloud, compute):
    compute.put(PATH, type="x/pd-ssd", sizeGb="20", description="kubeops.kops cluster other.example.com")
    with pytest.raises(PlanError, match="of the cluster other.example.com; it stays as it is"):
        plan(cloud, disk())


def test_another_clusters_in_another_zone_is_nobodys_business(cloud, compute):
    compute.put("zones/us-east1-c/disks/b-etcd-main", type="x/pd-ssd", sizeGb="20", labels={})
    apply(cloud, disk())
    assert ("POST", "zones/us-east1-b/disks") in compute.writes


def test_a_lost_answer_makes_no_twin(cloud, compute):
    compute.lose = True
    with pytest.raises(Exception, match="lost"):
        apply(cloud, disk())
    assert not apply(cloud, disk()).changed
    assert [path for path in compute.objects if "/disks/" in path] == [f"{PROJECT}/{PATH}"]
