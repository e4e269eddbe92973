# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The etcd clusters, new and changed."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation import entry


def members(*groups):
    return [{"name": str(index), "instanceGroup": group} for index, group in enumerate(groups)]


def etcd(name="main", *groups, **change):
    return {"name": name, "etcdMembers": members(*(groups or ["control-plane-a"])), **change}


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        ([etcd()], []),
        ([], ["Required::spec.etcdClusters"]),
        ([etcd("foo")], ["NotSupported::spec.etcdClusters[0].name"]),
        ([etcd("main", "a", "b", "c")], []),
        ([etcd("main", "a", "b")], ["Invalid::spec.etcdClusters[0].etcdMembers"]),
        ([etcd(etcdMembers=[])], ["Required::spec.etcdClusters[0].etcdMembers"]),
        ([etcd("main", "")], ["Required::spec.etcdClusters[0].etcdMembers[0].instanceGroup"]),
        (
            [etcd(etcdMembers=[{"instanceGroup": "a"}])],
            ["Required::spec.etcdClusters[0].etcdMembers[0].name"],
        ),
        ([etcd(provider="Manager")], []),
        ([etcd(provider="Legacy")], ["NotSupported::spec.etcdClusters[0].provider"]),
        ([etcd(image="x")], ["Required::spec.etcdClusters[0].version"]),
        ([etcd(image="x", version="v3.6.6")], []),
        ([etcd(version="3.6")], ["Invalid::spec.etcdClusters[0].version"]),
        ([etcd(version="2.2.1")], ["Invalid::spec.etcdClusters[0].version"]),
        ([etcd(version="3.6.6"), etcd("events", version="3.6.5")], ["Forbidden::spec.etcdClusters[1].version"]),
        ([etcd(version="3.6.6"), etcd("events")], []),
        ([etcd(), etcd("events", version="3.6.5")], ["Forbidden::spec.etcdClusters[1].version"]),
        ([etcd(), etcd()], ["Forbidden::spec.etcdClusters[0].backupStore"]),
    ],
)
def test_new(judge, clusters, expected):
    assert judge({"etcdClusters": clusters}) == expected


@pytest.mark.parametrize(
    ("old", "new", "running", "expected"),
    [
        ([etcd()], [etcd()], ["main"], []),
        ([etcd(), etcd("events")], [etcd()], [], ["Forbidden::spec.etcdClusters[events]"]),
        ([etcd()], [etcd(), etcd("events")], ["main"], []),
        ([etcd("main", "a")], [etcd("main", "a", "b", "c")], ["main"], []),
        (
            [etcd("main", "a")],
            [etcd("main", "b")],
            ["main"],
            ["Forbidden::spec.etcdClusters[main].etcdMembers[0].instanceGroup"],
        ),
        ([etcd("main", "a")], [etcd("main", "b")], [], []),
        (
            [etcd("main", "a", "b", "c")],
            [etcd("main", "a")],
            ["main"],
            ["Forbidden::spec.etcdClusters"],
        ),
        ([etcd("main", "a", "b", "c")], [etcd("main", "a")], [], []),
        ([etcd(version="3.6.1")], [etcd(version="3.6.2")], ["main"], []),
        (
            [etcd(version="3.6.1")],
            [etcd(version="3.6.1", image="x")],
            ["main"],
            ["Forbidden::spec.etcdClusters[main].image"],
        ),
        (
            [etcd(version="3.6.1", image="x")],
            [etcd(version="3.6.1")],
            ["main"],
            ["Forbidden::spec.etcdClusters[main].image"],
        ),
        ([etcd(version="3.6.1")], [etcd(version="3.6.1", image="x")], [], []),
        (
            [etcd(version="3.6.1", image="x")],
            [etcd(version="3.6.2", image="x")],
            ["main"],
            ["Forbidden::spec.etcdClusters[main].version"],
        ),
    ],
)
def test_changed(new_cluster, old, new, running, expected):
    after, before = (new_cluster({"spec": {"etcdClusters": etcds}}) for etcds in (new, old))
    errors = entry.validate_cluster_update(after, before, running)
    assert [f"{error.type}::{error.path}" for error in errors] == expected


def test_update_validates_the_new_cluster_too(new_cluster):
    errors = entry.validate_cluster_update(new_cluster({"spec": {"updatePolicy": "never"}}), new_cluster())
    assert [error.path for error in errors] == ["spec.updatePolicy"]
