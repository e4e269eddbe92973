# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What instances read at their start is in the store, whole, however the update was run, and stays there."""

from __future__ import annotations

import base64
import hashlib
import json
import pathlib
import sys
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import config_hash
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.program import node_program
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE, Account

ZONE = "us-east-1a"
UPDATE = ("ansible", "localhost", "-vvv", "-m", "kubeops.kops.update_cluster", "-a", f"state_store={STORE} name={NAME}")


def files(account: Account) -> dict[str, bytes]:
    return {file.name: file.path.read() for file in ClusterStore.open(account.store, account.name).files()}


def boots(account: Account) -> dict[str, Any]:
    """What the user data of each group's newest template says of the start, by group."""
    ec2, found = account.client("ec2"), {}
    for template in ec2.describe_launch_templates()["LaunchTemplates"]:
        (version,) = ec2.describe_launch_template_versions(
            LaunchTemplateId=template["LaunchTemplateId"], Versions=["$Latest"]
        )["LaunchTemplateVersions"]
        script = base64.b64decode(version["LaunchTemplateData"]["UserData"]).decode()
        boot = json.loads(script.partition("<< '__EOF_BOOT'\n")[2].partition("\n__EOF_BOOT")[0])
        found[boot["instanceGroup"]] = boot
    return found


@pytest.mark.parametrize(
    "packed",
    [
        pytest.param(False, id="in Ansible's process"),
        pytest.param(True, id="as a packed module", marks=pytest.mark.long),
    ],
)
def test_the_program_is_whole_however_the_module_runs(account: Account, tmp_path: pathlib.Path, packed: bool) -> None:
    interpreter = tmp_path / "python"
    interpreter.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    interpreter.chmod(0o755)
    python = interpreter if packed else "{{ ansible_playbook_python }}"
    account.create(zones=[ZONE])
    output = account.ansible(*UPDATE, "-c", "local", "-e", f"ansible_python_interpreter={python}")
    assert ("AnsiballZ_update_cluster.py" in output) is packed
    program = node_program(AWS, ("s3",))
    assert files(account)[f"igconfig/node-program/{hashlib.sha256(program).hexdigest()}.pyz"] == program
    assert "changed: false" in account.ansible(*UPDATE, "-c", "local", "-e", f"ansible_python_interpreter={python}")


def test_what_user_data_names_is_stored_and_stays(account: Account) -> None:
    account.create(zones=[ZONE])
    account.update()
    before, stored = boots(account), files(account)
    assert len(before) == 2
    for boot in before.values():
        for named in (*boot["nodeConfigs"].values(), boot["program"]):
            assert hashlib.sha256(stored[named["location"]]).hexdigest() == named["sha256"]
        (config,) = boot["nodeConfigs"].values()
        assert config_hash(json.loads(stored[config["location"]])) == config["sha256"]
    nodes = next(name for name in before if name.startswith("nodes"))
    account.change_group(nodes, packages=["nfs-common"])
    account.update()
    after, now = boots(account), files(account)
    assert {name for name in before if after[name] != before[name]} == {nodes}
    assert {name for name in stored if name.startswith("igconfig/") and "nodeconfig" in name} < now.keys()
    assert now[before[nodes]["nodeConfigs"]["amd64"]["location"]]
    account.delete()
    assert files(account) == {}


def test_terraform_knows_nothing_of_them(account: Account, tmp_path: pathlib.Path) -> None:
    account.create(zones=[ZONE])
    planned = account.update(target="terraform", out=str(tmp_path), check=True)
    assert "ContentAddressedFile/node-program" in {step["task"] for step in planned.plan.as_data()}
    assert not any(name.startswith("igconfig/node") for name in files(account))
    account.update(target="terraform", out=str(tmp_path))
    assert {name.split("/")[1] for name in files(account) if name.endswith((".pyz", ".json"))} >= {
        *("node", "control-plane", "node-program"),
    }
    written = "".join(path.read_text() for path in tmp_path.rglob("*.tf"))
    assert "nodeconfig" not in written
    assert "node-program" not in written
