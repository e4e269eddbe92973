# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The context: tasks by name, and questions to the cluster."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.security_group import SecurityGroup
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.tasks.vpc import VPC


def test_a_name_is_given_once(context_of):
    context = context_of()
    context.add(VPC("x"))
    with pytest.raises(KopsError, match="VPC/x"):
        context.add(VPC("x"))
    context.add(SecurityGroup("x"))


def test_ensure_gives_the_task_that_is_there(context_of):
    context = context_of()
    first = context.ensure(SecurityGroup("sg", id="sg-1", vpc=context.add(VPC("x"))))
    assert context.ensure(SecurityGroup("sg", id="sg-1", vpc=context.get(VPC, "x"))) is first
    with pytest.raises(KopsError, match="two different objects"):
        context.ensure(SecurityGroup("sg", id="sg-2"))


def test_a_reference_to_nothing_names_it(context_of):
    with pytest.raises(KopsError, match="VPC/missing"):
        context_of().get(VPC, "missing")


def test_subnets_of_a_group_must_exist_and_be_of_one_type(context_of):
    context = context_of(groups={"nodes": {"subnets": ["a", "utility-a"]}, "other": {"role": "Node", "subnets": ["b"]}})
    with pytest.raises(KopsError, match="several types"):
        context.subnets_of(context.group("nodes"))
    with pytest.raises(KopsError, match="no subnet b.*utility-a, a"):
        context.subnets_of(context.group("other"))


def test_zones_come_from_the_group_and_its_subnets(context_of):
    context = context_of(groups={"nodes": {"zones": ["us-east-1b"]}})
    assert context.zones_of(context.group("nodes")) == ["us-east-1a", "us-east-1b"]


def test_everything_that_a_task_refers_to_is_a_task(model):
    tasks = model(
        {"api.loadBalancer": {"type": "Public", "class": "Network"}}, groups={"bastions": {"role": "Bastion"}}
    )
    loose = {
        f"{task.key} -> {other.key}"
        for task in tasks.values()
        for other in task.dependencies()
        if tasks.get(other.key) is not other
    }
    assert not loose
