# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which playbooks of the collection a run of ansible-playbook consists of."""

from __future__ import annotations

import pathlib

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.run import playbooks_of_run
from ansible_collections.kubeops.kops.tests.support.playbooks import FOLDER


def test_playbooks_by_name_and_by_path() -> None:
    assert playbooks_of_run(["kubeops.kops.get", str(FOLDER / "get_secrets.yml")]) == frozenset({"get", "get_secrets"})


def test_playbooks_that_a_user_s_own_ones_import(tmp_path: pathlib.Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "site.yml").write_text(
        "- name: Update\n  import_playbook: kubeops.kops.update_cluster\n  vars: {kops_prune: true}\n"
        "- ansible.builtin.import_playbook: more/check.yml\n"
    )
    (tmp_path / "more" / "check.yml").write_text("- import_playbook: kubeops.kops.validate_cluster\n")
    assert playbooks_of_run([str(tmp_path / "site.yml")]) == frozenset({"update_cluster", "validate_cluster"})


@pytest.mark.parametrize(
    "text",
    [
        "- import_playbook: kubeops.kops.get\n- hosts: localhost\n  tasks: []\n",
        "- import_playbook: kubeops.kops.get\n- import_playbook: another.collection.playbook\n",
        "- import_playbook: kubeops.kops.get\n- import_playbook: '{{ which }}.yml'\n",
        "- import_playbook: kubeops.kops.get\n- import_playbook: missing.yml\n",
        "- import_playbook: kubeops.kops.there_is_no_such\n",
        "- import_playbook: [kubeops.kops.get]\n",
        "$ANSIBLE_VAULT;1.1;AES256\n",
        "a: [\n",
        "",
    ],
)
def test_there_may_be_others(text: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "site.yml").write_text(text)
    assert playbooks_of_run([str(tmp_path / "site.yml")]) is None


def test_an_import_of_itself_ends(tmp_path: pathlib.Path) -> None:
    (tmp_path / "site.yml").write_text("- import_playbook: kubeops.kops.get\n- import_playbook: site.yml\n")
    assert playbooks_of_run([str(tmp_path / "site.yml")]) == frozenset({"get"})


def test_nothing_is_known_of_other_programs() -> None:
    assert playbooks_of_run([]) is None
