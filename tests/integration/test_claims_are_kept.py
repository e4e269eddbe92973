# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Volumes of claims go with their cluster, or stay if that is asked for; then the next step deletes them."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteResult, outcome
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, Account
from ansible_collections.kubeops.kops.tests.support.google import account as google_account
from ansible_collections.kubeops.kops.tests.support.google.account import PROJECT
from ansible_collections.kubeops.kops.tests.support.google.account import ZONES as GOOGLE_ZONES

ZONE = "us-east-1a"
CREATED_FOR = "kubernetes.io/created-for/"
CLAIM = {f"{CREATED_FOR}pvc/namespace": "default", f"{CREATED_FOR}pvc/name": "data", f"{CREATED_FOR}pv/name": "pvc-1"}


def next_steps(result: DeleteResult) -> list[str]:
    return list(outcome(result, NAME, check=False).next_steps)


def claimed_in_aws(account: Account) -> str:
    """A volume that the driver of EBS has made for a claim, and attached to an instance."""
    ec2 = account.client("ec2")
    tags = {
        **CLAIM,
        "CSIVolumeName": "pvc-1",
        "ebs.csi.aws.com/cluster": "true",
        f"kubernetes.io/cluster/{NAME}": "owned",
    }
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    specification = {"ResourceType": "volume", "Tags": listed}
    volume = ec2.create_volume(AvailabilityZone=ZONE, Size=1, TagSpecifications=[specification])["VolumeId"]
    filters = [
        {"Name": "tag:k8s.io/role/node", "Values": ["1"]},
        {"Name": "instance-state-name", "Values": ["running"]},
    ]
    (reservation,) = ec2.describe_instances(Filters=filters)["Reservations"]
    ec2.attach_volume(VolumeId=volume, InstanceId=reservation["Instances"][0]["InstanceId"], Device="/dev/xvdba")
    return str(volume)


def volumes(account: Account) -> list[str]:
    """Those of the cluster; moto does not end an instance's own."""
    filters = [{"Name": f"tag:kubernetes.io/cluster/{NAME}", "Values": ["owned"]}]
    return [each["VolumeId"] for each in account.client("ec2").describe_volumes(Filters=filters)["Volumes"]]


def test_volumes_of_ebs_stay_until_they_are_deleted_by_themselves(account: Account) -> None:
    before = account.inventory()
    account.create(zones=[ZONE])
    account.update()
    volume = claimed_in_aws(account)
    (going,) = (each for each in account.delete(check=True).resources if each["id"] == volume)
    assert going["claim"] == "default/data"
    planned = account.delete(check=True, keep_claims=True)
    assert [each["id"] for each in planned.kept] == [volume]
    assert volume not in [each["id"] for each in planned.resources]
    done = account.delete(keep_claims=True)
    assert (done.kept, done.resources != [], account.stored()) == (planned.kept, True, {})
    assert volumes(account) == [volume]
    assert next_steps(done)[0] == (
        "kubeops.kops.delete_cluster -e kops_external=true -e kops_cloud=aws -e kops_region=us-east-1"
        " deletes the volumes of its claims, too"
    )
    external: dict[str, Any] = {"external": True, "cloud": "aws", "place": Place("us-east-1")}
    again = account.delete(keep_claims=True, **external)
    assert (again.changed, again.kept) == (False, planned.kept)
    assert account.delete(**external).changed
    assert account.inventory() == before


def test_a_cluster_may_be_made_again_beside_volumes_that_were_kept(account: Account) -> None:
    account.create(zones=[ZONE])
    account.update()
    volume = claimed_in_aws(account)
    account.delete(keep_claims=True)
    account.create(zones=[ZONE])
    account.update()
    assert not account.update().changed
    account.delete(keep_claims=True)
    assert volumes(account) == [volume]


def test_persistent_disks_stay_until_they_are_deleted_by_themselves(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with google_account.running(tmp_path) as account:
        for name, value in account.environment.items():
            monkeypatch.setenv(name, value)
        account.create()
        account.update()
        path = f"{PROJECT}/zones/{GOOGLE_ZONES[0]}/disks/pvc-1"
        account.apis.objects.found[path] = {
            "name": "pvc-1",
            "description": json.dumps({**CLAIM, "storage.gke.io/created-by": "pd.csi.storage.gke.io"}),
            "labels": {"k8s-io-cluster-name": NAME.replace(".", "-")},
        }
        planned = account.delete(check=True, keep_claims=True)
        assert planned.kept == [
            {"kind": "disk", "id": f"{GOOGLE_ZONES[0]}/pvc-1", "name": "pvc-1", "claim": "default/data"}
        ]
        done = account.delete(keep_claims=True)
        assert (done.kept, account.inventory()) == (planned.kept, {"disks": ["pvc-1"]})
        place = f"-e kops_cloud=gce -e kops_region=us-test1 -e kops_project={PROJECT}"
        assert f"kops_external=true {place} deletes the volumes" in next_steps(done)[0]
        account.delete(external=True, cloud="gce", place=Place("us-test1", PROJECT))
        assert account.inventory() == {}
