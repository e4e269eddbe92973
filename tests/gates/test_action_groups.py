# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of modules in meta/runtime.yml: exactly the modules that take the group's options, and documented as such."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.gates.test_documentation import COLLECTION, MODULES, arguments_of, document
from ansible_collections.kubeops.kops.tests.integration.conftest import ansible_environment
from ansible_collections.kubeops.kops.tests.support import warm_ansible

GROUPS: dict[str, list[str]] = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())["action_groups"]
# What a user sets for a whole group. Ansible gives it to every module of the group, which fails if it is unknown there.
OPTIONS = {"kops": {"state_store", "cluster_name"}, "kubernetes": {"kubeconfig", "api_timeout"}}

PLAYBOOK: list[dict[str, Any]] = [
    {
        "hosts": "localhost",
        "gather_facts": False,
        "module_defaults": {"group/kubeops.kops.kops": {"state_store": "{{ store }}", "cluster_name": "a.example.com"}},
        "tasks": [
            {"name": "Store", "kubeops.kops.create_cluster": {"cloud": "metal", "zones": "main", "networking": "cni"}},
            {"name": "Read", "kubeops.kops.cluster_info": {}, "register": "kops_found"},
            {"name": "Read what is another's", "kubeops.kops.cluster_info": {"name": "b"}, "register": "kops_other"},
            {"name": "Look at a host", "kubeops.kops.node_info": {}, "ignore_errors": True, "register": "kops_host"},
            {
                "name": "Compare",
                "ansible.builtin.assert": {
                    "that": [
                        "kops_found.names == ['a.example.com']",
                        "kops_other.names == []",
                        "'Unsupported parameters' not in kops_host.msg | default('')",
                    ]
                },
            },
        ],
    }
]


def names_of(module: str) -> set[str]:
    """The options of a module, with their aliases."""
    arguments = arguments_of(module)
    return {*arguments, *(alias for option in arguments.values() for alias in option.get("aliases", ()))}


def test_every_group_has_its_options() -> None:
    assert GROUPS.keys() == OPTIONS.keys()


@pytest.mark.parametrize("group", OPTIONS)
def test_a_group_is_the_modules_that_take_its_options(group: str) -> None:
    some = [module for module in MODULES if OPTIONS[group] & names_of(module)]
    assert GROUPS[group] == [module for module in some if names_of(module) >= OPTIONS[group]]
    assert GROUPS[group] == some, "these take some of the group's options and not all"


@pytest.mark.parametrize("module", MODULES)
def test_modules_document_their_group(module: str) -> None:
    attribute = document(module)["doc"]["attributes"].get("action_group", {"membership": []})
    assert attribute["membership"] == [f"{COLLECTION}.{group}" for group in GROUPS if module in GROUPS[group]]


def test_a_play_sets_options_for_the_whole_group(tmp_path: pathlib.Path) -> None:
    playbook = tmp_path / "play.yml"
    playbook.write_text(yaml.safe_dump(PLAYBOOK, sort_keys=False))
    command = ["ansible-playbook", str(playbook), "-i", "localhost,", "-c", "local"]
    command += ["-e", f"store=file://{tmp_path}/store", "-e", f"ansible_python_interpreter={sys.executable}"]
    done = warm_ansible.run(command, directory=ROOT, environment={**os.environ, **ansible_environment()})
    assert done.returncode == 0, done.stdout
