# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""By what bootstrap servers know workers, as the control planes of a cluster are told."""

from __future__ import annotations

import json

from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import BootstrapServerSettings as Settings
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.verification import AWSVerifier
from ansible_collections.kubeops.kops.plugins.module_utils.node.clouds import verifier


def node_config(tasks):
    found = [task for key, task in tasks.items() if key.startswith("ContentAddressedFile/nodeconfig-control-plane")]
    return json.loads(found[0].data)


def settings(tasks):
    files = {file["path"]: file for file in node_config(tasks)["files"]}
    return Settings(**json.loads(files[Settings.FILE]["content"]))


def test_workers_are_known_by_their_roles(model):
    found = settings(model())
    assert found.workers == {"roles": ["nodes.demo.example.com"]}
    # The program of the same update takes what its NodeConfig says.
    known = verifier(found.cloud, found.cluster, found.workers, named_by_address=found.named_by_address)
    assert isinstance(known, AWSVerifier)
    assert known.roles == {"nodes.demo.example.com"}


def test_a_profile_of_a_user_is_known_by_its_name(model):
    profile = "arn:aws:iam::123456789012:instance-profile/mine"
    found = settings(model(groups={"nodes": {"iam": {"profile": profile}}}))
    assert found.workers == {"roles": ["mine", "nodes.demo.example.com"]}


def test_another_group_of_workers_needs_no_new_control_planes(model):
    before = node_config(model())
    tasks = model(groups={"others": {"role": "Node"}})
    assert any(key.startswith("ContentAddressedFile/nodeconfig-others") for key in tasks)
    assert node_config(tasks) == before
