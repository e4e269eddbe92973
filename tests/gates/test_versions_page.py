# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/versions.md says what the tables in the code say."""

from __future__ import annotations

import re

from ansible_collections.kubeops.kops.plugins.module_utils.channels.loader import load_channel
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import KOPS_VERSION
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.lab.binaries import KUBERNETES
from ansible_collections.kubeops.kops.tests.versions.environments import VERSIONS

_ROW = re.compile(r"^\| (.+?) \| (.+?) \|$", re.MULTILINE)
ROWS = dict(_ROW.findall((ROOT / "docs" / "versions.md").read_text(encoding="utf-8")))


def test_versions_are_those_of_the_tables() -> None:
    pythons = {python for version in VERSIONS for python in version.pythons}
    assert ROWS["ansible-core"] == ", ".join(version.name for version in VERSIONS)
    assert ROWS["Python of the controller"] == ", ".join(sorted(pythons, key=lambda text: int(text.partition(".")[2])))
    assert ROWS["Kubernetes, built and run on hosts by the tests"] == ", ".join(sorted(KUBERNETES))
    assert ROWS["kops, whose rules and files these are"] == KOPS_VERSION


def test_recommended_versions_are_those_of_the_channel() -> None:
    shown = {minor: patch for minor, patch in ROWS.items() if re.fullmatch(r"1\.\d+", minor)}
    advised = {
        each.recommended.rpartition(".")[0]: each.recommended for each in load_channel("stable").kubernetes_versions
    }
    assert len(shown) >= 5
    assert shown == {minor: advised[minor] for minor in shown}
    assert max(shown, key=lambda text: int(text[2:])) == max(advised, key=lambda text: int(text[2:]))
