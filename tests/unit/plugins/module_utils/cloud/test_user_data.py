# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between two texts of user data, in words."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.user_data import changes_of

BOOT: dict[str, Any] = {
    "cluster": "demo.example.com",
    "program": {"sha256": "a"},
    "nodeConfigs": {"amd64": {"sha256": "b"}},
    "servers": {"addresses": ["10.0.0.1"]},
}


def plain(loader: str = "loader", **changes: Any) -> str:
    text = json.dumps({**BOOT, **changes}, indent=1)
    return f"#!/bin/bash\ncat > /etc/kubeops/boot.json << '__EOF_BOOT'\n{text}\n__EOF_BOOT\n{loader}\n"


def packed(**changes: Any) -> str:
    text = base64.b64encode(gzip.compress(json.dumps({**BOOT, **changes}).encode())).decode()
    return f"base64 -d << '__EOF_BOOT' | gzip -d > /etc/kubeops/boot.json\n{text}\n__EOF_BOOT\n"


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (plain(), []),
        (plain(program={"sha256": "c"}), ["another node program"]),
        (plain(nodeConfigs={}, servers={}), ["another NodeConfig", "other bootstrap servers or authorities"]),
        (plain(loader="other"), ["another boot script"]),
        (plain(role="Node"), ["another boot script"]),
        (plain().replace("\n", "\r\n"), ["another boot script"]),
        ("#!/bin/bash\nnodeup", ["other user data"]),
        ("cat > /x << '__EOF_BOOT'\n{\n__EOF_BOOT\n", ["other user data"]),
    ],
)
def test_each_part_has_its_words(after: str, words: list[str]) -> None:
    assert changes_of(plain(), after) == words
    assert bool(changes_of(after, plain())) == bool(words)


def test_compressed_texts_are_looked_into() -> None:
    assert changes_of(packed(), packed(program={"sha256": "c"})) == ["another node program"]
