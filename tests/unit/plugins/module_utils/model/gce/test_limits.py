# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Google Cloud would refuse of names, types, sizes and labels is refused before anything is stored."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError, ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.model.gce import limits
from ansible_collections.kubeops.kops.plugins.module_utils.operations.refused import refused

CLUSTER: dict[str, Any] = {
    "cloudProvider": {"gce": {"project": "my-project"}},
    "networking": {"subnets": [{"name": "us-east1", "region": "us-east1", "type": "Public", "cidr": "10.0.16.0/20"}]},
    "etcdClusters": [{"name": "main", "etcdMembers": [{"name": "b", "instanceGroup": "nodes"}]}],
}
GROUP: dict[str, Any] = {
    "role": "Node",
    "subnets": ["us-east1"],
    "zones": ["us-east1-b"],
    "image": "ubuntu-os-cloud/ubuntu-2404",
    "machineType": "e2-medium",
}


def put(spec: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = path.split(".")
    place: Any = spec
    for key in parents:
        place = place[int(key)] if isinstance(place, list) else place.setdefault(key, {})
    place[int(last) if isinstance(place, list) else last] = value


def problems(
    cluster: dict[str, Any] | None = None,
    group: dict[str, Any] | None = None,
    *,
    name: str = "demo.example.com",
    group_name: str = "nodes",
) -> list[str]:
    specs = copy.deepcopy((CLUSTER, GROUP))
    for spec, changes in zip(specs, (cluster or {}, group or {})):
        for path, value in changes.items():
            put(spec, path, value)
    documents = [
        {"apiVersion": "kops.k8s.io/v1alpha3", "kind": "Cluster", "metadata": {"name": name}, "spec": specs[0]},
        {
            "apiVersion": "kops.k8s.io/v1alpha3",
            "kind": "InstanceGroup",
            "metadata": {"name": group_name, "labels": {"kops.k8s.io/cluster": name}},
            "spec": specs[1],
        },
    ]
    found, *groups = manifest.load(yaml.safe_dump_all(documents), source="test")
    return [problem.path for problem in refused(found, groups)]


@pytest.mark.parametrize(
    ("path", "good", "bad"),
    [
        (
            "cloudProvider.gce.project",
            ("testproject", "example.com:old", "p-23456"),
            ("MyProject", "short", "a_project", "-project", "project-", "p" * 31, "a project"),
        ),
        (
            "cloudProvider.gce.serviceAccount",
            ("default", "a@my-project.iam.gserviceaccount.com", "123-compute@developer.gserviceaccount.com"),
            ("nodes", "nodes@project", "a b@x.com"),
        ),
        ("networking.networkID", ("default", "my-project/net"), ("Net", "a b", "my-project/x/net", "my-project/")),
        ("networking.subnets.0.id", ("nodes",), ("My Subnet", "projects/x/y")),
        ("networking.subnets.0.cidr", ("10.0.0.0/29",), ("10.0.0.0/30",)),
        ("etcdClusters.0.etcdMembers.0.volumeType", ("pd-ssd", "hyperdisk-balanced"), ("gp3",)),
        ("etcdClusters.0.etcdMembers.0.volumeSize", (65536,), (65537,)),
        ("cloudLabels", ({"team": "a"}, {}), ({"t" * 64: "a"}, {"t": "a" * 64}, {"goog-x": "a"})),
        ("cloudLabels", ({f"l{n}": "" for n in range(64)},), ({f"l{n}": "" for n in range(65)},)),
    ],
)
def test_fields_of_a_cluster(path: str, good: tuple[Any, ...], bad: tuple[Any, ...]) -> None:
    assert [problems({path: value}) for value in good] == [[]] * len(good)
    for value in bad:
        (told,) = problems({path: value})
        assert told.replace("[", ".").replace("]", "") == f"spec.{path}", value


@pytest.mark.parametrize(
    ("path", "good", "bad"),
    [
        ("machineType", ("n1-standard-1", "custom-2-4096", "n2-custom-4-5120-ext"), ("t3.medium", "E2-medium", "a b")),
        ("image", ("debian-12", "cos-cloud/cos-stable", "example.com:old/image"), ("ami 1", "a/b/c", "Debian")),
        ("rootVolume.type", ("pd-balanced", "hyperdisk-extreme"), ("gp3", "ssd")),
        ("rootVolume.size", (64,), (70000,)),
        ("zones.0", ("us-east1-d",), ("us-west1-a", "nowhere")),
        ("minSize", (0, 3), (-1,)),
        ("maxSize", (0, 3), (-1,)),
        ("cloudLabels", ({"team": "a"},), ({"t" * 64: "a"},)),
        (
            "guestAccelerators",
            ([{"acceleratorCount": 1, "acceleratorType": "nvidia-tesla-t4"}],),
            ([{"acceleratorCount": 1, "acceleratorType": "Tesla T4"}],),
        ),
    ],
)
def test_fields_of_a_group(path: str, good: tuple[Any, ...], bad: tuple[Any, ...]) -> None:
    assert [problems(group={path: value}) for value in good] == [[]] * len(good)
    for value in bad:
        (told,) = problems(group={path: value})
        assert told.replace("[", ".").replace("]", "").startswith(f"spec.{path}"), value


def test_names_of_clusters_and_groups() -> None:
    assert problems(group_name="n" * 58) == []
    for name in ("n" * 59, "1nodes", "nodes.a", "n-"):
        assert set(problems(group_name=name)) <= {"metadata.name"}, name
    assert problems(group_name="nodes.a") == problems(name="1demo.example.com") == ["metadata.name"]
    # A name that no cloud takes is told once, by the rule for all.
    assert problems(group_name="Nodes") == []


def test_names_that_are_made_of_others_are_looked_at_last(model) -> None:
    member = {"name": "B_b", "instanceGroup": "control-plane"}
    backups = {"backupStore": "gs://store/demo.example.com/backups/etcd/main"}
    etcd = [{"name": "main", "version": "3.5.21", "etcdMembers": [member], "backups": backups}]
    with pytest.raises(ValidationError, match="Disk B_b-etcd-main-demo-example-com: the name would be"):
        model({"etcdClusters": etcd})


def test_metadata_has_a_size(model) -> None:
    text = "x" * limits.MOST_VALUE
    more = [{"name": "a.sh", "type": "text/x-shellscript", "content": text}]
    with pytest.raises(KopsError, match="its metadata user-data would have .* bytes; Google Cloud takes 262144"):
        model(groups={"nodes": {"additionalUserData": more}})


def test_what_google_takes_as_no_label_is_for_terraform_alone_and_a_warning(model) -> None:
    given = {"Team": "a", "fine": "a_b-1", "place": "Room 1"}
    tasks = model({"cloudLabels": given}, {"nodes": {"taints": ["dedicated=gpu:NoSchedule"]}})
    (template,) = (task for key, task in tasks.items() if key.startswith("InstanceTemplate/nodes"))
    assert template.labels["fine"] == "a_b-1"
    assert template.labels_in_terraform == {
        "Team": "a",
        "place": "Room 1",
        "k8s.io/cluster-autoscaler/node-template/taint/dedicated": "gpu:NoSchedule",
    }
    assert not set(template.labels_in_terraform) & set(template.labels)
    assert [doubt.partition(":")[2] for doubt in template.doubts_when_rendered] == [
        " Google Cloud will refuse the labels Team=a, k8s.io/cluster-autoscaler/node-template/taint/dedicated="
        "gpu:NoSchedule, place=Room 1, which kops writes, too"
    ]
