# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations on hosts refuse clusters of instances, and the other way round, in the same words everywhere."""

from __future__ import annotations

import dataclasses
import re

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import METAL, OPENSTACK
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations import hosts_or_instances
from ansible_collections.kubeops.kops.plugins.module_utils.operations.hosts_or_instances import (
    HostsOnly,
    InstancesOnly,
    need_hosts,
    need_instances,
)


def cluster_on(provider: str, label: str = "") -> Cluster:
    metadata = {"name": "demo.example.com", "labels": {"alpha.kops.k8s.io/cloud": label}}
    spec = {"cloudProvider": {provider: {}} if provider else {}}
    cluster: Cluster = codec.from_plain(Cluster, {"metadata": metadata, "spec": spec})
    return cluster


def test_hosts() -> None:
    cluster = cluster_on("", METAL.name)
    need_hosts(cluster)
    message = "cluster demo.example.com is on bare metal; give the inventory of its hosts (-i hosts.yml)"
    with pytest.raises(InstancesOnly, match=re.escape(message)):
        need_instances(cluster)


def test_instances() -> None:
    cluster = cluster_on("gce")
    need_instances(cluster)
    message = "demo.example.com is on GCE: its nodes are instances there; run this without an inventory of hosts"
    with pytest.raises(HostsOnly, match=message):
        need_hosts(cluster)


def test_a_cloud_with_both(monkeypatch: pytest.MonkeyPatch) -> None:
    both = dataclasses.replace(OPENSTACK, control_planes="hosts")
    monkeypatch.setattr(hosts_or_instances, "cloud_of", lambda _cluster: both)
    need_hosts(cluster_on("openstack"))
    need_instances(cluster_on("openstack"))
