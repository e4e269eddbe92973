# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playbooks leave the instances of an inventory to their cloud, and work on all other hosts (docs/inventory.md)."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.inventory_hosts import INSTANCES
from ansible_collections.kubeops.kops.tests.integration.conftest import run_ansible
from ansible_collections.kubeops.kops.tests.support.playbooks import FOLDER, PLAYBOOKS

# The playbooks that work on hosts in another way than on instances.
CHOOSING = [name for name in PLAYBOOKS if "kubeops.kops.hosts'" in (FOLDER / f"{name}.yml").read_text()]
INSTANCE, HOST = "i-0123456789abcdef0", "rack-1"
# What the inventory plugin finds; and a host beside it.
FOUND: dict[str, Any] = {"children": {INSTANCES: {"hosts": {INSTANCE: {}}}}}
BOTH: dict[str, Any] = {**FOUND, "hosts": {HOST: {}}}


def plays(directory: pathlib.Path, inventory: dict[str, Any], *playbooks: str) -> dict[str, list[str]]:
    """Playbook -> a line for each play with the names of its hosts, as Ansible chooses them for an inventory."""
    (directory / "hosts.json").write_text(json.dumps({"all": inventory}))
    names = [f"kubeops.kops.{name}" for name in playbooks]
    shown = run_ansible("ansible-playbook", "-i", "hosts.json", "--list-hosts", *names, directory=directory)
    found: dict[str, list[str]] = {}
    for line in filter(None, map(str.strip, shown.splitlines())):
        if line.startswith("playbook: "):
            found[pathlib.Path(line).stem] = lines = []
        elif line.startswith("play #"):
            lines.append(line.partition(": ")[2].partition("\t")[0])
        elif line in (INSTANCE, HOST):
            lines[-1] += f" on {line}"
    return found


def test_instances_that_have_failed_or_are_deleted(tmp_path: pathlib.Path) -> None:
    assert plays(tmp_path, FOUND, "repair", "delete_instance") == {
        "repair": ["Check the variables", "Repair the instances of a cluster in a cloud"],
        "delete_instance": ["Check the variables", "Delete instances of a cluster in a cloud"],
    }


@pytest.mark.long
def test_every_playbook_leaves_instances_to_their_cloud(tmp_path: pathlib.Path) -> None:
    """With instances alone it is as without an inventory; with hosts beside them, no play works on an instance."""
    found = plays(tmp_path, FOUND, *CHOOSING)
    assert list(found) == CHOOSING
    assert found == plays(tmp_path, {}, *CHOOSING)
    for name, lines in plays(tmp_path, BOTH, *CHOOSING).items():
        assert [line for line in lines if INSTANCE in line] == []
        assert lines != found[name], name
