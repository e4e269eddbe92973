# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Durations and quantities: the canonical text that kops writes."""

from __future__ import annotations

from decimal import Decimal

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.scalars import Duration, Quantity


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("0", "0s"),
        ("90s", "1m30s"),
        ("1h", "1h0m0s"),
        ("1.5h", "1h30m0s"),
        ("-2m", "-2m0s"),
        ("100ms", "100ms"),
        ("1500us", "1.5ms"),
        ("0.5ns1.5us", "1.5µs"),
        ("2h45m0.25s", "2h45m0.25s"),
    ],
)
def test_duration_is_canonical(text: str, canonical: str) -> None:
    assert Duration.parse(text) == canonical
    assert Duration.parse(canonical) == canonical


@pytest.mark.parametrize("text", ["", "5", "5x", "1d", "h", "1 h", "--1h"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        Duration.parse(text)


def test_duration_in_seconds() -> None:
    assert Duration.parse("1m30.5s").seconds == 90.5


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("0", "0"),
        (2, "2"),
        (0.5, "500m"),
        ("1000m", "1"),
        ("2000", "2k"),
        ("1500", "1500"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("0.5Ki", "512"),
        ("2000Ki", "2000Ki"),
        ("1.1Ki", "1126400m"),
        ("1e3", "1e3"),
        ("0.1n", "1n"),
        ("-1.5", "-1500m"),
        ("999999999999", "999999999999"),
    ],
)
def test_quantity_is_canonical(text: str | float, canonical: str) -> None:
    assert Quantity.parse(text) == canonical
    assert Quantity.parse(canonical) == canonical


@pytest.mark.parametrize("text", ["", "x", "1K", "1 Gi", "Gi", "1.2.3", "1ee3"])
def test_what_is_no_quantity(text: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        Quantity.parse(text)


@pytest.mark.parametrize(("text", "value"), [("1500m", "1.5"), ("1Ki", "1024"), ("2e3", "2000"), ("3n", "3e-9")])
def test_value_of_a_quantity(text: str, value: str) -> None:
    assert Quantity(text).value == Decimal(value)
