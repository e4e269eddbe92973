# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of options, and the places that must say the same: arguments, their documentation, playbook."""

from __future__ import annotations

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.doc_fragments import lease, state_store
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.options import (
    OPTIONS,
    CreateOptions,
    argument_spec,
    options_from,
    parse_labels,
)
from ansible_collections.kubeops.kops.plugins.modules import create_cluster
from ansible_collections.kubeops.kops.tests.conftest import ROOT

DOCUMENTED = {
    name: option
    for documentation in (create_cluster, lease.ModuleDocFragment, state_store.ModuleDocFragment)
    for name, option in yaml.safe_load(documentation.DOCUMENTATION)["options"].items()
}
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
    assert "E(KOPS_STATE_STORE)" in " ".join(DOCUMENTED["state_store"]["description"])


def test_playbook_passes_and_documents_every_option():
    text = (ROOT / "playbooks" / "create_cluster.yml").read_text()
    plays = yaml.safe_load(text)
    task = next(task for task in plays[0]["tasks"] for key in task if key == "kubeops.kops.create_cluster")
    arguments = task["kubeops.kops.create_cluster"]
    assert set(arguments) == set(create_cluster.ARGUMENTS)
    comments = [line for line in text.splitlines() if line.startswith("#")]
    for name, option in OPTIONS.items():
        assert option.variable in arguments[name], name
        assert any(line.startswith(f"#   {option.variable}:") for line in comments), name


def test_flags_and_fields_name_one_option_each():
    for names in ("flags", "fields"):
        everything = [name for option in OPTIONS.values() for name in getattr(option.rules, names)]
        assert len(everything) == len(set(everything))


@pytest.mark.parametrize("empty", [None, "", [], [""]])
def test_empty_means_unset(empty):
    values = dict.fromkeys(OPTIONS, empty)
    assert options_from(values) == CreateOptions()


def test_false_is_said_where_unset_differs():
    assert options_from({"associate_public_ip": False}).associate_public_ip is False
    assert options_from({}).associate_public_ip is None


def test_any_case_of_dns_and_authorization_is_understood():
    options = options_from({"dns": "Private", "authorization": "alwaysallow"})
    assert (options.dns, options.authorization) == ("private", "AlwaysAllow")


def test_defaults_are_not_shared():
    options_from({}).etcd_clusters.append("leases")
    assert CreateOptions().etcd_clusters == ["main", "events"]
    assert argument_spec()["etcd_clusters"]["default"] == ["main", "events"]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Owner=John Doe,Team=Some Team", {"Owner": "John Doe", "Team": "Some Team"}),
        (
            'Owner=John Doe,dn="cn=John Doe: dc=example dc=com", foo/bar=fib+baz',
            {"Owner": "John Doe", "dn": "cn=John Doe: dc=example dc=com", "foo/bar": "fib+baz"},
        ),
        ("a=", {"a": ""}),
        ({"a": 1}, {"a": "1"}),
    ],
)
def test_labels(text, labels):
    assert parse_labels(text) == labels


@pytest.mark.parametrize("text", ["a", "a=b=c", "a=b,c", 'a="b'])
def test_labels_that_are_none(text):
    with pytest.raises(ValidationError, match="cloud_labels"):
        options_from({"cloud_labels": text})
