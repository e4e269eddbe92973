# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every block of YAML in the documentation is what it looks like: a manifest, tasks, an inventory, a policy ..."""

from __future__ import annotations

import json
import pathlib
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.kubeops.kops.plugins.module_utils.addons.channels.document import parse_channel
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.api.validation.instance_group.alone import validate_group
from ansible_collections.kubeops.kops.plugins.module_utils.operations.policy.policy import Policy
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import known_variables
from ansible_collections.kubeops.kops.tests.documented.pages import Block, blocks
from ansible_collections.kubeops.kops.tests.gates.test_documentation import COLLECTION, arguments_of, literal
from ansible_collections.kubeops.kops.tests.integration.conftest import run_ansible

YAML = [block for block in blocks() if block.language == "yaml"]
CLUSTER = {"apiVersion": "kops.k8s.io/v1alpha2", "kind": "Cluster", "metadata": {"name": "demo.example.com"}}


def store(block: Block, directory: pathlib.Path) -> None:
    """Whole manifests: they are valid, and are stored."""
    path = directory / "cluster.yml"
    path.write_text(block.text)
    name = next(each.metadata.name for each in manifest.load(block.text) if type(each).__name__ == "Cluster")
    given = {"kops_manifest": str(path), "kops_force": True, "kops_cluster_name": name}
    given["kops_state_store"] = f"file://{directory}/store"
    run_ansible("ansible-playbook", "kubeops.kops.replace", "-e", json.dumps(given))


def of_kubernetes(block: Block, directory: pathlib.Path) -> None:
    """Objects that kubectl applies."""
    for document in filter(None, yaml.safe_load_all(block.text)):
        assert {"apiVersion", "kind", "metadata"} <= document.keys()


def instance_groups(block: Block, directory: pathlib.Path) -> None:
    """Groups to store beside others: their own rules, which need no cluster."""
    found = manifest.load(block.text)
    assert [problem for group in found for problem in validate_group(group, None, False, AWS)] == []


def part_of_a_manifest(block: Block, directory: pathlib.Path) -> None:
    manifest.from_data({**CLUSTER, **yaml.safe_load(block.text)})


def addons(block: Block, directory: pathlib.Path) -> None:
    parse_channel("https://addons.example.com/addon.yaml", block.text.encode())


def policy(block: Block, directory: pathlib.Path) -> None:
    path = directory / "policy.yml"
    path.write_text(block.text)
    assert Policy.read([str(path)]).checks


def variables(block: Block, directory: pathlib.Path) -> None:
    assert yaml.safe_load(block.text).keys() <= known_variables()


def plays(block: Block, directory: pathlib.Path) -> None:
    """A play, or tasks of one: the modules of the collection are there, and take these arguments."""
    content = yaml.safe_load(block.text)
    if not {"tasks", "import_playbook"} & content[0].keys():
        content = [{"name": "Show", "hosts": "localhost", "tasks": content}]
    for play in (play for play in content if "tasks" in play):
        # Modules of other collections need not be installed where this runs.
        play["tasks"] = [task for task in play["tasks"] if not any(key.startswith(FOREIGN) for key in task)]
        for task in play["tasks"]:
            for called in (key for key in task if key.startswith(f"{COLLECTION}.")):
                assert wrong_arguments(called.rpartition(".")[2], task[called]) == []
    path = directory / "play.yml"
    path.write_text(yaml.safe_dump(content))
    run_ansible("ansible-playbook", "--syntax-check", str(path))


def wrong_arguments(module: str, arguments: dict[str, Any]) -> list[str]:
    """What a module refuses. What is not given may be a default of the play."""
    found: list[str] = ArgumentSpecValidator(arguments_of(module)).validate(literal(arguments)).error_messages
    return [problem for problem in found if "missing required arguments" not in problem]


FOREIGN = ("awx.awx.", "kubernetes.core.")


def inventory(block: Block, directory: pathlib.Path) -> None:
    path = directory / "hosts.yml"
    path.write_text(block.text)
    done = subprocess.run(["ansible-inventory", "-i", path, "--list"], check=True, capture_output=True, text=True)
    assert json.loads(done.stdout)["_meta"]["hostvars"]


def inventory_plugin(block: Block, directory: pathlib.Path) -> None:
    content = yaml.safe_load(block.text)
    command = ["ansible-doc", "--json", "--type", "inventory", content["plugin"]]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    assert content.keys() <= json.loads(done.stdout)[content["plugin"]]["doc"]["options"].keys()


def requirements(block: Block, directory: pathlib.Path) -> None:
    assert [each["name"] for each in yaml.safe_load(block.text)["collections"]] == ["kubeops.kops"]


def kind_of(block: Block) -> Callable[[Block, pathlib.Path], None] | None:
    """The check of a block; None if nothing is known of such a block."""
    documents = [found for found in yaml.safe_load_all(block.text) if found]
    first: Any = documents[0]
    if isinstance(first, list):
        return plays
    if {each.get("kind") for each in documents} >= {"Cluster"}:
        return store
    if {each.get("kind") for each in documents} == {"InstanceGroup"}:
        return instance_groups
    if first.get("kind") == "Addons":
        return addons
    if "apiVersion" in first:
        return of_kubernetes
    if set(first) <= known_variables():
        return variables
    return BY_KEY.get(next(iter(first)))


BY_KEY: dict[str, Callable[[Block, pathlib.Path], None]] = {
    "all": inventory,
    "collections": requirements,
    "plugin": inventory_plugin,
    "rules": policy,
    "spec": part_of_a_manifest,
}


@pytest.mark.parametrize("block", YAML, ids=lambda block: block.where)
def test_blocks_are_what_they_look_like(block: Block, tmp_path: pathlib.Path) -> None:
    check = kind_of(block)
    assert check, f"{block.where}: nothing is known of such a block"
    check(block, tmp_path)
