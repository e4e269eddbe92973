# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Phases and overrides of lifecycles."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Lifecycle
from ansible_collections.kubeops.kops.plugins.module_utils.model.phases import Layers, layers, lifecycle_overrides


def test_without_a_phase_everything_is_written():
    assert layers() == Layers(Lifecycle.SYNC, Lifecycle.SYNC, Lifecycle.SYNC)


def test_network_phase_writes_the_network_alone(model):
    tasks = model(layers=layers("network"))
    written = {task.kind for task in tasks.values() if task.lifecycle is Lifecycle.SYNC}
    assert {"VPC", "Subnet", "NatGateway"} <= written
    assert not written & {"SecurityGroup", "IAMRole", "AutoscalingGroup", "ManagedFile", "Keypair"}


def test_security_phase_expects_the_network(model):
    tasks = model(layers=layers("security"))
    assert tasks["VPC/demo.example.com"].lifecycle is Lifecycle.EXISTS_AND_WARN_IF_CHANGES
    assert tasks["IAMRole/nodes.demo.example.com"].lifecycle is Lifecycle.SYNC
    assert tasks["AutoscalingGroup/nodes.demo.example.com"].lifecycle is Lifecycle.IGNORE


@pytest.mark.parametrize(
    ("dry_run", "below"), [(False, Lifecycle.EXISTS_AND_VALIDATES), (True, Lifecycle.EXISTS_AND_WARN_IF_CHANGES)]
)
def test_cluster_phase_expects_what_is_below(dry_run, below):
    assert layers("cluster", dry_run=dry_run) == Layers(below, below, Lifecycle.SYNC)


def test_unknown_phase_is_refused():
    with pytest.raises(KopsError, match="network, security, cluster"):
        layers("nodes")


def test_override_goes_before_the_phase(model):
    tasks = model(lifecycle_overrides=lifecycle_overrides(["IAMRole=ExistsAndWarnIfChanges"]))
    assert tasks["IAMRole/nodes.demo.example.com"].lifecycle is Lifecycle.EXISTS_AND_WARN_IF_CHANGES
    assert tasks["IAMInstanceProfile/nodes.demo.example.com"].lifecycle is Lifecycle.SYNC


@pytest.mark.parametrize("text", ["IAMRole", "IAMRole=Never", "=Sync"])
def test_malformed_override_is_refused(text):
    with pytest.raises(KopsError, match="Kind=Lifecycle"):
        lifecycle_overrides([text])
