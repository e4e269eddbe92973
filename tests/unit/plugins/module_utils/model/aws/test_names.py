# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names: kops' own, with its hashes."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.aws.node_termination_handler import queue_name
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup, InstanceGroupSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.meta import ObjectMeta
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model.aws import names


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (names.name32("api", "complex.example.com"), "api-complex-example-com-vd3t5n"),
        (names.name32("tcp", "complex.example.com"), "tcp-complex-example-com-vpjolq"),
        (names.security_group("APIServer", "demo.example.com"), "masters.demo.example.com"),
        (names.listener("api", 443, "demo.example.com"), "api.demo.example.com-443"),
        (names.etcd_volume("a", "main", "demo.example.com"), "a.etcd-main.demo.example.com"),
        (queue_name("demo.example.com"), "demo-example-com-nth"),
        (names.last_segment("arn:aws:iam::1:instance-profile/mine", "x"), "mine"),
        (names.external_target_group("arn:aws:elasticloadbalancing:r:1:targetgroup/mine/7"), "mine"),
    ],
)
def test_names(given, expected):
    assert given == expected


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("ControlPlane", "g.masters.demo.example.com"),
        ("APIServer", "g.apiservers.demo.example.com"),
        ("Node", "g.demo.example.com"),
        ("Bastion", "g.demo.example.com"),
    ],
)
def test_autoscaling_groups_are_named_after_group_and_role(role, expected):
    group = InstanceGroup(ObjectMeta(name="g"), InstanceGroupSpec(role=role))
    assert names.autoscaling_group(group, "demo.example.com") == expected


def test_long_names_are_cut_and_stay_apart():
    # The event comes after the cluster's name, of which the start is the same.
    one, other = (names.event_rule("x", "a" * 80 + f"{end}.example.com") for end in "xy")
    assert one != other
    assert len(one) <= 64


@pytest.mark.parametrize("arn", ["mine", "arn:aws:elasticloadbalancing:r:1:loadbalancer/mine/7"])
def test_what_is_no_target_group_is_refused(arn):
    with pytest.raises(KopsError, match="target group"):
        names.external_target_group(arn)
