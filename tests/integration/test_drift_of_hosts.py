# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook drift with the hosts of a bare-metal cluster, which are directories here."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.plan import HostOptions, plan_hosts
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.tests.integration.conftest import run_ansible
from ansible_collections.kubeops.kops.tests.support.local_hosts import LocalHost

pytestmark = pytest.mark.long

NAME = "metal.example.com"
GROUPS = {"c1": "control-plane-main", "n1": "nodes-main", "n2": "nodes-main"}
CRICTL = "/etc/crictl.yaml"
KEY = "/srv/kubernetes/kube-controller-manager/ca.key"
KUBELET = "/var/lib/kubelet/kubelet.conf"


class Cluster:
    """A cluster whose hosts are nodes, and its inventory."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory, self.store = directory, f"file://{directory / 'store'}"
        given = {"name": NAME, "state_store": self.store, "cloud": "metal", "zones": ["main"], "networking": "cni"}
        create_cluster(given, check_mode=False)
        update_cluster(UpdateOptions(self.store, NAME))
        self.hosts = {
            name: LocalHost(directory / name, f"192.0.2.{number}") for number, name in enumerate(GROUPS, start=1)
        }
        known = {
            name: {"instance_group": GROUPS[name], "address": host.address, "observed": host.observed()}
            for name, host in self.hosts.items()
        }
        planned = plan_hosts(HostOptions(self.store, NAME, known))["hosts"]
        for name, host in self.hosts.items():
            host.converge(planned[name])
        self.crictl = (self.hosts["n1"].root / CRICTL.lstrip("/")).read_text()
        self.variables = {name: host.variables(kops_instance_group=GROUPS[name]) for name, host in self.hosts.items()}

    def drift(self, *options: str, code: int = 0) -> str:
        """What the playbook says of the hosts."""
        (self.directory / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": self.variables}}))
        asked = {"kops_cluster_name": NAME, "kops_state_store": self.store, "kops_drift_parts": ["store", "hosts"]}
        command = ("ansible-playbook", "-i", "hosts.yml", "kubeops.kops.drift", "-e", json.dumps(asked), *options)
        before = self.written()
        output = run_ansible(*command, directory=self.directory, expect=code)
        assert self.written() == before
        assert "PRIVATE KEY" not in output
        assert "changed=1" not in output
        return output

    def written(self) -> dict[str, Any]:
        return {name: host.files() for name, host in self.hosts.items()}


@pytest.fixture()
def cluster(tmp_path: pathlib.Path) -> Cluster:
    return Cluster(tmp_path)


def test_what_is_changed_by_hand_is_found_and_nothing_is_written(cluster: Cluster) -> None:
    output = cluster.drift("-e", "kops_fail_on_drift=true")
    assert f"{NAME}: no drift\n" in output
    assert "Not looked at" not in output

    machine = cluster.hosts["c1"].root
    (machine / KUBELET.lstrip("/")).write_text("maxPods: 500\n")
    (machine / KEY.lstrip("/")).write_text("another key\n")
    (cluster.hosts["n1"].root / CRICTL.lstrip("/")).unlink()
    for options, code in (("-e", "kops_fail_on_drift=true"), 2), (("--check",), 0):
        output = cluster.drift(*options, code=code)
        assert f"{NAME}: 4 objects are not as they should be (4 on the hosts)" in output
        assert "On the hosts: 1 missing, 3 different" in output
        assert f"+ file/n1: {CRICTL}\n" in output
        assert f"~ file/c1: {KUBELET}\n" in output
        assert "-maxPods: 500" in output
        # What is in files with secrets is not shown.
        assert f"~ file/c1: {KEY}\n    content  (secret) -> (another secret)" in output
        assert "another key" not in output
        assert "Next, for 1 of them: kubeops.kops.update_cluster with the inventory" in output
        assert "Next, for 3 of them: kubeops.kops.rolling_update with the inventory" in output


def test_who_does_not_answer_is_not_looked_at(cluster: Cluster) -> None:
    """The others have to be the same as with it; a host that is no node yet is missing."""
    (cluster.hosts["n1"].root / CRICTL.lstrip("/")).unlink()
    ssh = cluster.directory / "ssh"
    ssh.write_text("#!/bin/sh\necho no route to host >&2\nexit 255\n")
    ssh.chmod(0o755)
    dead = {"ansible_connection": "ssh", "ansible_ssh_executable": str(ssh), "ansible_host": "192.0.2.1"}
    cluster.variables["c1"].update(dead)
    newcomer = LocalHost(cluster.directory / "n3", "192.0.2.9")
    cluster.variables["n3"] = newcomer.variables(kops_instance_group="nodes-main")
    (cluster.hosts["n2"].root / "proc/swaps").write_text("Filename Type Size\n/dev/sda2 partition 1\n")
    output = cluster.drift()
    assert "+ Node/n3  (this host of the inventory has not become a node)" in output
    assert "Not looked at: host c1: cannot be reached: " in output
    assert "no route to host" in output
    assert "Not looked at: host n2: swap is on (/dev/sda2)" in output
    assert f"+ file/n1: {CRICTL}\n" in output
    assert f"{NAME}: 2 objects are not as they should be (2 on the hosts)" in output

    cluster.variables.pop("n3")
    (cluster.hosts["n1"].root / CRICTL.lstrip("/")).write_text(cluster.crictl)
    output = cluster.drift("-e", "kops_fail_on_drift=true", code=2)
    assert f"msg: '{NAME}: no drift in what could be looked at'" in output


def test_nobody_is_asked_if_other_parts_are_chosen(cluster: Cluster) -> None:
    output = cluster.drift("-e", "kops_drift_parts=store")
    assert "Observe each host" not in output
    assert f"{NAME}: no drift\n" in output


def test_feature_flags_count_for_hosts_as_for_the_store(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable counts as the environment variable does, and before it; an empty one is not given."""

    def told(flags: str) -> str:
        output = cluster.drift("-e", f"kops_feature_flags={flags}")
        return output.partition("TASK [Show what differs]")[2].partition("PLAY RECAP")[0]

    given = told("+EtcdEventsHTTP")
    assert "2 objects are not as they should be (1 in the state store, 1 on the hosts)" in given
    assert "~ staticPod/c1: kube-apiserver\n" in given
    monkeypatch.setenv("KOPS_FEATURE_FLAGS", "+EtcdEventsHTTP")
    assert told("") == given
    assert f"{NAME}: no drift\n" in told("-EtcdEventsHTTP")
