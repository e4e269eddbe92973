# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes next, by how an operation has ended."""

from __future__ import annotations

import re

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.next_steps import (
    TABLE,
    WRITTEN,
    Row,
    next_steps,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.targets.rendering import Rendering
from ansible_collections.kubeops.kops.plugins.module_utils.operations.targets.table import TARGETS
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import playbooks, variables_of
from ansible_collections.kubeops.kops.tests.support.playbooks import FOLDER


def test_only_what_is_so_is_said() -> None:
    assert next_steps("hosts", {"planned": False, "deferred": []}) == []
    assert next_steps("hosts", {"planned": True, "deferred": ["a", "b"]}) == [
        "the same without --check",
        "kubeops.kops.rolling_update drains and changes a,b, one after the other",
    ]


def test_an_approved_plan_says_more_than_a_plan_where_it_can_be_approved() -> None:
    ended = {"planned": True, "planned_as": "0123"}
    (step,) = next_steps("update_cluster", ended)
    assert "kops_plan_id=0123" in step
    assert next_steps("reconcile", ended) == ["the same without --check"]


def test_what_a_larger_operation_does_itself_is_not_said() -> None:
    ended = {"deferred": ["a"], "outdated": True}
    assert next_steps("reconcile", ended) == []
    assert len(next_steps("create_cluster", ended)) == 2


def test_an_unknown_end_is_an_error() -> None:
    with pytest.raises(KopsError, match="did you mean deferred"):
        next_steps("hosts", {"defered": True})


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.ended)
def test_a_step_can_be_taken(row: Row) -> None:
    """Its playbook is there, and takes the variables that it names; for "the same", the operation does."""
    assert set(row.operations) <= set(playbooks())
    of_targets = [each.carried_out_by for each in TARGETS.values() if isinstance(each, Rendering)]
    for text in of_targets if row.ended == WRITTEN else [row.text]:
        assert re.match(r"kubeops\.kops\.|the same |terraform |aws |kubectl |take |what it has |nothing; ", text)
        named = re.findall(r"kubeops\.kops\.(\w+)", text)
        assert set(named) <= set(playbooks())
        variables = set(re.findall(r"\bkops_\w+", text))
        for playbook in named or row.operations:
            assert variables <= variables_of(playbook).keys()


def test_playbooks_and_modules_say_all_ends() -> None:
    """What nothing says is not in the table."""
    texts = [path.read_text() for path in FOLDER.rglob("*.yml")]
    said = {name for text in texts for name in re.findall(r"^ +'?(\w+)'?: ", text, re.MULTILINE)}
    sources = [path.read_text() for path in (FOLDER.parent / "plugins").rglob("*.py") if path.stem != "next_steps"]
    said |= {name.lower() for text in sources for name in re.findall(r"\b([A-Z_]+): ", text)}
    assert {row.ended for row in TABLE} <= said
