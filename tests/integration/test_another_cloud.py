# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stub of a cloud, added as CONTRIBUTING.md says: made, unchanged, deleted; the other clouds stay as they are."""

from __future__ import annotations

import itertools
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE, Account
from ansible_collections.kubeops.kops.tests.support import stub_collection
from ansible_collections.kubeops.kops.tests.support.stub_api import NoMachines, Stub, served

# In a process of its own, as this one has the collection without the stub.
_CALLS = "ansible_collections.kubeops.kops.tests.support.calls"


@pytest.fixture(name="collections", scope="module")
def make_collections(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return stub_collection.with_stub(tmp_path_factory.mktemp("stub"))


@pytest.fixture(name="stub")
def make_stub(monkeypatch: pytest.MonkeyPatch) -> Any:
    stub = Stub(NoMachines(), (f"10.0.0.{number}" for number in itertools.count(1)))
    with served(stub) as url:
        monkeypatch.setenv("STUB_CLOUD", url)
        yield stub


def call(collections: pathlib.Path, function: str, /, **options: Any) -> Any:
    """Run one of the functions of calls.py with the collection of a path."""
    done = subprocess.run(
        [sys.executable, "-m", _CALLS, function, json.dumps(options)],
        env={**os.environ, "PYTHONPATH": str(collections)},
        capture_output=True,
        text=True,
        check=False,
        cwd=collections,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_no_more_than_four_files_change_outside_of_its_folders() -> None:
    assert len({**stub_collection.ROWS, **stub_collection.NAMES}) <= 4
    folders = {path.relative_to(stub_collection.OWN).parts[:2] for path in stub_collection.OWN.rglob("*.py")}
    assert folders == {(room, stub_collection.NAME) for room in ("cloud", "model", "node")}
    assert not any((ROOT / "plugins" / "module_utils").joinpath(*folder).exists() for folder in folders)


def test_a_cluster_in_it_is_made_once_and_deleted(account: Account, collections: pathlib.Path, stub: Stub) -> None:
    options = {"cloud": stub_collection.NAME, "zones": ["us-east"], "networking": "flannel", "node_count": 2}
    call(collections, "create", name=NAME, state_store=STORE, **options)
    planned = call(collections, "update", state_store=STORE, name=NAME, check=True)
    assert planned["changed"]
    assert stub.writes == []
    made = call(collections, "update", state_store=STORE, name=NAME)
    assert made["changed"]
    found = stub.cluster(NAME)
    assert sorted(each["role"] for each in found["instances"].values()) == ["ControlPlane", "Node", "Node"]
    texts = {group["role"]: group["user_data"] for group in found["groups"].values()}
    assert "PRIVATE KEY" not in "".join(texts.values())
    servers = [each["address"] for each in found["instances"].values() if each["role"] == "ControlPlane"]
    assert f'"{servers[0]}"' in texts["Node"]
    writes = list(stub.writes)
    again = call(collections, "update", state_store=STORE, name=NAME)
    assert (again["changed"], stub.writes) == (False, writes)
    call(collections, "delete", state_store=STORE, name=NAME)
    assert not any(found.values())


def test_what_instances_of_aws_run_is_the_same(account: Account, collections: pathlib.Path) -> None:
    """Else they would be outdated, and replaced, for every cloud that is added."""
    account.create(zones=["us-east-1a"])
    account.update()
    mine, others = (
        call(path, "user_data", state_store=STORE, name=NAME) for path in (ROOT / ".venv" / "collections", collections)
    )
    assert mine
    assert mine == others
