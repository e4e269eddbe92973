# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance templates and managed groups, and the accounts and disks that instances use."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.zones import split
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Lifecycle
from ansible_collections.kubeops.kops.plugins.module_utils.model.phases import layers

SCOPE = "https://www.googleapis.com/auth/"


def template(tasks, group="nodes"):
    return tasks[f"InstanceTemplate/{group}-demo-example-com"]


@pytest.mark.parametrize(
    ("count", "parts", "sizes"), [(3, 2, [2, 1]), (0, 2, [0, 0]), (4, 2, [2, 2]), (1, 3, [1, 0, 0])]
)
def test_instances_are_spread_over_zones(count, parts, sizes):
    assert split(count, parts) == sizes


def test_one_managed_group_for_each_zone(model, of_kind):
    tasks = model(groups={"nodes": {"zones": ["us-east1-c", "us-east1-b"], "minSize": 3}})
    managers = of_kind(tasks, "InstanceGroupManager")
    assert {name: manager.target_size for name, manager in managers.items()} == {
        "b-control-plane": 1,
        "b-nodes": 2,
        "c-nodes": 1,
    }
    assert {manager.instance_template for name, manager in managers.items() if "nodes" in name} == {template(tasks)}


def test_bounds_are_spread_over_zones_as_instances_are(model, of_kind):
    tasks = model(groups={"nodes": {"zones": ["us-east1-c", "us-east1-b"], "minSize": 3, "maxSize": 8}})
    managers = of_kind(tasks, "InstanceGroupManager")
    assert {name: managers[name].bounds for name in ("b-nodes", "c-nodes")} == {"b-nodes": (2, 4), "c-nodes": (1, 4)}


LEFT = "RemovedInstanceGroups/demo.example.com"


def test_what_is_left_of_groups_is_told_from_those_that_are_there(model):
    left = model(groups={"nodes": {"zones": ["us-east1-c", "us-east1-b"]}})[LEFT]
    assert left.managers == {
        "control-plane": ["b-control-plane-demo-example-com"],
        "nodes": ["b-nodes-demo-example-com", "c-nodes-demo-example-com"],
    }


@pytest.mark.parametrize(
    ("more", "lifecycle"),
    [
        ({}, "Sync"),
        ({"layers": layers("network")}, "Ignore"),
        ({"lifecycle_overrides": {"InstanceGroupManager": Lifecycle.IGNORE}}, "Ignore"),
        ({"lifecycle_overrides": {"InstanceTemplate": Lifecycle.IGNORE}}, "Ignore"),
        ({"lifecycle_overrides": {"RemovedInstanceGroups": Lifecycle.IGNORE}}, "Ignore"),
    ],
)
def test_what_is_left_is_written_by_the_phase_of_groups(model, more, lifecycle):
    assert model(**more)[LEFT].lifecycle.value == lifecycle


def test_of_chosen_groups_only_their_own_objects_are_made(model):
    """Backends name the others, which are looked up for that."""
    fields = {"api": {"loadBalancer": {"type": "Internal"}}}
    everything, chosen = model(fields), model(fields, chosen=frozenset({"nodes"}))
    missing = {key for key in everything if key not in chosen}
    assert {key for key in missing if not key.startswith("ContentAddressedFile/")} == {
        LEFT,
        "InstanceTemplate/control-plane-demo-example-com",
    }
    other = chosen["InstanceGroupManager/b-control-plane-demo-example-com"]
    assert other.is_ignored
    assert other in chosen["BackendService/api-demo-example-com"].instance_group_managers
    assert not chosen["InstanceGroupManager/b-nodes-demo-example-com"].is_ignored


def test_group_in_several_subnets_is_refused(model):
    subnets = [
        {"name": name, "region": "us-east1", "type": "Public", "cidr": cidr}
        for name, cidr in (("a", "10.0.0.0/24"), ("b", "10.0.1.0/24"))
    ]
    groups = {name: {"subnets": ["a", "b"]} for name in ("control-plane", "nodes")}
    with pytest.raises(KopsError, match="one subnet"):
        model({"networking.subnets": subnets}, groups)


def test_group_without_zones_is_refused(model):
    with pytest.raises(KopsError, match="names no zones"):
        model(groups={"nodes": {"zones": []}})


def test_role_that_is_not_possible_is_refused(model):
    with pytest.raises(KopsError, match="role Scheduler is not possible"):
        model(groups={"more": {"role": "Scheduler"}})


def test_metadata_says_who_the_instance_is(model):
    tasks = model(ssh_public_keys=["ssh-ed25519 one\n", "ssh-ed25519 two"])
    metadata = template(tasks).metadata
    assert metadata["cluster-name"] == "demo.example.com"
    assert metadata["kops-k8s-io-instance-group-name"] == "nodes"
    assert metadata["ssh-keys"] == "ubuntu: ssh-ed25519 one\nubuntu: ssh-ed25519 two"
    assert str(metadata["user-data"]).startswith("#!/bin/bash\n")
    assert metadata["kube-env"] == "AUTOSCALER_ENV_VARS: os_distribution=ubuntu;arch=amd64;os=linux"
    assert "kube-env" not in template(tasks, "control-plane").metadata


def test_metadata_for_other_images_and_ways(model):
    fields = {"cloudProvider": {"gce": {"project": "my-project", "useStartupScript": True}}}
    groups = {
        "nodes": {
            "image": "cos-cloud/cos-stable",
            "nodeLabels": {"b": "2", "a": "1"},
            "taints": ["x=y:NoSchedule", "z:NoExecute"],
        }
    }
    nodes = template(model(fields, groups))
    assert "user-data" not in nodes.metadata
    assert str(nodes.metadata["startup-script"]).startswith("#!")
    assert nodes.metadata["ssh-keys"].startswith("admin: ssh-ed25519 ")
    assert nodes.metadata["kube-env"] == (
        "AUTOSCALER_ENV_VARS: os_distribution=cos;arch=amd64;os=linux;node_labels=a=1,b=2;"
        "node_taints=x=y:NoSchedule,z:NoExecute"
    )
    taint = "k8s.io/cluster-autoscaler/node-template/taint/"
    assert nodes.labels_in_terraform == {f"{taint}x": "y:NoSchedule", f"{taint}z": ":NoExecute"}


def test_bastion_has_an_address_and_no_script(model):
    subnets = [{"name": "us-east1", "region": "us-east1", "type": "Private", "cidr": "10.0.16.0/20"}]
    tasks = model({"networking.subnets": subnets}, {"bastions": {"role": "Bastion"}})
    bastion, nodes = template(tasks, "bastions"), template(tasks)
    assert (bastion.has_external_ip, nodes.has_external_ip) == (True, False)
    assert bastion.boot_disk_size_gb == 32
    assert "user-data" not in bastion.metadata
    assert bastion.service_accounts[0].name == "bastion"
    hidden = model({"networking.subnets": subnets}, {"bastions": {"role": "Bastion", "associatePublicIP": False}})
    assert not template(hidden, "bastions").has_external_ip


def test_root_disk_is_as_asked_for(model):
    volume = {"size": 40, "type": "hyperdisk-balanced", "iops": 6000, "throughput": 1000}
    nodes = template(model(groups={"nodes": {"rootVolume": volume}}))
    assert nodes.boot_disk_size_gb == 40
    assert (nodes.boot_disk_type, nodes.boot_disk_iops, nodes.boot_disk_throughput) == (
        "hyperdisk-balanced",
        6000,
        1000,
    )


@pytest.mark.parametrize(
    ("group", "wanted"),
    [
        ({}, ("MIGRATE", True, False, "STANDARD")),
        ({"gcpProvisioningModel": "SPOT"}, ("TERMINATE", False, True, "SPOT")),
        ({"machineType": "a3-highgpu-8g"}, ("TERMINATE", True, False, "STANDARD")),
        (
            {"guestAccelerators": [{"acceleratorCount": 1, "acceleratorType": "nvidia-tesla-t4"}]},
            ("TERMINATE", True, False, "STANDARD"),
        ),
    ],
)
def test_instances_that_cannot_move_are_ended(model, group, wanted):
    scheduling = template(model(groups={"nodes": group})).scheduling
    assert (
        scheduling.on_host_maintenance,
        scheduling.automatic_restart,
        scheduling.preemptible,
        scheduling.provisioning_model,
    ) == wanted


def test_scopes_follow_the_role(model):
    tasks = model()
    assert template(tasks).scopes[-1] == f"{SCOPE}devstorage.read_only"
    assert template(tasks, "control-plane").scopes[-2:] == [
        f"{SCOPE}devstorage.read_write",
        f"{SCOPE}ndev.clouddns.readwrite",
    ]


def test_accounts_of_roles_and_what_they_may_do(model, of_kind):
    tasks = model(groups={"front": {"role": "APIServer"}})
    accounts = of_kind(tasks, "ServiceAccount")
    assert accounts.keys() == {"control-plane", "node"}
    assert accounts["node"].email == "node-demo-example-com@my-project.iam.gserviceaccount.com"
    assert template(tasks, "front").service_accounts == [accounts["control-plane"]]
    (binding,) = of_kind(tasks, "ProjectIAMBinding").values()
    assert (binding.role, binding.member_service_account) == ("roles/container.serviceAgent", accounts["control-plane"])
    (access,) = of_kind(tasks, "StorageBucketIAM").values()
    assert (access.name, access.role) == ("objectadmin-store-serviceaccount-controlplane", "roles/storage.objectAdmin")
    assert access.lifecycle is Lifecycle.WARN_IF_INSUFFICIENT_ACCESS


def test_store_in_another_bucket_than_the_backups_is_read(model, of_kind):
    tasks = model({"configStore.base": "gs://other/demo.example.com"})
    roles = {access.bucket: access.role for access in of_kind(tasks, "StorageBucketIAM").values()}
    assert roles == {"store": "roles/storage.objectAdmin", "other": "roles/storage.objectViewer"}
    ignored = of_kind(model(layers=layers("network")), "StorageBucketIAM").values()
    assert {access.lifecycle for access in ignored} == {Lifecycle.IGNORE}


def test_given_account_is_used_and_given_nothing(model, of_kind):
    email = "mine@my-project.iam.gserviceaccount.com"
    tasks = model({"cloudProvider": {"gce": {"project": "my-project", "serviceAccount": email}}})
    (account,) = of_kind(tasks, "ServiceAccount").values()
    assert (account.name, account.email, account.shared) == ("shared", email, True)
    assert not {*of_kind(tasks, "ProjectIAMBinding"), *of_kind(tasks, "StorageBucketIAM")}


def test_old_way_of_bucket_rights_is_refused(model):
    with pytest.raises(KopsError, match="GoogleCloudBucketACL"):
        model(features=frozenset({"GoogleCloudBucketACL"}))


def test_disks_of_etcd(model, of_kind):
    disks = of_kind(model(), "Disk")
    assert disks.keys() == {"b-etcd-main", "b-etcd-events"}
    main = disks["b-etcd-main"]
    assert (main.size_gb, main.volume_type, main.zone) == (20, "pd-ssd", "us-east1-b")
    assert main.labels == {
        "k8s-io-cluster-name": "demo-example-com",
        "k8s-io-etcd-main": "b-2fb",
        "k8s-io-role-master": "master",
    }
    with pytest.raises(KopsError, match="exactly one zone"):
        model(groups={"control-plane": {"zones": ["us-east1-b", "us-east1-c"]}})
