# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""User data: who the instance is, and nothing that must stay secret."""

from __future__ import annotations

import base64
import email
import gzip
import hashlib
import json
import subprocess


def user_data(tasks, name="nodes.demo.example.com"):
    text = tasks[f"LaunchTemplate/{name}"].user_data
    return None if text is None else str(text)


def boot_of(script):
    return json.loads(script.partition("<< '__EOF_BOOT'\n")[2].partition("\n__EOF_BOOT")[0])


def named(file):
    return {"location": file.location, "sha256": hashlib.sha256(file.data).hexdigest()}


def test_script_names_store_cluster_group_configuration_and_program(model):
    tasks = model()
    assert boot_of(user_data(tasks)) == {
        "store": "s3://store/demo.example.com",
        "cluster": "demo.example.com",
        "instanceGroup": "nodes",
        "nodeConfigs": {"amd64": named(tasks["ContentAddressedFile/nodeconfig-nodes-amd64"])},
        "program": named(tasks["ContentAddressedFile/node-program"]),
    }


def test_no_instance_starts_before_what_its_script_names_is_there(model):
    tasks = model()
    needed = {task.key for task in tasks["LaunchTemplate/nodes.demo.example.com"].dependencies()}
    assert {"ContentAddressedFile/nodeconfig-nodes-amd64", "ContentAddressedFile/node-program"} <= needed


def test_script_is_small(model):
    # EC2 takes 16 KiB, the user's own parts included.
    assert len(user_data(model())) < 2048


def test_script_is_valid_shell(model):
    checked = subprocess.run(["bash", "-n"], input=user_data(model()).encode(), check=False, capture_output=True)
    assert checked.returncode == 0, checked.stderr


def test_template_changes_with_the_configuration(model):
    assert user_data(model()) != user_data(model(groups={"nodes": {"packages": ["nfs-common"]}}))
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
    assert "ContentAddressedFile/nodeconfig-bastions-amd64" not in tasks


def test_karpenter_finds_the_script_in_the_store(model):
    tasks = model(groups={"fast": {"role": "Node", "manager": "Karpenter"}})
    assert boot_of(tasks["ManagedFile/boot-fast"].contents)["instanceGroup"] == "fast"
    assert "LaunchTemplate/fast.demo.example.com" not in tasks
    assert tasks["Subnet/a.demo.example.com"].tags["kops.k8s.io/instance-group/fast"] == "true"
