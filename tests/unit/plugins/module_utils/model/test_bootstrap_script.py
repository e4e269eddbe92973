# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""User data: who the instance is, and nothing that must stay secret."""

from __future__ import annotations

import base64
import email
import gzip
import json
import subprocess

from ansible_collections.kubeops.kops.plugins.module_utils.model.node.config import config_hash


def user_data(tasks, name="nodes.demo.example.com"):
    return tasks[f"LaunchTemplate/{name}"].user_data


def boot_of(script):
    return json.loads(script.partition("<< '__EOF_BOOT'\n")[2].partition("\n__EOF_BOOT")[0])


def test_script_names_store_cluster_group_and_configuration(model):
    tasks = model()
    boot = boot_of(user_data(tasks))
    assert boot["store"] == "s3://store/demo.example.com"
    assert (boot["cluster"], boot["instanceGroup"]) == ("demo.example.com", "nodes")
    stored = tasks["ManagedFile/nodeconfig-nodes"]
    assert boot["nodeConfig"] == stored.location == "igconfig/node/nodes/nodeconfig.json"
    assert boot["nodeConfigHash"] == config_hash(stored.contents)


def test_script_is_valid_shell(model):
    checked = subprocess.run(["bash", "-n"], input=user_data(model()).encode(), check=False, capture_output=True)
    assert checked.returncode == 0, checked.stderr


def test_template_changes_with_the_configuration(model):
    assert user_data(model()) != user_data(model(groups={"nodes": {"taints": ["a:NoSchedule"]}}))
    assert user_data(model()) == user_data(model(groups={"nodes": {"maxSize": 9}}))


def test_compressed_script_holds_the_same_and_is_reproducible(model):
    compressed = user_data(model(groups={"nodes": {"compressUserData": True}}))
    packed = compressed.partition("__EOF_BOOT'")[2].partition("\n")[2].partition("\n__EOF_BOOT")[0]
    assert json.loads(gzip.decompress(base64.b64decode(packed)))["instanceGroup"] == "nodes"
    assert compressed == user_data(model(groups={"nodes": {"compressUserData": True}}))


def test_additional_user_data_follows_the_script(model):
    extra = {"name": "more.sh", "type": "text/x-shellscript", "content": "#!/bin/sh\necho hi\n"}
    message = email.message_from_string(user_data(model(groups={"nodes": {"additionalUserData": [extra]}})))
    parts = message.get_payload()
    assert [part.get_filename() for part in parts] == ["nodeup.sh", "more.sh"]
    assert parts[0].get_payload().startswith("#!/bin/bash")
    assert parts[1].get_payload().replace("\r\n", "\n") == extra["content"]
    assert parts[1].get_content_type() == "text/x-shellscript"


def test_bastions_have_only_what_the_user_adds(model):
    assert user_data(model(groups={"bastions": {"role": "Bastion"}}), "bastions.demo.example.com") is None
    extra = {"name": "more.sh", "type": "text/x-shellscript", "content": "echo"}
    tasks = model(groups={"bastions": {"role": "Bastion", "additionalUserData": [extra]}})
    message = email.message_from_string(user_data(tasks, "bastions.demo.example.com"))
    assert [part.get_filename() for part in message.get_payload()] == ["more.sh"]
    assert "ManagedFile/nodeconfig-bastions" not in tasks


def test_karpenter_finds_the_script_in_the_store(model):
    tasks = model(groups={"fast": {"role": "Node", "manager": "Karpenter"}})
    assert boot_of(tasks["ManagedFile/boot-fast"].contents)["instanceGroup"] == "fast"
    assert "LaunchTemplate/fast.demo.example.com" not in tasks
    assert tasks["Subnet/a.demo.example.com"].tags["kops.k8s.io/instance-group/fast"] == "true"
