# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file by which controllers are told what an update wants."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.controllers import (
    Wanted,
    WantedRecord,
)

WANTED = Wanted({"nodes": {"a": "b"}}, True, "example.com", True, (WantedRecord("api", "A", "internal", "api"),))


def test_what_is_written_is_read() -> None:
    assert Wanted.read(WANTED.text().encode()) == WANTED


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"records": [{"name": "a"}]}', b'{"records": [1]}'])
def test_a_damaged_file_is_an_error(content: bytes) -> None:
    with pytest.raises(KopsError, match="igconfig/controllers.json of the state store cannot be read"):
        Wanted.read(content)


def test_what_a_later_version_says_besides_is_passed_over() -> None:
    text = WANTED.text().replace('"pod_ranges"', '"more": 1, "pod_ranges"').replace('"type"', '"more": 1, "type"')
    assert text.count('"more"') == 2
    assert Wanted.read(text.encode()) == WANTED
