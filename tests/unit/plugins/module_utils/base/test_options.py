# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What messages tell a user to set is there: as an option of a module, and as a variable of a playbook."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.options import named
from ansible_collections.kubeops.kops.plugins.module_utils.operations.clouds import places

ROOT = Path(__file__).parents[5]
CALL = re.compile(r"""\bnamed\(["'](\w+)["']""")
CALLED = {name for path in ROOT.glob("plugins/**/*.py") for name in CALL.findall(path.read_text())}
# What says where a cluster is depends on its cloud, so messages take these names from the table.
OPTIONS = sorted({*CALLED, *places()})


def test_both_are_named() -> None:
    assert named("prune") == "prune: true (kops_prune=true in a playbook)"
    assert named("if_different", "keep") == "if_different: keep (kops_if_different=keep in a playbook)"


@pytest.mark.parametrize("option", OPTIONS)
def test_what_is_named_is_an_option_and_a_variable(option: str) -> None:
    modules = "".join(path.read_text() for path in ROOT.glob("plugins/modules/*.py"))
    fragments = "".join(path.read_text() for path in ROOT.glob("plugins/doc_fragments/*.py"))
    playbooks = "".join(path.read_text() for path in ROOT.glob("playbooks/**/*.yml"))
    assert re.search(rf"^  {option}:$", modules + fragments, re.MULTILINE)
    assert re.search(rf"^ +{option}: .*\bkops_{option}\b", playbooks, re.MULTILINE)


def test_all_calls_are_found() -> None:
    common = ["adopt", "allow_network_change", "apply", "break_lease", "force", "if_different", "prune", "unregister"]
    assert {*common, "external", "release", "terraform_variables"} == CALLED
    assert {*OPTIONS} - CALLED == {"region", "project"}
