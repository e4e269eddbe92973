# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that the lab has built, for tests that start them as processes."""

from __future__ import annotations

import pathlib

import pytest
from ansible_collections.kubeops.kops.tests.lab import cache


def lab_program(module: str, name: str) -> pathlib.Path:
    """The newest build of a program of a module (which may be a pattern); skips the test where there is none."""
    found = (cache.directory() / "bin").glob(f"{module}/*/{name}")
    paths = [path for path in found if path.parent.suffix != ".partial"]
    if not paths:
        pytest.skip(f"the lab has not built {name} yet")
    return max(paths, key=lambda path: path.stat().st_mtime)
