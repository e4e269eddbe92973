# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules are alike, and what their documentation shows can be used as it stands."""

from __future__ import annotations

import functools
import importlib
import json
import re
import subprocess
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.lab import cis
from ansible_collections.kubeops.kops.tests.module_docs.returns import outdated, own_returns

COLLECTION = "kubeops.kops"
ACTIONS = sorted(path.stem for path in (ROOT / "plugins" / "action").glob("*.py"))
MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("*.py"))


@functools.cache
def documents() -> dict[str, Any]:
    """What ansible-doc says of each module."""
    names = [f"{COLLECTION}.{name}" for name in MODULES]
    done = subprocess.run(["ansible-doc", "--json", *names], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def document(name: str) -> dict[str, Any]:
    return documents()[f"{COLLECTION}.{name}"]


def arguments_of(name: str) -> dict[str, Any]:
    """The argument spec of a module."""
    module: Any = importlib.import_module(f"ansible_collections.{COLLECTION}.plugins.modules.{name}")
    arguments: dict[str, Any] = module.ARGUMENTS
    return arguments


def literal(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments that are no template."""
    return {name: value for name, value in arguments.items() if "{{" not in str(value)}


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_tasks_with_arguments_that_the_module_takes(name: str) -> None:
    tasks = yaml.safe_load(document(name)["examples"])
    calls = [
        (task["name"], called, task[called] or {}) for task in tasks for called in task if called.startswith(COLLECTION)
    ]
    assert f"{COLLECTION}.{name}" in {called for _title, called, _arguments in calls}
    for title, called, arguments in calls:
        short = called.rpartition(".")[2]
        known = {alias for option in document(short)["doc"]["options"].values() for alias in option.get("aliases", ())}
        assert set(arguments) <= known | set(document(short)["doc"]["options"]), title
        assert not ArgumentSpecValidator(arguments_of(short)).validate(literal(arguments)).error_messages, title


def own_options(name: str) -> dict[str, Any]:
    """The options that a module documents by itself, not by a fragment."""
    module: Any = importlib.import_module(f"ansible_collections.{COLLECTION}.plugins.modules.{name}")
    options: dict[str, Any] = yaml.safe_load(module.DOCUMENTATION).get("options") or {}
    return options


def test_what_modules_have_in_common_is_documented_once() -> None:
    """An option of several modules belongs to plugins/doc_fragments."""
    modules: dict[str, list[str]] = {}
    for name in MODULES:
        for option, told in own_options(name).items():
            modules.setdefault(f"{option}: {told['description']}", []).append(name)
    assert {told: names for told, names in modules.items() if len(names) > 1} == {}


def test_return_values_that_modules_have_in_common_are_documented_once() -> None:
    """A return value of several modules belongs to plugins/doc_fragments, unless it is a text or a number."""
    modules: dict[str, list[str]] = {}
    for name in MODULES:
        text = (ROOT / "plugins" / "modules" / f"{name}.py").read_text()
        for value, told in (yaml.safe_load(own_returns(text)) or {}).items():
            if not told.keys() <= {"description", "returned", "type"}:
                modules.setdefault(f"{value}: {told}", []).append(name)
    assert {told: names for told, names in modules.items() if len(names) > 1} == {}


def test_return_values_of_fragments_are_in_their_modules() -> None:
    assert sorted(outdated()) == [], "script/module-docs writes them"


@pytest.mark.parametrize("name", ACTIONS)
def test_an_action_plugin_is_about_the_module_of_its_name(name: str) -> None:
    action: Any = importlib.import_module(f"ansible_collections.{COLLECTION}.plugins.action.{name}")
    module = getattr(action.ActionModule, "module", None)
    assert name in MODULES
    assert module is None or module.__name__.rpartition(".")[2] == name
    assert action.ActionModule.__doc__ == f"{COLLECTION}.{name}"


@pytest.mark.parametrize("name", MODULES)
def test_a_module_of_the_state_store_runs_in_the_working_directory(name: str) -> None:
    """Without an action plugin Ansible starts it in the directory of the playbook, where relative paths are others."""
    assert "state_store" not in arguments_of(name) or name in ACTIONS


@pytest.mark.parametrize("name", MODULES)
def test_every_module_is_its_arguments_and_one_operation(name: str) -> None:
    module: Any = importlib.import_module(f"ansible_collections.{COLLECTION}.plugins.modules.{name}")
    assert module.run.__annotations__ == {"module": "Call", "return": "Outcome"}
    assert not hasattr(module, "AnsibleModule"), "KopsModule is for all modules"


@pytest.mark.parametrize("name", MODULES)
def test_every_module_says_what_it_returns_and_supports(name: str) -> None:
    assert document(name)["return"]
    assert document(name)["doc"]["attributes"].keys() >= {"check_mode", "diff_mode"}


@pytest.mark.parametrize("name", [name for name in MODULES if name.endswith("_info")])
def test_what_only_reads_supports_check_mode(name: str) -> None:
    assert document(name)["doc"]["attributes"]["check_mode"]["support"] == "full"


def test_tables_of_the_cis_benchmark_are_those_of_its_items() -> None:
    """tests/lab/test_cis.py shows that a cluster is as they say."""
    text = (ROOT / "docs" / "hardening.md").read_text()
    tables = {
        heading: re.findall(r"^\| ([\d.]+) \| (.+) \| (.+) \|$", part, re.MULTILINE)
        for heading, part in ((part.partition("\n")[0], part) for part in text.split("\n### ")[1:])
    }
    items = cis.items()
    assert tables == {
        "What fails": [(item.number, item.about, item.known) for item in items if item.known],
        "What needs a person": [(item.number, item.about, item.given) for item in items if item.kind == "manual"],
    }
