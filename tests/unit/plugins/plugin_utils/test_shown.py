# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which lines of progress are of interest only until the next one."""

from __future__ import annotations

import pickle

import pytest
from ansible_collections.kubeops.kops.plugins.plugin_utils.shown import NextStep, Passing, progress_line


@pytest.mark.parametrize(
    ("line", "passes"),
    [
        ("  [12/121] created VPC/demo.example.com", True),
        ("  waiting: VPC/demo.example.com: still in use", True),
        ("  after draining n1, waiting for 30 s:", True),
        ("    Node n1: is not ready", True),
        ("  nodes: draining n1 (another machine type)", False),
        ("  wrote 33 files to out", False),
    ],
)
def test_lines(line: str, passes: bool) -> None:
    found = progress_line(line)
    assert (found, isinstance(found, Passing)) == (line, passes)


@pytest.mark.parametrize("kind", [Passing, NextStep])
def test_kinds_survive_the_way_to_ansibles_own_process(kind: type[str]) -> None:
    assert isinstance(pickle.loads(pickle.dumps(kind("a"))), kind)
