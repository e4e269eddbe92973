# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The site of the documentation builds without a warning and has every page, and its picture is that of the code."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.picture.__main__ import FILE, drawn
from ansible_collections.kubeops.kops.tests.picture.layers import layers_of
from ansible_collections.kubeops.kops.tests.picture.rooms import parts
from ansible_collections.kubeops.kops.tests.site.sources import INDEX, sections


def test_the_index_has_every_page() -> None:
    listed = [page for pages in sections().values() for page in pages]
    assert sorted(listed) == sorted(path.stem for path in (ROOT / "docs").glob("*.md") if path.name != INDEX)


def build_site() -> pathlib.Path:
    """In the folder of script/docs: pages that have not changed since the last time are not read again."""
    command = [sys.executable, "-m", "ansible_collections.kubeops.kops.tests.site"]
    # As a reader has it who has not put .venv/bin on the path.
    environment = {**os.environ, "PATH": os.defpath}
    folder = ROOT / ".venv" / "collections"
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "build" / "site" / "html"


def test_the_site_builds_without_a_warning() -> None:
    site = build_site()
    assert (site / "index.html").is_file()
    assert (site / "modules" / "update_cluster_module.html").is_file()


def test_the_picture_is_that_of_the_code() -> None:
    """script/architecture-picture draws it anew."""
    assert FILE.read_text(encoding="utf-8") == drawn()


def test_arrows_of_the_picture_point_down() -> None:
    found = parts()
    layers = layers_of(found)
    assert all(layers.layer_of(part.name) < layers.layer_of(used) for part in found for used in part.uses)
    assert sorted(part.name for part in found) == sorted(
        item for layer in layers.items for item in layer if isinstance(item, str)
    )
