# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks that say what a server was made from."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools.made_from import differing, mark_of


def test_parts_that_differ_are_named() -> None:
    before = mark_of({"image": "debian-12", "flavor": "medium", "labels": {"a": "1", "b": "2"}})
    assert differing(before, mark_of({"labels": {"b": "2", "a": "1"}, "flavor": "medium", "image": "debian-12"})) == []
    after = mark_of({"image": "debian-13", "flavor": "medium", "zone": "az-1"})
    assert differing(before, after) == ["image", "labels", "zone"]


def test_nothing_is_known_of_what_has_no_mark() -> None:
    assert differing("", mark_of({"image": "debian-12"})) == ["image"]
    assert differing("", "") == []
