# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A converger that is killed at any moment: the next run makes good, and no unit goes on with what is old."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node import kill_driver
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.assets import Assets
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.full_config import (
    SECRETS,
    full_config,
    next_config,
)

POINTS = int(os.environ.get("KOPS_KILL_POINTS", "22"))


@pytest.fixture
def scratch() -> Iterator[pathlib.Path]:
    """In memory where that is possible: what a killed process wrote is there without waiting for a disk."""
    memory = pathlib.Path("/dev/shm")
    path = tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else None)
    yield pathlib.Path(path)
    shutil.rmtree(path)


@pytest.mark.parametrize("earlier", [False, True], ids=["fresh", "converged"])
def test_every_point_is_made_good_by_the_next_run(scratch: pathlib.Path, assets: Assets, earlier: bool) -> None:
    documents: dict[str, Any] = {
        "secrets": {name: base64.b64encode(value).decode() for name, value in SECRETS.items()},
        "config": next_config(assets) if earlier else full_config(assets),
    }
    if earlier:
        documents["earlier"] = full_config(assets)
    for name, document in documents.items():
        (scratch / name).write_text(json.dumps(document))
    done = subprocess.run(
        [sys.executable, kill_driver.__file__, scratch, str(POINTS), *(scratch / name for name in documents)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["events"] > 100
    assert len(result["points"]) >= 20
    for point in result["points"]:
        assert point == {"event": point["event"], "died": -9, "again": 0, "differs": []}
    assert result["unlucky"]["runs"] > 5
    assert result["unlucky"]["differs"] == []
