# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""set and unset of cluster and instancegroup, as a user runs them."""

from __future__ import annotations

import pytest
import yaml

NAME = "demo.example.com"
GROUP = f"{NAME}/instancegroup/nodes"


@pytest.fixture
def stored(golden, ansible, tree):
    """A stored cluster with two groups; what the store holds then."""
    text = (golden / "update_cluster" / "minimal-aws" / "in-v1alpha2.yaml").read_text()
    # A cloud whose instances need not read the store, which is a directory.
    text = text.replace("minimal-aws.example.com", NAME).replace("cloudProvider: aws", "cloudProvider: scaleway")
    ansible("cluster", manifests=["".join(line for line in text.splitlines(True) if "configBase" not in line)])
    return tree()


def spec(tree, file: str = GROUP) -> dict:
    return yaml.safe_load(tree()[file])["spec"]


def test_a_group_is_scaled_with_a_real_ansible(ansible, stored, tree) -> None:
    done = ansible.adhoc_text("instancegroup", "name=nodes set=spec.minSize=3,spec.maxSize=4")
    (entry,) = done["plan"]
    assert (entry["kind"], entry["name"], entry["action"]) == ("InstanceGroup", "nodes", "update")
    assert entry["before"] == {"spec.minSize": 2, "spec.maxSize": 2}
    assert entry["after"] == {"spec.minSize": 3, "spec.maxSize": 4}
    assert "  [1/1] stored InstanceGroup/nodes\n  Done: 0 created, 1 changed, 0 deleted\n" in done["output"]
    assert "\n  Next: kubeops.kops.update_cluster\n" in done["output"]
    assert "-  maxSize: 2\n" in done["output"]
    assert "+  maxSize: 4\n" in done["output"]
    before = yaml.safe_load(stored[GROUP])["spec"]
    assert spec(tree) == {**before, "minSize": 3, "maxSize": 4}
    changed = {name for name, text in tree().items() if text != stored.get(name)}
    assert changed == {GROUP, f"{NAME}/igconfig/lease.json"}
    written = tree()
    assert not ansible.adhoc_text("instancegroup", "name=nodes set=spec.minSize=3,spec.maxSize=4 unset=")["changed"]
    assert tree() == written


def test_several_groups_at_once(ansible, stored, tree) -> None:
    names = ["nodes", "master-us-test-1a"]
    predicted = ansible("instancegroup", check=True, name=names, set=["spec.machineType=m5.xlarge"])
    assert tree() == stored
    done = ansible.is_exact("instancegroup", name=names, set=["spec.machineType=m5.xlarge"])
    without_time = [{key: str(value) for key, value in each.items()} for each in done["diff"]]
    assert without_time == [{key: str(value) for key, value in each.items()} for each in predicted["diff"]]
    assert [each["name"] for each in done["plan"]] == names
    assert spec(tree)["machineType"] == "m5.xlarge"
    ansible.is_exact("instancegroup", name="nodes", unset=["spec.machineType"])
    assert "machineType" not in spec(tree)


def test_what_would_be_stored(ansible, stored) -> None:
    predicted = ansible("instancegroup", check=True, name="nodes", set=["spec.maxSize=6"])
    cluster, *groups = yaml.safe_load_all(predicted["manifest"])
    assert (cluster["kind"], cluster["metadata"]["name"]) == ("Cluster", NAME)
    assert [group["metadata"]["name"] for group in groups] == ["master-us-test-1a", "nodes"]
    assert groups[1]["spec"]["maxSize"] == 6
    assert groups[1]["metadata"]["generation"] == 1
    assert "manifest" not in ansible("instancegroup", name="nodes", set=["spec.maxSize=6"])


def test_a_cluster(ansible, stored, tree) -> None:
    config = f"{NAME}/config"
    sets = ["spec.kubernetesVersion=1.34.1", "spec.sshAccess=10.0.0.0/8,192.0.2.0/24", "spec.cloudLabels=team=x"]
    done = ansible.is_exact("cluster", set=sets, unset=["spec.sshAccess"])
    assert [(each["kind"], each["action"]) for each in done["plan"]] == [("Cluster", "update")]
    found = spec(tree, config)
    assert found["kubernetesVersion"] == "1.34.1"
    assert found["sshAccess"] == ["10.0.0.0/8", "192.0.2.0/24"]
    assert found["cloudLabels"] == {"team": "x"}
    # A list keeps what it has, and is not given twice what it is given.
    ansible.is_exact("cluster", set=["spec.sshAccess=10.0.0.0/8,203.0.113.0/24"])
    assert spec(tree, config)["sshAccess"] == ["10.0.0.0/8", "192.0.2.0/24", "203.0.113.0/24"]
    ansible.is_exact("cluster", unset=["spec.cloudLabels", "spec.kubeProxy.enabled"])
    assert "cloudLabels" not in spec(tree, config)


def test_what_is_given_is_edited_too(ansible, stored, tree) -> None:
    group = {**yaml.safe_load(stored[GROUP])["spec"], "maxSize": 7}
    ansible.is_exact("instancegroup", name="nodes", spec=group, set=["spec.minSize=4"])
    assert (spec(tree)["minSize"], spec(tree)["maxSize"]) == (4, 7)
    manifests = [text for name, text in stored.items() if name.endswith(("config", "nodes"))]
    ansible.is_exact("cluster", manifests=manifests, set=["spec.channel=alpha"])
    assert spec(tree, f"{NAME}/config")["channel"] == "alpha"
    assert spec(tree) == yaml.safe_load(stored[GROUP])["spec"]


def test_all_problems_at_once_and_nothing_written(ansible, stored, tree) -> None:
    sets = ["spec.minSiz=2", "spec.maxSize=many", "spec.role", "spec.networkID=x"]
    message = ansible.fails("instancegroup", name=["nodes", "master-us-test-1a"], set=sets, unset=["spec.imgae"])
    assert message.splitlines() == [
        "set and unset: 5 problems:",
        "- spec.imgae: spec has no field imgae; did you mean image?",
        "- spec.minSiz: spec has no field minSiz; did you mean minSize?",
        "- spec.maxSize: expected a whole number, not the text 'many'",
        "- 'spec.role' is not a setting; write path=value, for example spec.channel=stable",
        "- spec.networkID: spec has no field networkID",
    ]
    assert "did you mean spec.networking.networkCIDR?" in ansible.fails("cluster", set=["spec.networkCIDR=10.0.0.0/8"])
    assert tree() == stored


@pytest.mark.parametrize(
    ("module", "arguments", "message"),
    [
        ("instancegroup", {"set": ["spec.minSize=1"]}, "set and unset are about groups by name; give name"),
        (
            "instancegroup",
            {"name": "node", "set": ["spec.minSize=1"]},
            f"cluster {NAME} has no instance group node; did you mean nodes?",
        ),
        ("instancegroup", {"name": "nodes", "set": [""]}, "nothing is given to store; give manifests, spec, set"),
        ("instancegroup", {"name": "nodes", "set": ["metadata.name=x"]}, "instance group nodes cannot be renamed"),
        ("instancegroup", {"name": "nodes", "set": ["spec.minSize=9"]}, "instance group nodes: "),
        ("instancegroup", {"name": "Nodes", "spec": {"role": "Node"}}, "metadata.name: instance group Nodes: the name"),
        ("instancegroup", {"name": "..", "spec": {"role": "Node"}}, "metadata.name: instance group ..: the name"),
        ("instancegroup", {"name": "nodes", "set": ["spec.subnets=nowhere"]}, "is not a subnet of the cluster"),
        (
            "instancegroup",
            {"name": "nodes", "state": "absent", "unset": ["spec.image"]},
            "set and unset are for state present",
        ),
        ("cluster", {"name": "other.example.com", "set": ["spec.channel=x"]}, "there is no cluster other.example.com"),
        ("cluster", {"set": ["spec.networking.networkCIDR=10.0.0.0/99"]}, "spec.networking.networkCIDR"),
    ],
)
def test_what_is_refused(ansible, stored, tree, module: str, arguments: dict, message: str) -> None:
    assert message in ansible.fails(module, **arguments)
    assert tree() == stored
