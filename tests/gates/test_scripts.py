# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts say how they are used, wherever they are called from."""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest
from ansible_collections.kubeops.kops.tests.conftest import ROOT


@pytest.mark.parametrize("name", ["bench", "certify", "demo", "docs", "release"])
def test_help_from_another_directory(name: str, tmp_path: pathlib.Path) -> None:
    script = os.path.relpath(ROOT.resolve() / "script" / name, tmp_path)
    done = subprocess.run([script, "--help"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Usage: script/{name}" in done.stdout
