# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Molecule's scenarios of the roles, each from fresh hosts to none."""

from __future__ import annotations

import subprocess

import pytest
from ansible_collections.kubeops.kops.tests.conftest import ROOT

pytestmark = pytest.mark.long

SCENARIOS = sorted(path.parent.name for path in (ROOT / "extensions" / "molecule").glob("*/molecule.yml"))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenario(scenario: str, prepared: None) -> None:
    command = (str(ROOT / "script" / "lab"), "molecule", "test", "--scenario-name", scenario)
    done = subprocess.run(
        command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout


def test_each_role_has_a_scenario() -> None:
    assert {path.name for path in (ROOT / "roles").iterdir()} <= set(SCENARIOS)
