# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module is given of the hosts of an inventory, and how often their variables are put together for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.hosts import HostsActionModule
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import LocalActionModule


class HostVars(Mapping[str, Mapping[str, Any]]):
    """Variables of hosts, and how often those of each host were asked for."""

    def __init__(self, variables: dict[str, dict[str, Any]]) -> None:
        self.of, self.asked = variables, Counter[str]()

    def __getitem__(self, name: str) -> Mapping[str, Any]:
        self.asked[name] += 1
        return self.of[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.of)

    def __len__(self) -> int:
        return len(self.of)


HOSTS = {
    "10.0.0.1": {"group_names": ["a"], "kops_observed": {"hash": "1"}, "kops_instance_group": "nodes"},
    "two": {"ansible_host": "10.0.0.2", "kops_observed": {"hash": "2"}},
    "three": {"ansible_host": "10.0.0.9", "kops_address": "10.0.0.3", "kops_observed": None},
    "other": {"ansible_host": "10.0.0.4", "kops_instance_group": "nodes"},
}
GIVEN = {
    "10.0.0.1": {"groups": ["a"], "instance_group": "nodes", "address": "10.0.0.1", "observed": {"hash": "1"}},
    "two": {"groups": [], "instance_group": "", "address": "10.0.0.2", "observed": {"hash": "2"}},
    "three": {"groups": [], "instance_group": "", "address": "10.0.0.3", "observed": {}},
}


@pytest.fixture
def action(monkeypatch: pytest.MonkeyPatch) -> HostsActionModule:
    """A plugin whose module returns what it is given."""
    monkeypatch.setattr(LocalActionModule, "run_module", lambda self, arguments, task_vars: arguments)
    return HostsActionModule.__new__(HostsActionModule)


def test_the_module_gets_the_hosts_that_were_asked(action: HostsActionModule) -> None:
    assert action.run_module({"name": "a"}, {"hostvars": HostVars(HOSTS)}) == {"name": "a", "hosts": GIVEN}


def test_an_address_that_is_none_is_a_problem_if_the_user_gives_it_as_one(action: HostsActionModule) -> None:
    """Ansible may connect to a name, and through an alias of SSH."""
    asked: dict[str, Any] = {"kops_observed": {"hash": "1"}, "ansible_host": "alias"}
    for given in ("10.0.0.300", "10.0.0.4/24", "10.0.0.4:22", "w1.example.com"):
        hosts = {"a": {**asked, "kops_address": given}, "b": asked, "c": {**asked, "kops_address": "10.0.0.5"}}
        found = action.run_module({}, {"hostvars": HostVars(hosts)})["hosts"]
        assert [each.get("wrong_address") for each in found.values()] == [given, None, None]


def test_a_task_names_its_own_hosts(action: HostsActionModule) -> None:
    hostvars = HostVars(HOSTS)
    own = {"hosts": {"mine": {"address": "10.0.0.7"}}}
    assert action.run_module(dict(own), {"hostvars": hostvars}) == own
    assert not hostvars.asked


def test_the_variables_of_each_host_are_put_together_once(action: HostsActionModule) -> None:
    """Ansible takes 0.2 ms for each host and each time."""
    hostvars = HostVars(HOSTS)
    action.run_module({}, {"hostvars": hostvars})
    assert hostvars.asked == dict.fromkeys(HOSTS, 1)
