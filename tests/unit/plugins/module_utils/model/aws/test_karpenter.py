# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance groups that Karpenter launches: what their addon has from the model."""

from __future__ import annotations

import email
import json
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model.aws import karpenter
from ansible_collections.kubeops.kops.plugins.module_utils.model.context import ModelContext

KARPENTER = {"karpenter": {"enabled": True}, "iam": {"useServiceAccountExternalPermissions": True}}
GROUPS = {"fast": {"role": "Node", "manager": "Karpenter", "maxSize": 9}}
ADDON = "ManagedFile/demo.example.com-addons-karpenter.sh-k8s-1.19"


def node_class(tasks: dict[str, Any]) -> dict[str, Any]:
    objects = yaml.safe_load_all(str(tasks[ADDON].contents))
    return next(obj for obj in objects if obj["kind"] == "EC2NodeClass")["spec"]


def test_an_instance_reads_its_own_boot_script_after_what_that_names_is_there(model) -> None:
    tasks = model(KARPENTER, GROUPS)
    assert node_class(tasks)["userData"] == str(tasks["ManagedFile/boot-fast"].contents)
    before = {task.name for task in tasks[ADDON].after}
    assert {"node-program", "nodeconfig-fast-amd64"} <= before


def test_the_authority_that_the_first_update_makes_is_in_the_addon(model) -> None:
    made = [""]
    tasks = model(KARPENTER, GROUPS, trusted_authorities=lambda: made[0])
    assert "Keypair/kubernetes-ca" in {task.key for task in tasks[ADDON].dependencies()}
    made[0] = "the authority"
    assert '"ca": "the authority"' in node_class(tasks)["userData"]
    index = str(tasks["ManagedFile/demo.example.com-addons-bootstrap"].contents)
    later = model(KARPENTER, GROUPS, trusted_authorities=lambda: made[0])
    assert index == str(later["ManagedFile/demo.example.com-addons-bootstrap"].contents)
    assert isinstance(later[ADDON].contents, str)


def test_groups_of_karpenter_are_described_when_others_are_updated(model) -> None:
    """What the addon no longer describes would be deleted, with its nodes."""
    tasks = model(KARPENTER, GROUPS, chosen=frozenset({"nodes"}))
    assert node_class(tasks)["instanceProfile"] == "nodes.demo.example.com"


def test_the_root_volume_is_that_of_the_group(model) -> None:
    volume = {"size": 50, "type": "io2", "encryption": True, "encryptionKey": "arn:aws:kms:r:1:key/k"}
    (device,) = node_class(model(KARPENTER, {"fast": {**GROUPS["fast"], "rootVolume": volume}}))["blockDeviceMappings"]
    assert device == {
        "deviceName": "/dev/sda1",
        "rootVolume": True,
        "ebs": {
            "deleteOnTermination": True,
            "encrypted": True,
            "iops": 100,
            "kmsKeyID": "arn:aws:kms:r:1:key/k",
            "volumeSize": "50Gi",
            "volumeType": "io2",
        },
    }


def test_disks_of_the_group_are_made_as_in_a_launch_template_and_mounted(model) -> None:
    volume = {"device": "/dev/sdf", "size": 20, "encrypted": False, "deleteOnTermination": False}
    mount = {"device": "/dev/sdf", "path": "/data", "filesystem": "xfs"}
    tasks = model(KARPENTER, {"fast": {**GROUPS["fast"], "volumes": [volume], "volumeMounts": [mount]}})
    _root, further = node_class(tasks)["blockDeviceMappings"]
    assert further == {
        "deviceName": "/dev/sdf",
        "ebs": {
            "deleteOnTermination": False,
            "encrypted": False,
            "iops": 3000,
            "throughput": 125,
            "volumeSize": "20Gi",
            "volumeType": "gp3",
        },
    }
    (mounted,) = json.loads(tasks["ContentAddressedFile/nodeconfig-fast-amd64"].data)["volumes"]
    assert (mounted["device"], mounted["mount"]) == ("@@DISK_SDF@@", "/data")


def test_user_data_of_the_user_is_added(model) -> None:
    own = {"name": "own.sh", "type": "text/x-shellscript", "content": "#!/bin/sh\necho own"}
    tasks = model(KARPENTER, {"fast": {**GROUPS["fast"], "additionalUserData": [own]}})
    parts = email.message_from_string(node_class(tasks)["userData"]).get_payload()
    assert [part.get_filename() for part in parts] == ["nodeup.sh", "own.sh"]
    assert '"instanceGroup": "fast"' in parts[0].get_payload()


def test_the_metadata_service_answers_as_the_group_says(model) -> None:
    assert "metadataOptions" not in node_class(model(KARPENTER, GROUPS))
    options = {"httpTokens": "optional", "httpPutResponseHopLimit": 3}
    spec = node_class(model(KARPENTER, {"fast": {**GROUPS["fast"], "instanceMetadata": options}}))
    assert spec["metadataOptions"] == options


def test_an_image_that_is_not_there_is_named(model) -> None:
    with pytest.raises(KopsError, match="instance group fast: there is no image 'gone'"):
        model(KARPENTER, {"fast": {**GROUPS["fast"], "image": "gone"}})


def test_without_karpenter_nothing_is_launched_by_it(context_of) -> None:
    context: ModelContext = context_of({}, GROUPS)
    assert karpenter.launches(context) == []
