# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance groups that are added to a stored cluster, with what kops gives a group of their role."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.modules import instancegroup
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import run_here
from ansible_collections.kubeops.kops.tests.integration.conftest import Account, fresh_account, run_ansible
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

ZONES = ["us-east-1a", "us-east-1b"]


@pytest.fixture(scope="module")
def cluster(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """A stored cluster. Each test adds groups of other names."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        account = fresh_account(server, monkeypatch, tmp_path_factory.mktemp("account"))
        account.create(zones=ZONES, topology="private", bastion=True)
        yield account


def store(name: str | list[str], *, check: bool = False, **options: Any) -> Any:
    names = [name] if isinstance(name, str) else name
    return run_here(instancegroup, {"name": names, **options}, check=check)


def spec(cluster: Account, name: str) -> dict[str, Any]:
    import yaml

    found: dict[str, Any] = yaml.safe_load(cluster.stored()[f"instancegroup/{name}"])
    assert found["metadata"]["labels"] == {"kops.k8s.io/cluster": cluster.name}
    return found["spec"]


def test_groups_get_what_kops_gives_their_role(cluster: Account) -> None:
    before = cluster.stored()
    planned = store("batch", check=True, role="node")
    assert (planned["changed"], cluster.stored()) == (True, before)
    assert store("batch", role="node")["changed"]
    made, usual = spec(cluster, "batch"), spec(cluster, f"nodes-{ZONES[0]}")
    assert made == {
        **usual,
        "minSize": 2,
        "maxSize": 2,
        "nodeLabels": {"kops.k8s.io/instancegroup": "batch"},
        "subnets": ZONES,
    }
    assert not store("batch", role="Nodes")["changed"]

    # The image follows the machine type, and sizes each other.
    edit = ["spec.machineType=m6g.large", "spec.minSize=5"]
    assert store("arm", role="node", zones=ZONES[1:], set=edit)["changed"]
    made = spec(cluster, "arm")
    assert (made["subnets"], made["minSize"], made["maxSize"]) == (ZONES[1:], 5, 5)
    assert "arm64" in made["image"]
    assert store("few", role="node", subnets=ZONES[:1], set=["spec.maxSize=1"])["changed"]
    assert (spec(cluster, "few")["minSize"], spec(cluster, "few")["maxSize"]) == (1, 1)

    assert store(["gate"], role="bastion", subnets=[f"utility-{ZONES[0]}"])["changed"]
    gate = spec(cluster, "gate")
    assert (gate["machineType"], gate["maxSize"], gate["role"]) == ("t3.micro", 1, "Bastion")


def test_a_group_that_is_there_keeps_what_nobody_names(cluster: Account) -> None:
    store("kept", role="node", set=["spec.machineType=m5.large"])
    before = spec(cluster, "kept")
    assert store("kept", role="node", zones=ZONES[:1])["changed"]
    assert spec(cluster, "kept") == {**before, "subnets": ZONES[:1]}
    assert store("kept", role="node", set=["spec.maxSize=9"])["changed"]
    assert spec(cluster, "kept") == {**before, "subnets": ZONES[:1], "maxSize": 9}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"role": "worker"}, "there is no role 'worker'; there are control-plane, apiserver, node, bastion"),
        (
            {"role": "node", "zones": ["us-east-1c"]},
            "no subnet for nodes in us-east-1c; it has them in us-east-1a, us-",
        ),
        ({"role": "node", "subnets": ["us-east-1c"]}, "spec.subnets[0]: the cluster has no such subnet"),
        ({"role": "control-plane"}, "instance group wrong: give zones or subnets, none can be inferred"),
        ({"role": "node", "spec": {"role": "Node"}}, "mutually exclusive"),
        ({"zones": ["us-east-1a"]}, "subnets and zones are about new groups"),
        ({"role": "node", "name": []}, "role is about instance groups by name"),
        ({"role": "bastion", "name": [f"nodes-{ZONES[0]}"]}, f"cannot change: nodes-{ZONES[0]} is no bastion"),
        ({"role": "node", "cluster_name": "a.example.com"}, "there is no cluster a.example.com"),
        ({"role": "node", "set": ["spec.machineType=none.large"]}, "none.large"),
    ],
)
def test_what_cannot_be(cluster: Account, options: dict[str, Any], message: str) -> None:
    before = cluster.stored()
    failed = store(**{"name": "wrong", **options})
    assert failed.get("failed"), failed
    assert message in failed["msg"]
    assert cluster.stored() == before


def test_the_playbook(cluster: Account) -> None:
    given = ("-e", "kops_groups=played", "-e", "kops_group_zones=us-east-1a", "-e", "kops_set=spec.minSize=1")
    run_ansible("ansible-playbook", "kubeops.kops.instancegroup", *given)
    made = spec(cluster, "played")
    assert (made["role"], made["subnets"], made["minSize"]) == ("Node", ["us-east-1a"], 1)
    run_ansible(
        "ansible-playbook", "kubeops.kops.instancegroup", "-e", "kops_groups=played", "-e", "kops_group_state=absent"
    )
    assert "instancegroup/played" not in cluster.stored()
