# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of fields, read in both directions."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.model.cluster_api.rows import (
    Row,
    get,
    items,
    leaves,
    named,
    number_of,
    put,
    read,
    say,
    text_of,
    words,
)

ROWS = (
    Row("spec.size", "metadata.annotations[example.com/size]", text_of, number_of),
    Row("spec.ranges", "spec.network.blocks[0]"),
    words("spec.type", "isPublic", {"Public": True, "Utility": True, "Private": False}),
    items("spec.disks", "disks", [Row("device", "name"), Row("size", "gib")]),
    named("spec.groups", "groups", "id"),
)
OURS = {
    "spec": {
        "size": 3,
        "ranges": "10.0.0.0/8",
        "type": "Public",
        "disks": [{"device": "/dev/sdb", "size": 1}],
        "groups": ["a"],
    }
}
THEIRS = {
    "metadata": {"annotations": {"example.com/size": "3"}},
    "spec": {"network": {"blocks": ["10.0.0.0/8"]}},
    "isPublic": True,
    "disks": [{"name": "/dev/sdb", "gib": 1}],
    "groups": [{"id": "a"}],
}


def test_both_directions() -> None:
    assert say(ROWS, OURS) == THEIRS
    assert read(ROWS, THEIRS) == OURS


def test_what_cannot_be_said_is_left_out() -> None:
    """Nothing is guessed of a word that is not known, or of another type."""
    assert say(ROWS, {"spec": {"type": "Isolated", "size": "many", "disks": []}}) == {}
    assert read(ROWS, {"disks": "none", "groups": ["a"], "metadata": {"annotations": {"example.com/size": "x"}}}) == {}


@pytest.mark.parametrize("path", ["a.b.c", "a.b[0].c", "[x.y/z]", "a[x.y]"])
def test_what_is_put_is_there(path: str) -> None:
    data: dict[str, Any] = {}
    put(data, path, 1)
    assert get(data, path) == 1
    put(data, path, 2)
    assert get(data, path) == 2


def test_the_whole_object() -> None:
    data: dict[str, Any] = {"a": {"b": 1}}
    put(data, "", {"a": {"c": 2}})
    assert get(data, "") == {"a": {"b": 1, "c": 2}}
    assert get(data, "a.b.c") is None


def test_leaves_have_paths_as_users_read_them() -> None:
    data = {"a": {"b.c/d": [], "e": [{"f": 1}, {"f": 2}], "g": ["x"]}}
    assert dict(leaves(data)) == {"a[b.c/d]": [], "a.e[0].f": 1, "a.e[1].f": 2, "a.g": ["x"]}
