# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a repair does if it cannot mend a host: the plays of repair_hosts, with what they do on hosts replaced.

One host cannot be reached really: nothing listens at its port.
"""

from __future__ import annotations

import pathlib
from typing import Any

import yaml
from ansible_collections.kubeops.kops.tests.integration.conftest import run_ansible
from ansible_collections.kubeops.kops.tests.support.kubernetes import free_ports
from ansible_collections.kubeops.kops.tests.support.playbooks import FOLDER

HOSTS = ["c1", "n1", "n2", "n3", "n4"]
FAILED = [{"name": name, "instance_group": "nodes", "reason": f"{name} is silent"} for name in ["n1", "n2", "n3", "n4"]]
FAILED += [{"name": "gone", "instance_group": "nodes", "reason": "gone is silent"}]
FAILED += [{"name": f"o{number}", "instance_group": "others", "reason": "it is silent"} for number in (1, 2)]
PLAN = {
    "controlPlane": ["c1"],
    "groups": [],
    "hosts": {
        name: {"node": name, "members": [], "config": {}, "secrets": {}, "facts": {}, "role": "Node"} for name in HOSTS
    },
}
SUCCEEDS = {"ansible.builtin.raw": "true"}
# What each task does instead.
INSTEAD: dict[str, dict[str, Any]] = {
    "Restart containerd and the kubelet": {**SUCCEEDS, "register": "kops_programs"},
    "Apply the NodeConfig to the host": {
        "ansible.builtin.fail": {"msg": "no space left\nits log ends:"},
        "when": "inventory_hostname == 'n1'",
        "register": "nodeup_result",
    },
    "Wait until the node is ready": {
        "ansible.builtin.set_fact": {
            "kops_now": "{{ {'nodes': [{'name': 'n3', 'reason': 'its node has not been ready for 60 min'}]} }}"
        }
    },
}


def plays() -> list[dict[str, Any]]:
    """The last two plays of repair_hosts."""
    found: list[dict[str, Any]] = yaml.safe_load((FOLDER / "parts" / "repair_hosts.yml").read_text())[-2:]
    found[0]["become"] = False
    (block,) = found[0]["tasks"]
    block["block"] = [{"name": task["name"], **INSTEAD.get(task["name"], task)} for task in block["block"]]
    return found


def repaired(directory: pathlib.Path, code: int, **facts: Any) -> str:
    """The output of a repair whose earlier plays have found this."""
    known = {
        "kops_plan": PLAN,
        "kops_failed": {"nodes": FAILED, "watched": [], "held_back": {"others": "2 of 2 nodes fail at the same time"}},
        "kops_chosen_nodes": FAILED,
        "kops_repair": ["n1", "n2", "n3", "n4"],
        "kops_out_of_reach": ["gone"],
        "kops_servers": ["c1"],
        **facts,
    }
    (port,) = free_ports(1)
    hosts: dict[str, Any] = {name: {"ansible_connection": "local"} for name in ("localhost", *HOSTS)}
    hosts["n2"] = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": port}
    (directory / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}))
    first = {"hosts": "localhost", "gather_facts": False, "tasks": [{"ansible.builtin.set_fact": known}]}
    (directory / "play.yml").write_text(yaml.safe_dump([first, *plays()], sort_keys=False))
    return run_ansible("ansible-playbook", "-i", "hosts.yml", "play.yml", directory=directory, expect=code)


def test_each_host_is_tried_and_the_end_is_a_table(tmp_path: pathlib.Path) -> None:
    output = repaired(tmp_path, 2)
    begin = output.index("NODE  INSTANCE GROUP")
    lines = output[begin:].splitlines()[:8]
    assert [line.split()[0] for line in lines[1:]] == ["n1", "n2", "n3", "n4", "gone", "o1", "o2"]
    assert [line.split()[2] for line in lines[1:]] == ["left", "left", "left", "repaired", "left", "left", "left"]
    assert lines[1].endswith("no space left")
    assert "refused" in lines[2]
    assert "equal to its NodeConfig, and after 900 s its node has not been ready for 60 min" in lines[3]
    assert lines[4].endswith("n4 is silent")
    assert "its host cannot be reached; repair the host, or remove it" in lines[5]
    assert lines[6].endswith("2 of 2 nodes fail at the same time")
    # What is left is also the error.
    assert "n1: no space left" in output
    assert "Next: the same once more when this is mended" in output


def test_what_is_repaired_is_a_success(tmp_path: pathlib.Path) -> None:
    well = [each for each in FAILED if each["name"] == "n4"]
    failed = {"nodes": well, "watched": [], "held_back": {}}
    output = repaired(tmp_path, 0, kops_failed=failed, kops_chosen_nodes=well, kops_repair=["n4"], kops_out_of_reach=[])
    assert "NODE  INSTANCE GROUP  RESULT    REASON\nn4    nodes           repaired  n4 is silent\n" in output
