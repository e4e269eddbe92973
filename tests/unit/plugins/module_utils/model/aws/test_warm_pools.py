# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a NodeConfig says to instances of a warm pool."""

from __future__ import annotations

import json
import pathlib

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.model.aws import builders
from ansible_collections.kubeops.kops.tests.golden import completed, terraform
from ansible_collections.kubeops.kops.tests.golden.results import about

OWN = "docker.io/library/busybox:1"


def pool_of(tasks, group="nodes"):
    return json.loads(tasks[f"ContentAddressedFile/nodeconfig-{group}-amd64"].data).get("warmPool")


def test_images_are_those_of_kops(golden: pathlib.Path):
    (case,) = [each for each in completed.cases(golden) if each.directory.name == "minimal-warmpool"]
    whole = terraform.Case(case, case.feature_flags, has_ssh_key=not about(case.directory).get("withoutSSHKey"))
    tasks = builders.build(terraform.model_context(whole, completed.complete(case)))
    of_kops = yaml.safe_load((case.directory / "data/aws_s3_object_nodeupconfig-nodes_content").read_text())
    assert pool_of(tasks) == {
        "images": of_kops["warmPoolImages"],
        "group": "nodes.minimal-warmpool.example.com",
        "hook": "kops-warmpool",
    }
    assert pool_of(tasks, "master-us-test-1a") is None


def test_a_group_adds_images_of_its_own(model):
    pool = pool_of(model({}, {"nodes": {"warmPool": {"additionalImages": [OWN]}}}))
    assert OWN in pool["images"]
    assert pool["hook"] == ""
    fields = {"assets": {"containerProxy": "mirror.example.com"}}
    pool = pool_of(model(fields, {"nodes": {"warmPool": {"additionalImages": [OWN]}}}))
    assert "mirror.example.com/library/busybox:1" in pool["images"]
    assert all(image.startswith("mirror.example.com/") for image in pool["images"])


@pytest.mark.parametrize(
    ("fields", "groups"),
    [
        ({}, {}),
        ({}, {"nodes": {"warmPool": {"maxSize": 0}}}),
        ({"cloudProvider.aws.warmPool": {}}, {"nodes": {"warmPool": {"maxSize": 0}}}),
        ({"cloudProvider.aws.warmPool": {}}, {"nodes": {"manager": "Karpenter"}}),
    ],
)
def test_groups_without_a_pool_say_nothing(model, fields, groups):
    assert pool_of(model(fields, groups)) is None
    assert pool_of(model(fields, groups), "control-plane") is None
