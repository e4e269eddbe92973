# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drift of the hosts of a bare-metal cluster, by what they have said of themselves."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.finding import Drift, Finding
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.hosts import Compared, look_at_hosts

INVENTORY = " with the inventory of the hosts (-i hosts.yml)"
CONTENT = {"item": "file:/etc/hosts", "before": {"content": "a\n"}, "after": {"content": "b\n"}}
DOWNLOAD = {"item": "download:kubelet", "before": None, "after": {"version": "1.34.2"}}
GONE = {"item": "file:/etc/old.conf", "before": {"mode": "0644"}, "after": None}
TEXT = {"item": "sysctl:vm.overcommit_memory", "before": "0", "after": "1"}


def looked_at(compared: Compared | None) -> Drift:
    drift = Drift("demo")
    look_at_hosts(compared, drift)
    return drift


def found_on(**said: Any) -> list[Finding]:
    drift = looked_at(Compared({"c1": said}))
    assert drift.unseen == []
    assert {(each.where, each.host) for each in drift.found} <= {("hosts", "c1")}
    return drift.found


def test_each_change_is_a_difference_on_its_host() -> None:
    found = found_on(changes=[CONTENT, DOWNLOAD, GONE, TEXT], deferred_changes=[])
    assert [(each.what, each.kind, each.name) for each in found] == [
        ("different", "file", "c1: /etc/hosts"),
        ("missing", "download", "c1: kubelet"),
        ("unwanted", "file", "c1: /etc/old.conf"),
        ("different", "sysctl", "c1: vm.overcommit_memory"),
    ]
    assert [(each.before, each.after) for each in found] == [
        ({"content": "a\n"}, {"content": "b\n"}),
        # What is there or not as a whole has no fields that differ.
        ({}, {}),
        ({}, {}),
        ({"content": "0"}, {"content": "1"}),
    ]
    assert {each.mend for each in found} == {f"kubeops.kops.update_cluster{INVENTORY}"}


@pytest.mark.parametrize(
    ("rolled", "mend"),
    [
        (True, f"kubeops.kops.rolling_update{INVENTORY}"),
        (False, f"kubeops.kops.hosts{INVENTORY} and kops_interrupt=true"),
    ],
)
def test_what_an_update_leaves_to_others_is_mended_by_them(rolled: bool, mend: str) -> None:
    now, later = found_on(changes=[CONTENT], deferred_changes=[DOWNLOAD], rolled=rolled)
    assert now.mend.startswith("kubeops.kops.update_cluster")
    assert later.mend == mend


def test_a_restart_is_only_told_if_nothing_else_says_why() -> None:
    restart = {
        "item": "unit:kubelet.service",
        "before": {},
        "after": {"restarted": "for file:/etc/hosts, download:kubelet"},
    }
    assert [each.kind for each in found_on(changes=[CONTENT], deferred_changes=[DOWNLOAD, restart])] == [
        "file",
        "download",
    ]
    assert [each.kind for each in found_on(changes=[CONTENT, restart])] == ["file", "unit"]
    stopped = {**restart, "before": {"state": "stopped"}, "after": {"state": "started"}}
    assert [each.kind for each in found_on(changes=[stopped])] == ["unit"]


def test_a_host_that_is_no_node_is_a_missing_node() -> None:
    (node,) = found_on(node=False)
    assert (node.what, node.kind, node.name) == ("missing", "Node", "c1")
    assert node.mend.startswith("kubeops.kops.update_cluster")


def test_what_was_not_looked_at() -> None:
    without = looked_at(None)
    assert without.is_complete
    assert [str(each) for each in without.unseen] == [
        "the hosts: ansible-playbook -i hosts.yml kubeops.kops.drift looks at them"
    ]
    said = {"n2": {"problem": "swap is on"}, "n1": {"problem": "cannot be reached"}, "n3": {"changes": [CONTENT]}}
    some = looked_at(Compared(said))
    assert [str(each) for each in some.unseen] == ["host n1: cannot be reached", "host n2: swap is on"]
    assert not some.is_complete
    assert [each.host for each in some.found] == ["n3"]
    nobody = looked_at(Compared(problem="instance group nodes has no hosts"))
    assert [str(each) for each in nobody.unseen] == ["the hosts: instance group nodes has no hosts"]
    assert not nobody.is_complete


def test_a_reader_sees_the_hosts_between_the_cloud_and_the_cluster() -> None:
    drift = looked_at(Compared({"c1": {"changes": [CONTENT]}}))
    assert (
        drift.text()
        == f"""\
demo: 1 object is not as it should be (1 on the hosts)

On the hosts: 1 different

~ file/c1: /etc/hosts
    content:
      -a
      +b

Next, for 1 of them: kubeops.kops.update_cluster{INVENTORY}
"""
    )
