# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""etcd volumes and the SSH key pair."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.cloud import from_tags
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.ebs_volume import EBSVolume
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.ssh_key import SSHKey
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import PlanError

CLUSTER = "demo.example.com"
TAG = f"kubernetes.io/cluster/{CLUSTER}"


@pytest.fixture(scope="session")
def keys() -> dict[str, str]:
    """A public key of each kind that EC2 takes."""
    asymmetric = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    private = {"rsa": asymmetric.generate_private_key(65537, 2048), "ed25519": Ed25519PrivateKey.generate()}
    return {
        kind: key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode() + " someone@home"
        for kind, key in private.items()
    }


def owned(name: str, **more: str) -> dict[str, str]:
    return {"Name": name, "KubernetesCluster": CLUSTER, TAG: "owned", **more}


def volume(**change) -> EBSVolume:
    name = f"a.etcd-main.{CLUSTER}"
    wanted = {
        "availability_zone": "us-east-1a",
        "size_gb": 20,
        "volume_type": "gp3",
        "volume_iops": 3000,
        "volume_throughput": 125,
        "encrypted": False,
        "tags": owned(name, **{"k8s.io/etcd/main": "a/a"}),
    }
    return EBSVolume(name, **{**wanted, **change})


def test_a_volume_is_made_once_and_read_in_one_call(run, calls):
    first = volume()
    assert run([first]).actions == {first.key: "create"}
    calls.clear()
    assert run([volume()]).actions == {}
    assert calls == ["ec2.DescribeVolumes"]


def test_a_volume_that_was_deleted_is_not_taken_for_ours(run, cloud):
    first = volume()
    run([first])
    cloud.client("ec2").delete_volume(VolumeId=first.id)
    second = volume()
    assert run([second]).actions == {second.key: "create"}
    assert second.id != first.id


def test_a_volume_grows_and_gets_faster_in_one_call(run, calls):
    run([volume()])
    calls.clear()
    changed = run([volume(size_gb=30, volume_iops=4000)])
    (changes,) = changed.changes.values()
    assert {name: (change.before, change.after) for name, change in changes.items()} == {
        "size_gb": (20, 30),
        "volume_iops": (3000, 4000),
    }
    assert calls.writes == ["ec2.ModifyVolume"]


def test_members_of_the_etcd_cluster_are_told_in_the_tags(run, cloud):
    run([volume()])
    grown = {"tags": owned(f"a.etcd-main.{CLUSTER}", **{"k8s.io/etcd/main": "a/a,b,c"})}
    assert list(run([volume(**grown)]).actions.values()) == ["update"]
    assert run([volume(**grown)]).actions == {}
    (found,) = cloud.client("ec2").describe_volumes()["Volumes"]
    assert from_tags(found["Tags"])["k8s.io/etcd/main"] == "a/a,b,c"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"size_gb": 10}, "20 GiB and cannot shrink to 10"),
        ({"availability_zone": "us-east-1b"}, "availability_zone: us-east-1a -> us-east-1b"),
        ({"encrypted": True}, "encrypted"),
    ],
)
def test_what_a_volume_cannot_become_is_refused(run, calls, change, said):
    run([volume()])
    calls.clear()
    with pytest.raises(PlanError, match=said):
        run([volume(**change)])
    assert calls.writes == []


def test_an_encrypted_volume_where_none_was_asked_for_is_good_enough(run):
    run([volume(encrypted=True)])
    assert run([volume(encrypted=False)]).actions == {}


@pytest.mark.parametrize("spelling", ["arn", "id", "alias/etcd"])
def test_a_key_is_the_same_by_arn_id_and_alias(run, cloud, spelling):
    kms = cloud.client("kms")
    key = kms.create_key()["KeyMetadata"]
    kms.create_alias(AliasName="alias/etcd", TargetKeyId=key["KeyId"])
    wanted = {"arn": key["Arn"], "id": key["KeyId"]}.get(spelling, spelling)
    run([volume(encrypted=True, kms_key_id=key["Arn"])])
    assert run([volume(encrypted=True, kms_key_id=wanted)]).actions == {}


def test_another_key_is_refused(run, cloud):
    kms = cloud.client("kms")
    first, second = (kms.create_key()["KeyMetadata"]["Arn"] for _number in range(2))
    run([volume(encrypted=True, kms_key_id=first)])
    with pytest.raises(PlanError, match="kms_key_id"):
        run([volume(encrypted=True, kms_key_id=second)])


def key_pair(public_key: str, **change) -> SSHKey:
    name = f"kubernetes.{CLUSTER}-c4:a6:ed"
    return SSHKey(name, **{"public_key": public_key, "shared": False, "tags": owned(CLUSTER), **change})


@pytest.mark.parametrize("kind", ["rsa", "ed25519"])
def test_a_key_pair_is_imported_once(run, cloud, calls, keys, kind):
    first = key_pair(keys[kind])
    assert run([first]).actions == {first.key: "create"}
    calls.clear()
    again = key_pair(keys[kind])
    assert run([again]).actions == {}
    assert calls == ["ec2.DescribeKeyPairs"]
    assert again.id == first.id
    (pair,) = cloud.client("ec2").describe_key_pairs()["KeyPairs"]
    assert from_tags(pair["Tags"])[TAG] == "owned"


def test_the_comment_of_a_key_does_not_matter_and_the_key_does(run, keys):
    run([key_pair(keys["rsa"])])
    assert run([key_pair(keys["rsa"].replace("someone@home", "else@where"))]).actions == {}
    with pytest.raises(PlanError, match="public_key"):
        run([key_pair(keys["ed25519"])])


def test_tags_of_a_key_pair_follow(run, calls, keys):
    run([key_pair(keys["rsa"])])
    changed = key_pair(keys["rsa"], tags=owned(CLUSTER, cost="7"))
    calls.clear()
    assert run([changed]).actions == {changed.key: "update"}
    assert calls.writes == ["ec2.CreateTags"]


def test_a_key_pair_of_the_users_own_is_used_as_it_is(run, cloud, calls, keys):
    cloud.client("ec2").import_key_pair(KeyName="mine", PublicKeyMaterial=keys["rsa"].encode())
    calls.clear()
    assert run([SSHKey("mine", shared=True, tags=owned(CLUSTER))]).actions == {}
    assert calls.writes == []


def test_a_key_pair_of_the_users_own_that_is_not_there(run):
    with pytest.raises(PlanError, match="SSHKey/mine: the cluster is to use an existing key pair"):
        run([SSHKey("mine", shared=True)])
