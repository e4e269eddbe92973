# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that are texts of a form of their own."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.texts import (
    parse_feature_gate,
    parse_labels,
)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Owner=John Doe,Team=Some Team", {"Owner": "John Doe", "Team": "Some Team"}),
        (
            'Owner=John Doe,dn="cn=John Doe: dc=example dc=com", foo/bar=fib+baz',
            {"Owner": "John Doe", "dn": "cn=John Doe: dc=example dc=com", "foo/bar": "fib+baz"},
        ),
        ("a=", {"a": ""}),
        ({"a": 1}, {"a": "1"}),
    ],
)
def test_labels(text, labels):
    assert parse_labels(text) == labels


@pytest.mark.parametrize("text", ["a", "a=b=c", "a=b,c", 'a="b'])
def test_labels_that_are_none(text):
    with pytest.raises(ValueError):
        parse_labels(text)


@pytest.mark.parametrize(
    ("text", "gate"), [("Foo", ("Foo", True)), ("+Foo", ("Foo", True)), (" - Foo ", ("Foo", False))]
)
def test_feature_gate(text, gate):
    assert parse_feature_gate(text) == gate
