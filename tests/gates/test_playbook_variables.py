# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The specs of the playbooks' variables say what playbooks read and modules take, and docs say what the specs say."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pathlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.options import CreateOptions
from ansible_collections.kubeops.kops.plugins.plugin_utils import hosts
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks import specs
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.descriptions import described
from ansible_collections.kubeops.kops.tests.gates.test_documentation import ACTIONS, COLLECTION, arguments_of
from ansible_collections.kubeops.kops.tests.gates.test_feature_flags import says_flags
from ansible_collections.kubeops.kops.tests.playbook_docs.documents import outdated
from ansible_collections.kubeops.kops.tests.support.playbooks import (
    FOLDER,
    PLAYBOOKS,
    everything_of,
    made_anywhere,
    passed_on_by,
    read_in,
    tasks_in,
)

# Variables that a part reads for the sake of another playbook, and that have no effect here -> why.
NO_EFFECT = {
    "create_cluster": {"kops_instance_groups": "it restricts rolling updates only"},
    "delete_instance": {"kops_instance_groups": "it restricts rolling updates only"},
    "hosts": {
        "kops_instance_groups": "it restricts rolling updates only",
        "kops_validate_count": "for the wait in a cloud",
        "kops_validate_interval": "for the wait in a cloud",
    },
    "repair": {
        "kops_addon_checksums": "addons are not applied",
        "kops_allow_network_change": "the network is not changed",
        "kops_ignore_kubelet_version_skew": "versions are not changed",
        "kops_interrupt": "programs are restarted anyway",
        "kops_leave_out_unreachable": "hosts that cannot be reached are never repaired",
        "kops_manifest": "the stored cluster is repaired",
    },
}
# What the argument specs of Ansible have of a variable.
KEYS = {"description", "type", "elements", "choices", "default", "required", "no_log"}
# A variable that a task passes on as it is.
PASSED = re.compile(r"\{\{ (kops_\w+) \| default\((?:omit, true|'')\) \}\}")


# Variables whose filter leaves out none.
NONE_IS_NOTHING = {"kops_instance_groups"}
# A filter that takes a variable, and fails with none or takes it for a text.
OF_NONE = re.compile(r"\b(kops_\w+) \| default\((?:''|\[\]|\{\})\) \| (?!kubeops\.kops\.or_else)\w+")


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.yml")), ids=lambda path: path.stem)
def test_none_is_not_set(path: pathlib.Path) -> None:
    """With ansible-core 2.19, a question of AWX' survey that nobody answers is none (!unsafe ''), and no empty text."""
    found = {name for name in OF_NONE.findall(path.read_text()) if name in specs.known_variables()}
    assert found - NONE_IS_NOTHING == set()


def test_every_playbook_has_a_spec() -> None:
    assert list(specs.playbooks()) == PLAYBOOKS


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_playbook_begins_with_the_check_of_its_variables(playbook: str) -> None:
    assert yaml.safe_load((FOLDER / f"{playbook}.yml").read_text())[0] == {
        "name": "Check the variables",
        "import_playbook": "parts/variables.yml",
        "vars": {"playbook_name": playbook},
    }


@pytest.mark.parametrize("part", sorted((FOLDER / "parts").glob("*.yml")), ids=lambda path: path.stem)
def test_a_part_imports_parts_only(part: pathlib.Path) -> None:
    """A playbook would check the variables again, as its own."""
    imports = " ".join(str(play.get("import_playbook")) for play in yaml.safe_load(part.read_text()))
    found = re.findall(r"[\w./]+\.yml", imports)
    assert [name for name in found if not (FOLDER / "parts" / name).is_file() or "/" in name] == []


def read_by_plugins(plays: list[dict[str, Any]]) -> set[str]:
    """Variables that the action plugins of tasks look at: those of hosts, and what stands for environment variables."""
    found: set[str] = set()
    for name in {key.removeprefix(f"{COLLECTION}.") for play in plays for task in tasks_in(play) for key in task}:
        if name in ACTIONS:
            action: Any = importlib.import_module(f"ansible_collections.{COLLECTION}.plugins.action.{name}")
            found.update(re.findall(r"\bkops_\w+", inspect.getsource(action)))
            if issubclass(action.ActionModule, hosts.HostsActionModule):
                found.update(re.findall(r"\bkops_\w+", inspect.getsource(hosts)))
            if says_flags(name):
                found.add("kops_feature_flags")
    return found - made_anywhere()


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_playbook_takes_what_it_reads(playbook: str) -> None:
    plays = everything_of(playbook)
    read = read_in(plays) | read_by_plugins(plays)
    refused = {name for refusal in specs.refusals_of(playbook) for name in refusal.variables}
    assert read - set(specs.variables_of(playbook)) - refused == NO_EFFECT.get(playbook, {}).keys()
    assert set(specs.spec_of(playbook).options) - read == set(), "nothing reads it"


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_what_is_passed_to_the_next_nodes_is_said(playbook: str) -> None:
    passed = passed_on_by(everything_of(playbook))
    assert set(specs.spec_of(playbook).results) <= passed <= results_of(playbook)


def results_of(playbook: str) -> set[str]:
    spec = specs.spec_of(playbook)
    return set(spec.results).union(*(results_of(also.playbook) for also in spec.also))


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_variables_are_described_in_one_form(playbook: str) -> None:
    for name, option in described(playbook).options.items():
        assert name.startswith("kops_")
        assert option.keys() <= KEYS, name
        assert option["description"] == option["description"].strip().rstrip("."), name
        assert option["type"] in ("str", "path", "int", "float", "bool", "list", "dict", "raw"), name
        assert ("elements" in option) == (option["type"] == "list"), name
        default = option.get("default")
        chosen = default if isinstance(default, list) else [default]
        assert default is None or set(chosen) <= set(option.get("choices", chosen)), name


def test_a_variable_is_described_once() -> None:
    """Those of several playbooks in playbooks/meta/variables, without what is no different in a playbook."""
    shared = specs.shared_variables()
    used = Counter(name for playbook in PLAYBOOKS for name in specs.spec_of(playbook).options)
    results = {name for name in specs.results() if name not in used}
    assert {name for name, count in used.items() if count > 1} | results == shared.keys()
    for path in (FOLDER / "meta").glob("*.yml"):
        for section in yaml.safe_load(path.read_text()).get("sections", ()):
            for name, own in section["options"].items():
                repeated = {key for key, value in (own or {}).items() if shared.get(name, {}).get(key) == value}
                assert repeated <= {"type"}, f"{path.name}: {name}"


def passed_as_they_are(playbook: str) -> Iterator[tuple[str, str, str]]:
    """Variable, module and option, where a task passes on a variable as it is that is listed for the playbook."""
    for play in everything_of(playbook):
        for task in tasks_in(play):
            for key, given in task.items():
                module = key.removeprefix(f"{COLLECTION}.")
                for option, value in given.items() if module != key and isinstance(given, dict) else ():
                    found = PASSED.fullmatch(str(value))
                    if found and found[1] in specs.spec_of(playbook).options:
                        yield found[1], module, option


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_specs_say_what_modules_do(playbook: str) -> None:
    own = described(playbook).options
    for name, module, option in passed_as_they_are(playbook):
        said, argument = own[name], arguments_of(module)[option]
        where = f"{name}, {module}.{option}"
        assert (said["type"], said.get("elements")) == (argument["type"], argument.get("elements")), where
        assert bool(said.get("no_log")) == bool(argument.get("no_log")), where
        choices = argument.get("choices") or (choices_of_create(option) if module == "create_cluster" else [])
        assert said.get("choices", []) == [choice for choice in choices if choice], where


def choices_of_create(option: str) -> list[str]:
    """The choices of an option that create_cluster checks by itself, unless they may be written in any case."""
    rules = {field.name: field.metadata["rules"] for field in dataclasses.fields(CreateOptions) if field.metadata}
    return [] if option not in rules or rules[option].any_case else list(rules[option].choices)


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_defaults_are_those_of_modules(playbook: str) -> None:
    """Where all modules that are given a variable have the same one, and it says something."""
    own = described(playbook).options
    defaults: dict[str, list[Any]] = {}
    for name, module, option in passed_as_they_are(playbook):
        defaults.setdefault(name, []).append(arguments_of(module)[option].get("default"))
    for name, found in defaults.items():
        if len({str(each) for each in found}) == 1 and found[0] not in (None, False, "", [], {}, 0):
            assert own[name].get("default") == found[0], name


def test_heads_and_docs_say_what_the_specs_say() -> None:
    assert list(outdated()) == [], "run script/playbook-docs"


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_the_head_of_a_playbook_begins_with_its_short_description(playbook: str) -> None:
    lines = (FOLDER / f"{playbook}.yml").read_text().partition("\n#\n")[0].splitlines()[1:]
    assert " ".join(line[2:] for line in lines).startswith(specs.spec_of(playbook).short_description)


def test_which_hosts_are_a_cluster_s_is_said_once() -> None:
    """By the lookup kubeops.kops.hosts: what a playbook works out itself may take instances for hosts."""
    own = re.compile(r"\bgroups\.all\b|\bgroups\[|\bcloud_instances\b|\ball:!localhost\b")
    files = [path for folder in (FOLDER, FOLDER.parent / "roles") for path in folder.rglob("*.yml")]
    assert [path.name for path in files if own.search(path.read_text())] == []
    assert sum(path.read_text().count("query('kubeops.kops.hosts')") for path in files) > 20
