# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules for which feature flags of kops count say so, and are given the variable of playbooks."""

from __future__ import annotations

import functools
import importlib
import inspect
import pathlib
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import LocalActionModule
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.gates.test_documentation import ACTIONS, COLLECTION, document
from ansible_collections.kubeops.kops.tests.support.checked import reached
from ansible_collections.kubeops.kops.tests.support.playbooks import FOLDER
from ansible_collections.kubeops.kops.tests.support.references import between

PLUGINS = ROOT / "plugins"
MODULES = sorted(path.stem for path in (PLUGINS / "modules").glob("*.py"))
VARIABLE = "KOPS_FEATURE_FLAGS"
# Modules that import code which reads the flags, and do not call it.
_KEYS = "it writes keys and secrets, with the code that writes specifications"
NOT_CALLED = {
    "delete_instance": "it writes sizes of instance groups; flags are for what a cluster's specification says",
    "keypair": _KEYS,
    "keypair_info": _KEYS,
    "kubeconfig": _KEYS,
    "rotation_steps": _KEYS,
    "secret": _KEYS,
    "secret_info": _KEYS,
    "ssh_public_key": _KEYS,
    "ssh_public_key_info": _KEYS,
}


def says_flags(module: str) -> bool:
    """Whether the documentation of a module names the environment variable."""
    return f"E({VARIABLE})" in str(document(module))


@functools.cache
def readers() -> frozenset[str]:
    """Our own files that read the environment variable."""
    return frozenset(name for name, text in texts().items() if f'environ.get("{VARIABLE}"' in text.decode())


@functools.cache
def texts() -> dict[str, bytes]:
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in sorted(PLUGINS.rglob("*.py"))}


@functools.cache
def graph() -> dict[str, set[str]]:
    return between(texts())


def can_read_flags(module: str) -> bool:
    """Whether a module, or a file that it imports, reads the environment variable."""
    return not readers().isdisjoint(reached(graph(), f"plugins/modules/{module}.py"))


@pytest.mark.parametrize("module", MODULES)
def test_a_module_says_that_feature_flags_count(module: str) -> None:
    assert says_flags(module) == (can_read_flags(module) and module not in NOT_CALLED)


def test_the_exceptions_are_needed() -> None:
    assert [name for name in NOT_CALLED if not can_read_flags(name)] == []


@pytest.mark.parametrize("module", [each for each in MODULES if says_flags(each)])
def test_its_action_plugin_gives_it_the_variable(module: str) -> None:
    assert module in ACTIONS
    action: Any = importlib.import_module(f"ansible_collections.{COLLECTION}.plugins.action.{module}")
    assert issubclass(action.ActionModule, LocalActionModule)
    # The way there begins in run(), which none of them replaces.
    assert inspect.getattr_static(action.ActionModule, "run") is inspect.getattr_static(LocalActionModule, "run")


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.yml")), ids=lambda path: path.stem)
def test_no_play_has_another_way(path: pathlib.Path) -> None:
    """A play that sets the environment variable itself would be one that others forget."""
    plays = [each for each in yaml.safe_load(path.read_text()) or () if isinstance(each, dict)]
    assert [each.get("name") for each in plays if VARIABLE in str(each.get("environment", ""))] == []
