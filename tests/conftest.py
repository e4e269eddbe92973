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
