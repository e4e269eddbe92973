# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels by which this collection knows more of a server than kops does."""

from __future__ import annotations

import re

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import marks

VALUE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")


@pytest.mark.parametrize(
    "url",
    [
        "hos://example-state/demo.k8s.local",
        "hos://bucket/_a_/b-/.c_2f",
        f"s3://{'b' * 63}/{'deep/' * 30}demo.example.com",
        "hos://bucket/großes-ü",
        "",
    ],
)
def test_a_store_is_read_as_it_was_named(url: str) -> None:
    labels = marks.of_store(url)
    assert marks.store_of({**labels, "team": "storage"}) == url
    assert all(VALUE.fullmatch(value) for value in labels.values())


def test_two_stores_have_different_labels() -> None:
    assert marks.of_store("hos://a/b_2fc") != marks.of_store("hos://a/b/c")


def test_what_a_server_was_made_from() -> None:
    mark = "image:3f0a91c2 type:00000000 user-data:" + "a" * 32
    labels = marks.of_mark(mark)
    assert labels == {
        "kubeops.kops/made-from-image": "3f0a91c2",
        "kubeops.kops/made-from-type": "00000000",
        "kubeops.kops/made-from-user-data": "a" * 32,
    }
    assert marks.mark_of({"kops.k8s.io/cluster": "demo", **labels}) == mark
    assert marks.mark_of({"kops.k8s.io/cluster": "demo"}) == ""


@pytest.mark.parametrize(("said", "number"), [("3", 3), ("0", None), ("-1", None), ("x", None), ("", None)])
def test_numbers(said: str, number: int | None) -> None:
    assert marks.number_of({marks.NUMBER: said}) == number
