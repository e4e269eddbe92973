# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of configuration files: units of systemd, TOML."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.runtime.toml import put, toml_text
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.systemd import command_line, unit_name, unit_text


def test_units_keep_their_order_and_raw_sections():
    text = unit_text({"Unit": [("After", "a"), ("After", "b")], "Service": "ExecStart=/bin/true\n"})
    assert text == "[Unit]\nAfter=a\nAfter=b\n\n[Service]\nExecStart=/bin/true\n"


@pytest.mark.parametrize(("name", "expected"), [("a", "a.service"), ("a.b", "a.b.service"), ("a.timer", "a.timer")])
def test_a_unit_without_kind_is_a_service(name, expected):
    assert unit_name(name) == expected


def test_arguments_are_escaped_as_systemd_reads_them():
    arguments = ["a", "(b)", "\\c", '"', "\\'", " "]
    assert command_line(arguments) == 'a (b) \\\\c \\" \\\\\\\' " "'


def test_arguments_with_unusual_characters_are_escaped_byte_by_byte():
    assert command_line(["a\nä"]) == "a\\x0a\\xc3\\xa4"


def test_toml_has_values_before_tables_and_quotes_keys_with_dots():
    tables = {}
    put(tables, ["version"], 3)
    put(tables, ["plugins", "io.x", "b"], True)
    put(tables, ["plugins", "io.x", "a"], 'say "x"')
    put(tables, ["plugins", "io.x", "table", "n"], 1)
    assert toml_text(tables) == (
        'version = 3\n\n[plugins]\n\n  [plugins."io.x"]\n    a = "say \\"x\\""\n    b = true\n'
        '\n    [plugins."io.x".table]\n      n = 1\n'
    )
