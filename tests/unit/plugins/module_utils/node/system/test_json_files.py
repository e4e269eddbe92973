# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that configure commands of the node program."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass
from typing import ClassVar

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import Settings
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.json_files import load, read_json


@dataclass(frozen=True)
class OfTest(Settings):
    TITLE: ClassVar[str] = "the configuration of a test"

    port: int
    host: str = ""


def test_a_configuration_is_read(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"port": 1}')
    assert read_json(str(path)) == {"port": 1}
    assert load(OfTest, str(path)) == OfTest(1)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"{", "is not JSON"),
        (b"\xff", "is not JSON"),
        (b"[]", "is not the configuration of a test: "),
        (b"{}", "is not the configuration of a test: .*port"),
        (b'{"port": 1, "x": 1}', "is not the configuration of a test: .*'x'"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: pathlib.Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "config.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=f"{path} {said}"):
        load(OfTest, str(path))
