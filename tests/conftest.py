# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures that every part of the tests shares."""

from __future__ import annotations

import gc
import os
import pathlib

import pytest
import yaml
from ansible_collections.kubeops.kops.tests.support.known_keys import take_keys_from_pool
from ansible_collections.kubeops.kops.tests.support.turns import TURNS, is_in_turn

# Python's own number is 700: with all tests in memory, looking for garbage that often takes a part of the CPU time.
_OBJECTS_UNTIL_COLLECTION = 100_000
ROOT = pathlib.Path(__file__).resolve().parent.parent
# Why a test is skipped that is marked as long.
LONG = "long: needs --all"
OTHER_TURN = "not in this turn: needs --all, or another --turn"


@pytest.fixture(scope="session")
def golden() -> pathlib.Path:
    """The directory of kops' own cases: $KOPS_GOLDEN, else beside the checkout."""
    directory = pathlib.Path(os.environ.get("KOPS_GOLDEN") or ROOT.parent / "shared" / "golden")
    if not directory.is_dir():
        pytest.skip("no golden cases here; set KOPS_GOLDEN to their directory")
    return directory


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of script/test and script/lab."""
    parser.addoption("--all", action="store_true", help="run the long tests, too")
    parser.addoption(
        "--turn", type=int, choices=range(TURNS), help="run one third of the long tests, and of those with a turn"
    )


def pytest_configure() -> None:
    """Before anything is imported for tests."""
    take_keys_from_pool()
    # yaml.safe_load() takes it, and is ten times as fast with LibYAML.
    yaml.SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # type: ignore[misc]
    gc.set_threshold(_OBJECTS_UNTIL_COLLECTION)


def pytest_collection_finish() -> None:
    """What is there when tests begin stays, so nobody need look for garbage in it."""
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip long tests, unless --all is given or it is their turn.

    Tests that share what is made once for their file stay on one worker, or every worker would make it.
    """
    everything, turn = config.getoption("--all"), config.getoption("--turn")
    for item in items:
        if item.get_closest_marker("long") and not everything and not is_in_turn(item, turn):
            item.add_marker(pytest.mark.skip(reason=LONG))
        elif item.get_closest_marker("turn") and not everything and turn is not None and not is_in_turn(item, turn):
            item.add_marker(pytest.mark.skip(reason=OTHER_TURN))
        known = getattr(item, "_fixtureinfo").name2fixturedefs.values()  # noqa: B009 -- pytest has no other name for it
        shares = any(definition.scope == "module" for definitions in known for definition in definitions)
        if shares and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
