# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which hosts have to wait for newer API servers, and when a rolling update must not begin."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster, ClusterSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup, InstanceGroupSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.meta import ObjectMeta
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.hosts import Host
from ansible_collections.kubeops.kops.plugins.module_utils.operations.metal.version_skew import (
    HostSkew,
    version_skew,
)


def skew(wanted: str, *running: str, cluster: str = "demo") -> HostSkew:
    """running: versions of API servers on the hosts a1, a2 ..."""
    hosts = [
        Host(f"a{index}", said={"cluster": cluster, "apiServerVersion": version})
        for index, version in enumerate(running, 1)
    ]
    specification = Cluster(metadata=ObjectMeta(name="demo"), spec=ClusterSpec(kubernetes_version=wanted))
    return version_skew(specification, {"a": (InstanceGroup(spec=InstanceGroupSpec(role="ControlPlane")), hosts)})


@pytest.mark.parametrize(
    ("wanted", "running", "oldest", "outdated"),
    [
        ("1.34.2", ["1.34.2", "1.34.2"], "", ()),
        ("1.34.2", ["1.34.2", "1.33.10", "1.33.9"], "1.33.9", ("a2", "a3")),
        ("1.34.10", ["1.34.9"], "1.34.9", ("a1",)),
        ("1.34.2", ["1.34.2-rc.1"], "1.34.2-rc.1", ("a1",)),
        # Going back is no skew: kubelets may be older.
        ("1.34.2", ["1.35.0"], "", ()),
        ("1.34.2", ["", "latest"], "", ()),
    ],
)
def test_the_oldest_api_server_counts(wanted: str, running: list[str], oldest: str, outdated: tuple[str, ...]) -> None:
    found = skew(wanted, *running)
    assert (found.wanted, found.running, found.outdated) == (wanted, oldest, outdated)


def test_a_minor_version_is_not_skipped() -> None:
    (told,) = skew("1.35.0", "1.34.2", "1.33.0").forbidden
    assert "skips versions: the API server of a2 runs 1.33.0, and the next step from there is 1.34" in told
    assert skew("1.34.0", "1.34.2", "1.33.0").forbidden == ()


def test_the_rule_may_be_ignored() -> None:
    specification = Cluster(metadata=ObjectMeta(name="demo"), spec=ClusterSpec(kubernetes_version="1.35.0"))
    host = Host("a1", said={"cluster": "demo", "apiServerVersion": "1.33.0"})
    group = InstanceGroup(spec=InstanceGroupSpec(role="ControlPlane"))
    assert version_skew(specification, {"a": (group, [host])}, ignored=True) == HostSkew("1.35.0")


def test_hosts_of_other_clusters_do_not_count() -> None:
    assert skew("1.34.2", "1.33.0", cluster="other").running == ""


def test_only_workers_wait() -> None:
    found = skew("1.34.2", "1.33.0")
    for role, worker in (("ControlPlane", False), ("APIServer", False), ("Bastion", False), ("Node", True)):
        group = InstanceGroup(spec=InstanceGroupSpec(role=role))
        new, old = Host("new"), Host("old", said={"hash": "abc"})
        assert (found.joins_as_running(group, new), found.joins_as_running(group, old)) == (worker, False)
        assert (found.is_ahead(group, new), found.is_ahead(group, old)) == (False, worker)


def test_workers_are_not_changed_without_the_api_servers() -> None:
    found = skew("1.34.2", "1.34.2", "1.33.0")
    assert found.problems(["w1"], ["a1", "a2", "w1"]) == []
    assert found.problems(["w1"], ["a1"]) == []
    assert found.problems([], ["w1"]) == []
    (told,) = found.problems(["w1", "w2"], ["a1", "w2"])
    assert told.startswith("w2: would get Kubernetes 1.34.2 before the API servers of a2, which run 1.33.0")
