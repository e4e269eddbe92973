# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures that every part of the tests shares."""

from __future__ import annotations

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def golden() -> pathlib.Path:
    """The directory of kops' own cases: $KOPS_GOLDEN, else beside the checkout."""
    directory = pathlib.Path(os.environ.get("KOPS_GOLDEN") or ROOT.parent / "shared" / "golden")
    if not directory.is_dir():
        pytest.skip("no golden cases here; set KOPS_GOLDEN to their directory")
    return directory


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share what is made once for their file stay on one worker, or every worker would make it."""
    for item in items:
        known = getattr(item, "_fixtureinfo").name2fixturedefs.values()  # noqa: B009 -- pytest has no other name for it
        shares = any(definition.scope == "module" for definitions in known for definition in definitions)
        if shares and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
