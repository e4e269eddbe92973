# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Policies as files: what is read, and what is wrong with them, with file and line."""

from __future__ import annotations

import pathlib
import re

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.policy.policy import Policy, PolicyError
from ansible_collections.kubeops.kops.tests.conftest import ROOT

RULE = "- {name: %s, message: Why., about: cluster, field: spec.channel, required: true}"
WRONG = """\
rules:
  - name: a
    message: Why.
    about: cluster
    kinds: [VPC]
    field: spec.channels
    allowed: [stable]
  - name: a
    message: Why.
    about: grup
    min: 3
    max: 2
    actions: [replace]
    matches: "("
  - {about: group, effect: stop, when: "["}
---
rules:
  - {name: b, mesage: Why., about: group, never: true}
"""


def test_all_problems_are_told_with_file_and_line(tmp_path: pathlib.Path) -> None:
    (tmp_path / "p.yml").write_text(WRONG)
    (tmp_path / "q.yml").write_text("rules: []")
    (tmp_path / "r.yml").write_text("rules: [")
    with pytest.raises(PolicyError) as caught:
        Policy.read([str(tmp_path)])
    head, *problems = str(caught.value).replace(f"{tmp_path}/", "").splitlines()
    assert head == "the policy cannot be used:"
    assert [problem for problem in problems if not problem.startswith("- r.yml")] == [
        "- p.yml, line 5: rules[0].kinds: only objects and changes have kinds;"
        " a rule about object or change can name some",
        "- p.yml, line 6: rules[0].field: there is no field channels; did you mean channel?",
        "- p.yml, line 10: rules[1].about: there is no 'grup'; it is one of cluster, group, object, change, operation;"
        " did you mean group?",
        "- p.yml, line 13: rules[1].actions: there is no 'replace'; it is one of create, update, delete, keep",
        "- p.yml, line 13: rules[1].actions: only a rule about change can name actions",
        "- p.yml, line 14: rules[1].matches: of which field? Give field",
        "- p.yml, line 11: rules[1].min: it is more than max, 2",
        "- p.yml, line 14: rules[1].matches: it is no regular expression:"
        " missing ), unterminated subpattern at position 0",
        "- p.yml, line 8: rules[1].name: there is a rule a already (p.yml, line 2)",
        "- p.yml, line 15: rules[2]: a rule needs name",
        "- p.yml, line 15: rules[2].message: a rule needs message",
        "- p.yml, line 15: rules[2].effect: there is no 'stop'; it is one of deny, warn",
        "- p.yml, line 15: rules[2]: a rule needs must, never, or a field and what it must be",
        "- p.yml, line 15: rules[2].when: '[' is no JMESPath expression:"
        " Invalid jmespath expression: Incomplete expression",
        "- p.yml, document 2, line 18: rules[0].mesage: unknown field; did you mean message?",
        "- q.yml, line 1: rules: it has no rules",
    ]
    assert len([problem for problem in problems if problem.startswith("- r.yml")]) == 1


def test_directories_are_read_in_the_order_of_their_names(tmp_path: pathlib.Path) -> None:
    (tmp_path / "b.yml").write_text(f"rules:\n{RULE % 'b'}\n---\nrules:\n{RULE % 'c'}\n")
    (tmp_path / "a.json").write_text('{"rules": [{"name": "a", "message": "m", "about": "change", "never": true}]}')
    policy = Policy.read([str(tmp_path), ""])
    assert [(check.rule.name, check.where.rpartition("/")[2]) for check in policy.checks] == [
        ("a", "a.json, line 1"),
        ("b", "b.yml, line 2"),
        ("c", "b.yml, document 2, line 5"),
    ]
    assert policy.about("change") == ["a"]


def test_no_files_are_no_policy(tmp_path: pathlib.Path) -> None:
    assert not Policy.read([])
    with pytest.raises(KopsError, match="cannot read .*nowhere.yml"):
        Policy.read([str(tmp_path / "nowhere.yml")])
    with pytest.raises(KopsError, match="holds no policy"):
        Policy.read([str(tmp_path)])


def test_the_examples_of_the_documentation_are_a_policy(tmp_path: pathlib.Path) -> None:
    examples = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "policy.md").read_text(), re.DOTALL)
    for number, example in enumerate(examples):
        (tmp_path / f"{number}.yml").write_text(example)
    assert len(Policy.read([str(tmp_path)]).checks) == 3 + 10
