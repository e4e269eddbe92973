# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of options, and the places that must say the same: arguments, their documentation, playbook."""

from __future__ import annotations

import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.options import (
    OPTIONS,
    CreateOptions,
    argument_spec,
)
from ansible_collections.kubeops.kops.plugins.modules import create_cluster
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.descriptions import options_of
from ansible_collections.kubeops.kops.tests.conftest import ROOT

DOCUMENTED = options_of("create_cluster")
DOCUMENTED_KEYS = ("type", "elements", "default", "aliases", "choices")


def test_documentation_says_what_the_argument_spec_says():
    spec = create_cluster.ARGUMENTS
    assert sorted(DOCUMENTED) == sorted(spec)
    for name, argument in spec.items():
        expected = {key: argument[key] for key in DOCUMENTED_KEYS if key in argument}
        assert {key: DOCUMENTED[name][key] for key in DOCUMENTED_KEYS if key in DOCUMENTED[name]} == expected, name


def test_documentation_names_choices_clouds_feature_flags_and_environment():
    for name, option in OPTIONS.items():
        text = " ".join(DOCUMENTED[name]["description"])
        assert [choice for choice in option.rules.choices if f"V({choice})" not in text] == [], name
        assert not option.rules.feature or f"feature flag C({option.rules.feature})" in text, name
        assert not option.rules.clouds or "only." in text, name
        assert [variable for variable in option.rules.environment if f"E({variable})" not in text] == [], name


def test_playbook_passes_and_documents_every_option():
    tasks = yaml.safe_load((ROOT / "playbooks" / "tasks" / "from_variables.yml").read_text())
    inferred, *others = (task[key] for task in tasks for key in task if key == "kubeops.kops.create_cluster")
    # The action plugin gives the module its file for progress.
    assert set(inferred) == set(create_cluster.ARGUMENTS) - {"progress_file"}
    assert all(each == inferred for each in others)
    head = (ROOT / "playbooks" / "create_cluster.yml").read_text()
    comments = [line for line in head.splitlines() if line.startswith("#")]
    for name, option in OPTIONS.items():
        assert option.variable in inferred[name], name
        assert any(line.startswith(f"#   {option.variable} ") for line in comments), name


def test_flags_and_fields_name_one_option_each():
    for names in ("flags", "fields"):
        everything = [name for option in OPTIONS.values() for name in getattr(option.rules, names)]
        assert len(everything) == len(set(everything))


def test_defaults_are_not_shared():
    CreateOptions().etcd_clusters.append("leases")
    assert CreateOptions().etcd_clusters == ["main", "events"]
    assert argument_spec()["etcd_clusters"]["default"] == ["main", "events"]
