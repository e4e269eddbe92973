# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command in the documentation is one that a user can type.

tests/documented/runs.py says which test types it, or why none does.
"""

from __future__ import annotations

import ast
import re
import subprocess

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import playbooks
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.documented.__main__ import lines
from ansible_collections.kubeops.kops.tests.documented.kops_verbs import VERBS
from ansible_collections.kubeops.kops.tests.documented.output import missing_of
from ansible_collections.kubeops.kops.tests.documented.pages import INLINE, blocks
from ansible_collections.kubeops.kops.tests.documented.proofs import FOREIGN, PROOFS, playbook_of, problems
from ansible_collections.kubeops.kops.tests.documented.runs import (
    DOCUMENTS,
    GALAXY,
    HOSTS,
    LAB,
    READER,
    fate_of,
    taken_by,
    typed_by_reader,
    words_of,
)
from ansible_collections.kubeops.kops.tests.documented.shell import CONSOLE, SHELLS, UNITS, Command, commands

# Languages of blocks that hold no commands of a user.
OTHERS = {"hcl", "text", "yaml"}


def test_commands_exist_with_their_options_and_variables() -> None:
    wrong = {f"{command.where} {command}": problems(command) for command in commands()}
    assert {command: found for command, found in wrong.items() if found} == {}


def test_every_block_of_code_names_its_language() -> None:
    """A block of an unknown language could hold commands that nothing looks at."""
    known = {*SHELLS, *OTHERS, CONSOLE, INLINE, UNITS}
    assert [block.where for block in blocks() if block.language not in known] == []


def test_programs_are_listed_once_and_only_those_that_are_called() -> None:
    called = {command.program for command in commands()}
    assert sorted(FOREIGN.keys() & PROOFS.keys()) == []
    assert sorted((FOREIGN.keys() | PROOFS.keys()) - called) == []


def test_playbooks_that_are_shown_have_no_errors_of_syntax() -> None:
    names = {playbook_of(command) for command in commands() if command.program == "ansible-playbook"} - {""}
    assert len(names) > 20
    playbooks = [f"kubeops.kops.{name}" for name in sorted(names)]
    done = subprocess.run(
        ["ansible-playbook", "--syntax-check", *playbooks], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_pages_of_plugins_can_be_shown() -> None:
    for command in taken_by(DOCUMENTS, "docs/inventory.md", "docs/own-playbooks.md", "docs/playbooks.md"):
        subprocess.run(command.words, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def test_every_command_is_typed_by_one_test_or_by_none_for_a_reason() -> None:
    """A test that types a command has it from typed_by_reader() or taken_by(), so it fails if the page changes."""
    fates = {command: fate_of(command) for command in commands()}
    typed = {fate.test for fate in fates.values() if fate.is_typed}
    assert sorted(name for name in typed if not (ROOT / name).is_file()) == []
    assert [each.where for each, fate in fates.items() if not fate.why] == []
    by_reader = {words_of(command) for command in typed_by_reader()}
    left = [command for command, fate in fates.items() if fate is READER and words_of(command) not in by_reader]
    # The reader does this by itself, on each page that it reads.
    assert {command.program for command in left} == {"export"}
    read = {command.page for command in typed_by_reader()}
    assert {words_of(each) for each in left} <= {words_of(each) for each in commands() if each.page in read}
    assert len(by_reader) > 70
    assert len([fate for fate in fates.values() if fate.is_typed and fate is not READER]) > 30


def test_what_a_test_takes_it_types() -> None:
    # tests/gates/test_documented_on_hosts.py looks at those of the lab.
    for name in {fate_of(command).test for command in commands()} - {"", READER.test, HOSTS.test, LAB.test}:
        tree = ast.parse((ROOT / name).read_text())
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _name_of(node.func) == "taken_by"]
        assert calls, f"{name} takes no commands"
        taken = {
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign) and node.value in calls
            for target in ast.walk(node.targets[0])
            if isinstance(target, ast.Name)
        }
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        assert taken - used == set(), f"{name} does not type these"


def _name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def test_a_command_on_another_page_is_one_that_nobody_types() -> None:
    with pytest.raises(AssertionError, match="README"):
        taken_by(GALAXY, "docs/from-kops.md")


def test_the_output_that_a_page_shows_is_compared() -> None:
    shown = (
        "  Kubernetes 1.33.4 -> 1.34.4",
        "  ...",
        "   1 i-0b22: its node has not been ready for 14 min: Kubelet stopped",
        "- Machine i-0a1b: has not joined; it was launched",
        "  4 min ago",
    )
    command = Command("page.md", 1, ("ansible-playbook",), shown)
    printed = """\
TASK [x]
  Kubernetes 1.33.4 -> 1.34.4
    more
   1 i-77: its node has not been ready for 840 s: Kubelet stopped
- Machine i-88: has not joined; it was launched 9 s ago
"""
    assert missing_of(command, printed) == []
    assert missing_of(command, printed.replace("stopped", "started"))[0].startswith("1 i-: its node")
    # In another order.
    assert len(missing_of(command, "\n".join(reversed(printed.splitlines())))) > 0
    assert missing_of(command, "") != []


def test_the_table_counts_every_command() -> None:
    first, *rest = lines(with_commands=False)
    rows = [int(found[0]) for line in rest if (found := re.match(r" *\d+(?=  )", line))]
    assert first == f"{sum(rows)} commands"
    assert len(lines(with_commands=True)) == len(rest) + 1 + sum(rows)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("ansible-playbook kubeops.kops.update_clusters", "there is no playbook update_clusters"),
        ("ansible-playbook kubeops.kops.update_cluster --chekc", "unrecognized arguments: --chekc"),
        (
            "ansible-playbook kubeops.kops.update_cluster -e kops_zones=us-east-1a",
            "kops_zones: update_cluster has no such variable; create_cluster has it",
        ),
        (
            "ansible all -m kubeops.kops.etcd_member -a state=gone",
            "value of state must be one of: present, absent, got: gone",
        ),
        ("ansible all -m kubeops.kops.etcd_members", "there is no module etcd_members"),
        ("export KOPS_STATE=s3://example-state", "nothing reads the variable KOPS_STATE of the environment"),
        ("script/lab up --hots 2", "script/lab does not know --hots"),
        ("script/lap up", "there is no script/lap"),
        ("script/test untit", "script/test does not know untit"),
        ("kops make cluster", "kops has no verb make cluster"),
        ("make install", "make is in no table of tests/documented/proofs.py"),
    ],
)
def test_what_is_wrong_is_found(words: str, said: str) -> None:
    assert said in problems(Command("page.md", 1, tuple(words.split())))


def test_every_verb_of_kops_is_a_playbook_here_or_not_here() -> None:
    text = (ROOT / "docs" / "from-kops.md").read_text().partition("## kops, verb by verb")[2]
    rows = re.findall(r"^\| `(kops [^`]+)` \| ([^|]+) \| ([^|]*) ?\|$", text, re.MULTILINE)
    assert [verb for verb, _here, _different in rows] == list(VERBS)
    for verb, here, different in rows:
        named = re.findall(r"`(\w+)`", here)
        assert set(named) <= set(playbooks()), verb
        assert named or (here == "not here" and different.strip()), f"{verb}: the reason is missing"
