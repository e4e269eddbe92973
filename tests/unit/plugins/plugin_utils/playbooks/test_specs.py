# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the files of playbooks/meta are put together."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks import specs


def test_a_playbook_says_only_what_differs() -> None:
    shared = specs.shared_variables()["kops_lease_wait"]
    assert specs.variables_of("edit")["kops_lease_wait"] == shared
    own = specs.variables_of("rolling_update")["kops_lease_wait"]
    assert (own["type"], own["default"], own["description"] != shared["description"]) == (shared["type"], 90, True)


def test_another_type_has_its_own_elements_choices_and_default() -> None:
    assert specs.shared_variables()["kops_manifest"]["elements"] == "path"
    assert "elements" not in specs.variables_of("get")["kops_manifest"]


def test_a_playbook_takes_the_variables_of_those_that_it_continues_with() -> None:
    taken = specs.variables_of("update_cluster")
    assert {"kops_interrupt", "kops_address", "kops_plan_id"} <= taken.keys()
    # What it says itself counts.
    assert "default" not in taken["kops_validate_wait"]
    assert specs.variables_of("hosts")["kops_validate_wait"]["default"] == 600


def test_what_is_refused_is_not_taken() -> None:
    assert specs.variables_of("upgrade_cluster").keys() & {"kops_phase", "kops_limit"} == set()
    assert specs.variables_of("reconcile")["kops_target"]["choices"] == ["direct", "terraform", "cloudformation"]


def test_what_a_part_refuses_is_taken_by_a_playbook_that_lists_it() -> None:
    refused = {name for each in specs.refusals_of("upgrade_cluster") for name in each.variables}
    assert "kops_phase" in refused
    assert "kops_target" not in refused


def test_results_and_variables_are_known() -> None:
    assert {"kops_plan_text", "kops_plan_id", "kops_state_store", "kops_address"} <= specs.known_variables()
    assert "kops_plan_text" not in specs.taken_variables()
    assert {"kops_state_store", "kops_become"} <= specs.environment_variables()
