# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cloud/digitalocean/marks.py: tags that say what kops does not."""

from __future__ import annotations

import re
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import marks

_TAG = re.compile(r"[A-Za-z0-9:_-]{1,255}")


def droplet(*tags: str) -> dict[str, Any]:
    return {"id": 1, "name": "a", "tags": list(tags)}


@pytest.mark.parametrize("url", ["do://store/demo.example.com", "s3://a_b/C/ü/x--y", "memfs://1", "do://a-_2f/b"])
def test_a_store_is_read_back_from_its_tag(url: str) -> None:
    tag = marks.store_tag(url)
    assert _TAG.fullmatch(tag)
    assert marks.store_of(droplet(tag)) == url
    # Whoever used it first decided on its capitals.
    assert marks.store_of(droplet(tag.upper().replace("KUBEOPS-STORE", "kubeops-store"))).lower() == url.lower()


def test_a_mark_is_read_back_from_its_tag() -> None:
    mark = "image:3f0a91c2 keys:1a2b3c4d user-data:0123456789abcdef0123456789abcdef"
    assert _TAG.fullmatch(marks.made_from_tag(mark))
    assert marks.mark_of(droplet(marks.made_from_tag(mark))) == mark
    assert marks.mark_of(droplet()) == ""


def test_what_a_droplet_does_not_say() -> None:
    assert marks.number_of(droplet("kubeops-number:0")) is None
    assert marks.number_of(droplet("kubeops-number:x", "kubeops-numbers:1")) is None
    assert marks.number_of(droplet("kubeops-number:12")) == 12
    assert marks.leaving_of(droplet("kubeops-leaving:3")) == 3
    assert marks.leaving_of(droplet()) is None
    assert marks.store_of(droplet()) == ""
    assert marks.given_to(droplet()) == []


def test_what_it_was_given() -> None:
    tags = [marks.given_tag("h1", "c1"), marks.given_tag("h1", "c2")]
    assert marks.given_to(droplet(*tags)) == [("h1", "c1"), ("h1", "c2")]
