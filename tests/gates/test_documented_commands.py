# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command in the documentation is one that a user can type.

tests/integration/test_documented_commands.py runs those that an account on loopback can answer.
"""

from __future__ import annotations

import re
import subprocess

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import playbooks
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.documented.kops_verbs import VERBS
from ansible_collections.kubeops.kops.tests.documented.pages import INLINE, blocks
from ansible_collections.kubeops.kops.tests.documented.proofs import FOREIGN, PROOFS, playbook_of, problems
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
    shown = [command for command in commands() if command.program == "ansible-doc"]
    assert shown
    for command in shown:
        subprocess.run(command.words, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


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
