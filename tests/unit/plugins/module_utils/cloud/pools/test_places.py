# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of groups are kept in the state store, a file for each."""

from __future__ import annotations

import pathlib

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.places import (
    give_up_places,
    keep_place,
    places_in,
)

NODES, OTHERS = "igconfig/node/nodes/server-template.json", "igconfig/control-plane/nodes-2/server-template.json"


@pytest.fixture(name="store")
def in_a_directory(tmp_path: pathlib.Path) -> str:
    return f"file://{tmp_path}/demo.example.com"


def test_what_is_kept_is_there_until_it_is_given_up(store: str) -> None:
    assert places_in(store) == {}
    for number in (1, 2, 11):
        keep_place(store, NODES, number)
        keep_place(store, NODES, number)
    keep_place(store, OTHERS, 1)
    assert places_in(store) == {"nodes": {1, 2, 11}, "nodes-2": {1}}
    give_up_places(store, "nodes", [1, 2, 3])
    assert places_in(store) == {"nodes": {11}, "nodes-2": {1}}
    give_up_places(store, "nodes", [1])
    assert places_in(store) == {"nodes": {11}, "nodes-2": {1}}


def test_other_files_are_no_places(store: str, tmp_path: pathlib.Path) -> None:
    directory = tmp_path / "demo.example.com" / "igconfig" / "node" / "nodes"
    (directory / "places").mkdir(parents=True)
    (directory / "places" / "readme").write_text("")
    (directory / "7").write_text("")
    assert places_in(store) == {}


def test_nobody_knows_places_without_a_store() -> None:
    assert places_in("") == {}
    give_up_places("", "nodes", [1])
