# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster, instancegroup, replace and their _info, as a user runs them."""

from __future__ import annotations

import pathlib

import boto3
import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import Lease
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path

NAME = "demo.example.com"


@pytest.fixture
def manifests(golden) -> list[str]:
    """A Cluster and its InstanceGroups that kops itself takes."""
    text = (golden / "update_cluster" / "minimal-aws" / "in-v1alpha2.yaml").read_text()
    text = text.replace("minimal-aws.example.com", NAME)
    # A cloud whose instances need not read the store, which is a directory here.
    text = text.replace("cloudProvider: aws", "cloudProvider: scaleway")
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("  configBase:")]
    return [each for each in "".join(lines).split("\n---\n") if each.strip()]


@pytest.fixture
def spec(manifests: list[str]) -> dict:
    return yaml.safe_load(manifests[0])["spec"]


@pytest.fixture
def group() -> dict:
    return {
        "role": "Node",
        "image": "ubuntu",
        "machineType": "t3.large",
        "minSize": 1,
        "maxSize": 1,
        "subnets": ["us-test-1a"],
    }


def test_twice_with_a_real_ansible(ansible, spec: dict, group: dict, store: pathlib.Path, tree) -> None:
    first = ansible.adhoc("cluster", spec=spec, labels={"team": "x"})
    assert [(each["kind"], each["name"], each["action"]) for each in first["plan"]] == [("Cluster", NAME, "create")]
    assert f"+++ after: {NAME}: Cluster/{NAME}" in first["output"]
    assert ansible.adhoc("instancegroup", name="nodes", spec=group)["changed"]
    assert sorted(tree()) == [f"{NAME}/config", f"{NAME}/igconfig/lease.json", f"{NAME}/instancegroup/nodes"]
    written = tree()
    assert not ansible.adhoc("cluster", spec=spec, labels={"team": "x"}, name="", state_store="")["changed"]
    assert not ansible.adhoc("instancegroup", name="nodes", spec=group)["changed"]
    assert tree() == written
    found = ansible.adhoc("cluster_info")
    assert found["names"] == [NAME]
    assert found["clusters"][0]["cluster"]["metadata"]["labels"] == {"team": "x"}
    assert found["clusters"][0]["cluster"]["spec"]["networkCIDR"] == spec["networkCIDR"]
    assert [each["metadata"]["name"] for each in yaml.safe_load_all(found["manifest"])] == [NAME, "nodes"]


def test_check_mode_writes_nothing(ansible, manifests: list[str], store: pathlib.Path) -> None:
    assert ansible("cluster", check=True, manifests=manifests)["changed"]
    assert not store.exists()


def test_manifests_in_and_out(ansible, manifests: list[str], tree) -> None:
    done = ansible.is_exact("cluster", manifests=manifests)
    assert [(each["kind"], each["action"]) for each in done["plan"]] == [
        ("Cluster", "create"),
        ("InstanceGroup", "create"),
        ("InstanceGroup", "create"),
    ]
    assert ansible("cluster_info", name=NAME, cluster_name="default.example.com")["names"] == [NAME]
    found = ansible("cluster_info", full=True)
    assert found["clusters"][0]["completed"] is None
    assert len(found["clusters"][0]["instancegroups"]) == 2
    before = tree()
    assert not ansible("cluster", manifests=[found["manifest"]])["changed"]
    assert tree() == before


def test_a_cluster_that_has_to_be_there(ansible, manifests: list[str]) -> None:
    assert "; it has no clusters; check its name" in ansible.fails("cluster_info", required=True)
    ansible("cluster", manifests=manifests)
    message = ansible.fails("cluster_info", name="other.example.com", required=True)
    assert message.startswith("there is no cluster other.example.com in the state store (")
    assert f"; it has {NAME}; check its name" in message
    # Nothing is asked for by name.
    assert ansible("cluster_info", all=True, required=True)["names"] == [NAME]


def test_a_changed_cluster(ansible, spec: dict, tree) -> None:
    ansible("cluster", spec=spec)
    before = tree()
    spec["networking"] = {"kindnet": {}}
    predicted = ansible("cluster", check=True, spec=spec)
    (entry,) = predicted["plan"]
    assert (entry["action"], entry["after"]) == ("update", {"spec.networking.kindnet": {}, "spec.networking.cni": None})
    assert predicted["summary"]["update"] == 1
    assert f"~ Cluster/{NAME}\n" in predicted["plan_text"]
    assert tree() == before
    done = ansible.is_exact("cluster", spec=spec)
    (shown,) = done["diff"]
    assert shown["after_header"] == f"{NAME}: Cluster/{NAME}"
    assert "kindnet" in shown["after"]
    assert "kindnet" not in shown["before"]
    meta = ansible("cluster_info")["clusters"][0]["cluster"]["metadata"]
    assert meta["generation"] == 1


def test_removing_a_cluster(ansible, manifests: list[str], store: pathlib.Path) -> None:
    ansible("cluster", manifests=manifests)
    (store / NAME / "notes.txt").write_text("x")
    assert "not part of a cluster (notes.txt)" in ansible.fails("cluster", state="absent")
    (store / NAME / "notes.txt").unlink()
    ansible.is_exact("cluster", state="absent")
    assert not (store / NAME).exists()
    assert ansible("cluster_info")["clusters"] == []


def test_instance_groups(ansible, manifests: list[str], group: dict, tree) -> None:
    assert "there is no cluster demo.example.com" in ansible.fails("instancegroup", name="batch", spec=group)
    assert tree() == {}
    ansible("cluster", manifests=manifests)
    ansible.is_exact("instancegroup", name="batch", spec=group)
    written = yaml.safe_load(tree()[f"{NAME}/instancegroup/batch"])
    assert written["metadata"]["labels"] == {"kops.k8s.io/cluster": NAME}
    group["maxSize"] = 5
    ansible.is_exact("instancegroup", name="batch", spec=group)
    found = ansible("instancegroup_info", name=["batch", "no-such"])
    assert found["names"] == ["batch"]
    assert found["instancegroups"][0]["spec"]["maxSize"] == 5
    assert ansible("instancegroup_info")["names"] == ["batch", "master-us-test-1a", "nodes"]
    ansible.is_exact("instancegroup", name=["batch", "nodes"], state="absent")
    message = ansible.fails("instancegroup", name="master-us-test-1a", state="absent")
    assert f"- master-us-test-1a is all that cluster {NAME} has of a control plane" in message
    assert ansible("instancegroup_info")["names"] == ["master-us-test-1a"]


def test_a_group_that_holds_etcd_members_stays(ansible, manifests: list[str], spec: dict, group: dict, tree) -> None:
    names = ["master-us-test-1a", "second", "third"]
    for etcd in spec["etcdClusters"]:
        etcd["etcdMembers"] = [{"name": name[0], "instanceGroup": name} for name in names]
    ansible("cluster", spec=spec)
    for name in names:
        ansible("instancegroup", name=name, spec={**group, "role": "Master"})
    before = tree()
    for check in (True, False):
        message = ansible.fails("instancegroup", name="third", state="absent", check=check)
        for etcd in ("main", "events"):
            held = f"instance group third holds member t of etcd cluster {etcd}"
            assert f"- {held}: remove the member from spec.etcdClusters first" in message
    assert tree() == before
    for etcd in spec["etcdClusters"]:
        del etcd["etcdMembers"][1:]
    ansible("cluster", spec=spec)
    ansible.is_exact("instancegroup", name=["second", "third"], state="absent")


def test_several_instance_groups_at_once(ansible, manifests: list[str], group: dict) -> None:
    ansible("cluster", manifests=manifests)
    two = [
        {"apiVersion": "kops.k8s.io/v1alpha2", "kind": "InstanceGroup", "metadata": {"name": name}, "spec": group}
        for name in ("one", "two")
    ]
    done = ansible.is_exact("instancegroup", manifests=two)
    assert [each["name"] for each in done["plan"]] == ["one", "two"]


def test_replace(ansible, manifests: list[str], tmp_path: pathlib.Path, tree) -> None:
    directory = tmp_path / "git"
    (directory / "groups").mkdir(parents=True)
    (directory / "cluster.yaml").write_text(manifests[0])
    (directory / "groups" / "nodes.yml").write_text("---\n".join(manifests[1:]))
    (directory / "README.md").write_text("no manifest")
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDItmSdsVALsMghb4Zxl2sOkqoRTxKT/R84TqSkCdO9p"
    (directory / "key.json").write_text(
        '{"apiVersion": "kops.k8s.io/v1alpha2", "kind": "SSHCredential", "metadata": {"name": "admin", "labels":'
        f' {{"kops.k8s.io/cluster": "{NAME}"}}}}, "spec": {{"publicKey": "{key}"}}}}'
    )
    (directory / "namespace.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: extra\n")

    message = ansible.fails("replace", src=str(directory))
    assert message.count("does not exist; to create it, set force: true (kops_force=true in a playbook)") == 3
    assert tree() == {}
    done = ansible.is_exact("replace", src=str(directory), force=True)
    assert done["names"] == [NAME]
    assert {each["kind"] for each in done["plan"]} == {
        "Cluster",
        "InstanceGroup",
        "SSHCredential",
        "Namespace",
    }
    (directory / "groups" / "nodes.yml").write_text(manifests[1].replace("maxSize: 2", "maxSize: 4"))
    done = ansible.is_exact("replace", src=[str(directory / "groups"), str(directory / "cluster.yaml")])
    assert [(each["name"], each["action"]) for each in done["plan"]] == [("nodes", "update")]


def test_what_git_no_longer_has_is_pruned(ansible, manifests: list[str], tmp_path: pathlib.Path, tree) -> None:
    control_plane, nodes = sorted(manifests[1:], key=lambda text: "role: Node" in text)
    ansible("cluster", manifests=manifests)
    directory = tmp_path / "git"
    directory.mkdir()
    (directory / "cluster.yaml").write_text("---\n".join([manifests[0], control_plane]))
    before = tree()
    assert not ansible("replace", src=str(directory))["changed"]
    predicted = ansible("replace", src=str(directory), prune=True, check=True)
    assert tree() == before
    (entry,) = predicted["plan"]
    assert (entry["kind"], entry["name"], entry["action"]) == ("InstanceGroup", "nodes", "delete")
    assert "kind: InstanceGroup" in predicted["diff"][0]["before"]
    assert predicted["diff"][0]["after"] == ""
    assert "name: nodes\n" not in predicted["manifest"]
    done = ansible.is_exact("replace", src=str(directory), prune=True)
    assert done["plan"] == predicted["plan"]
    assert ansible("instancegroup_info")["names"] == ["master-us-test-1a"]
    (directory / "cluster.yaml").write_text("---\n".join([manifests[0], nodes]))
    before = tree()
    message = ansible.fails("replace", src=str(directory), prune=True, force=True)
    assert "all that cluster demo.example.com has of a control plane" in message
    assert "spec.etcdClusters" in message
    assert tree() == before


def test_all_problems_at_once_and_nothing_written(ansible, manifests: list[str], tmp_path: pathlib.Path, tree) -> None:
    broken = [yaml.safe_load(each) for each in manifests]
    broken[0]["spec"]["networkCIDR"] = "172.20.0.0/99"
    broken[1]["spec"]["minSize"] = 9
    broken[1]["spec"]["role"] = "Nodule"
    message = ansible.fails("cluster", manifests=broken)
    assert ": spec.networkCIDR: " in message
    assert f"instance group {broken[1]['metadata']['name']}" in message
    broken[0]["spec"]["netwrkCIDR"] = "x"
    assert "netwrkCIDR" in ansible.fails("cluster", manifests=broken)
    assert "cannot read" in ansible.fails("replace", src=str(tmp_path / "none.yaml"))
    assert "nothing is given to store" in ansible.fails("cluster")
    assert "is of cluster demo.example.com; what is given here must be of other.example.com" in ansible.fails(
        "cluster", manifests=manifests, name="other.example.com"
    )
    assert tree() == {}


def test_the_etcd_of_a_cluster_that_was_updated_stays(ansible, spec: dict, store: pathlib.Path, tree) -> None:
    ansible("cluster", spec=spec)
    (store / NAME / "cluster-completed.spec").write_text((store / NAME / "config").read_text())
    before = tree()
    spec["etcdClusters"][0]["etcdMembers"][0]["instanceGroup"] = "another"
    assert "etcdClusters" in ansible.fails("cluster", spec=spec)
    assert tree() == before


def test_a_writer_is_waited_for_and_named(ansible, spec: dict, store: pathlib.Path, tree) -> None:
    ansible("cluster", spec=spec)
    path = open_path(f"file://{store}/{NAME}/igconfig/lease.json")
    spec["networking"] = {"kindnet": {}}
    with Lease(path, "update cluster"):
        message = ansible.fails("cluster", spec=spec, lease_wait=0.5)
        assert "holds the lease for 'update cluster'" in message
        assert ansible("cluster", spec=spec, check=True)["changed"]
        assert ansible("cluster", spec=spec, lease_wait=0.5, break_lease=True)["changed"]


def test_a_corrupt_store_is_one_clear_error(ansible, spec: dict, store: pathlib.Path, tree) -> None:
    (store / NAME).mkdir(parents=True)
    (store / NAME / "config").write_text("spec: [broken")
    before = tree()
    for message in (ansible.fails("cluster", spec=spec), ansible.fails("cluster_info")):
        assert f"{NAME}/config" in message
    found = ansible("cluster_info", all=True)
    assert found["clusters"] == []
    assert "is left out" in str(found["warnings"])
    assert tree() == before


def test_no_store(ansible, spec: dict) -> None:
    ansible.environment["KOPS_STATE_STORE"] = ""
    assert "set state_store, or KOPS_STATE_STORE" in ansible.fails("cluster", spec=spec)
    assert "unknown scheme ftp://" in ansible.fails("cluster_info", state_store="ftp://x")
    ansible.environment["KOPS_CLUSTER_NAME"] = ""
    assert "needs a name" in ansible.fails("cluster", spec=spec, state_store="file:///nowhere")


def test_a_store_on_s3(ansible, manifests: list[str], s3_server: str) -> None:
    ansible.environment |= {
        "AWS_ENDPOINT_URL": s3_server,
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "KOPS_STATE_STORE": "s3://state-of-modules/prefix",
    }
    client = boto3.client(
        "s3", endpoint_url=s3_server, aws_access_key_id="x", aws_secret_access_key="x", region_name="us-east-1"
    )
    assert "the bucket state-of-modules does not exist" in ansible.fails("cluster", manifests=manifests)
    client.create_bucket(Bucket="state-of-modules")
    assert ansible("cluster", check=True, manifests=manifests)["changed"]
    assert "Contents" not in client.list_objects_v2(Bucket="state-of-modules")
    ansible.is_exact("cluster", manifests=manifests)
    assert ansible("cluster_info")["names"] == [NAME]

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        del ansible.environment[name]
    ansible.environment["AWS_EC2_METADATA_DISABLED"] = "true"
    assert "no AWS credentials found" in ansible.fails("cluster_info")


@pytest.mark.parametrize(("library", "shown"), [("boto3", "boto3"), ("yaml", "PyYAML")])
def test_a_missing_library_is_named(ansible, tmp_path: pathlib.Path, manifests: list[str], library, shown) -> None:
    absent = tmp_path / "absent"
    absent.mkdir()
    (absent / f"{library}.py").write_text(f"raise ModuleNotFoundError('none', name={library!r})")
    ansible.environment["PYTHONPATH"] = str(absent)
    address = {"state_store": "s3://bucket"} if library == "boto3" else {}
    message = ansible.fails("cluster", manifests=manifests, **address)
    assert shown in message
    assert "Python library" in message
