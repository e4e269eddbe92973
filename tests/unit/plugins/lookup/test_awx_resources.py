# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup gives what AWX gets for its options, which are those of the playbook."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleError
from ansible_collections.kubeops.kops.plugins.lookup.awx_resources import DOCUMENTATION, LookupModule
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.awx import Settings, resources_of, wanted_of
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.awx_marks import lists_of_marked
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.specs import spec_of


def look_up(**given: Any) -> list[dict[str, Any]]:
    """What the lookup gives for options, as Ansible has read them."""
    documented = yaml.safe_load(DOCUMENTATION)["options"]
    options = {name: given.get(name, option.get("default")) for name, option in documented.items()}
    plugin = LookupModule()
    plugin.set_options = lambda **_direct: None
    plugin.get_options = lambda: options
    return plugin.run([], {}, **given)


def test_what_it_gives() -> None:
    (found,) = look_up(prefix="prod", clusters=["demo.example.com"])
    resources = resources_of(Settings(prefix="prod", clusters=["demo.example.com"]))
    assert {kind: found[kind] for kind in resources} == resources
    assert found["wanted"] == wanted_of(resources)
    assert found["marked"] == lists_of_marked("prod", "Default")
    assert found.keys() - resources == {"wanted", "looked_for", "marked"}


def test_options_are_those_of_the_playbook() -> None:
    """With the same types, choices and defaults."""
    documented = yaml.safe_load(DOCUMENTATION)["options"]
    assert documented.keys() - {"_terms", "loader"} == {each.name for each in dataclasses.fields(Settings)}
    # What is deleted does not change what is wanted.
    variables = {name: option for name, option in spec_of("awx").options.items() if name != "kops_awx_prune"}
    assert documented.keys() - {"_terms", "loader"} == {name.removeprefix("kops_awx_") for name in variables}
    for name, variable in variables.items():
        option = documented[name.removeprefix("kops_awx_")]
        assert option.get("choices") == variable.get("choices"), name
        assert (option["default"] or None) == variable.get("default"), name
        assert option["type"] == variable["type"].replace("path", "str"), name
        default = Settings.__dataclass_fields__[name.removeprefix("kops_awx_")].default
        assert list(option["default"]) == list(default), name


def test_errors() -> None:
    with pytest.raises(
        AnsibleError, match=r"the collection no\.body is not installed here; install it with: ansible-galaxy"
    ):
        look_up(loader="no.body")
    with pytest.raises(AnsibleError, match="a name has a comma"):
        look_up(prefix="a,b")
