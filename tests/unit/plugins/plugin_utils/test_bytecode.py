# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection's files are imported with Python's cache of bytecode, inside Ansible as well."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.bytecode import CachedFinder

# As Ansible does before it loads an action plugin.
IN_ANSIBLE = """
import importlib, sys
from ansible.utils.collection_loader._collection_finder import _AnsibleCollectionFinder
_AnsibleCollectionFinder(paths=[sys.argv[1]])._install()
importlib.import_module("ansible_collections.kubeops.kops.plugins.action")
for name in sys.argv[2:]:
    module = importlib.import_module(f"ansible_collections.kubeops.kops.{name}")
    print(type(module.__spec__.loader).__name__)
"""
COLLECTIONS = pathlib.Path(__file__).parents[7]


def loaders_in_ansible(*names: str) -> list[str]:
    command = [sys.executable, "-c", IN_ANSIBLE, str(COLLECTIONS), *names]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout.split()


def test_modules_and_what_they_import_are_cached() -> None:
    names = ["plugins.modules.update_cluster", "plugins.module_utils.operations.update", "plugins.module_utils.api"]
    assert loaders_in_ansible(*names) == ["SourceFileLoader"] * 3


def test_a_folder_without_a_file_is_left_to_ansible() -> None:
    assert loaders_in_ansible("plugins.modules") == ["_AnsibleCollectionLoader"]


@pytest.fixture
def package(tmp_path: pathlib.Path) -> str:
    (tmp_path / "one.py").write_text("")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "__init__.py").write_text("")
    return str(tmp_path)


def test_other_packages_are_left_to_other_finders(package: str) -> None:
    finder = CachedFinder("ours")
    assert finder.find_spec("ours.one", [package]) is not None
    assert finder.find_spec("oursandmore.one", [package]) is None
    assert finder.find_spec("theirs.one", [package]) is None
    assert finder.find_spec("ours", None) is None


def test_a_file_that_does_not_exist_is_not_found(package: str) -> None:
    assert CachedFinder("ours").find_spec("ours.two", [package]) is None


def test_a_package_knows_where_its_files_are(package: str) -> None:
    found = CachedFinder("ours").find_spec("ours.inner", [package])
    assert found is not None
    assert found.submodule_search_locations == [os.path.join(package, "inner")]
