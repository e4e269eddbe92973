# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that are texts of a form of their own: labels and feature gates."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from typing import Any


def parse_labels(value: Mapping[str, Any] | str) -> dict[str, str]:
    """Labels from a mapping, or from kops' text form: ``Owner=John Doe,dn="cn=John Doe"``.

    In the text form a comma always separates, and quotes protect an equals sign. Raises ValueError.
    """
    if isinstance(value, Mapping):
        return {str(key): str(item) for key, item in value.items()}
    labels = {}
    try:
        # Each pair is a record of two fields, as kops reads it: csv with "=" as the separator.
        rows = list(csv.reader(value.split(","), delimiter="=", skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise ValueError(f"not a list of key=value pairs: {error}") from error
    for row in rows:
        if len(row) != 2:
            raise ValueError(
                f"{'='.join(row)!r} is not of the form key=value; put quotes around a value that holds an equals sign"
            )
        labels[row[0]] = row[1]
    return labels


def parse_feature_gate(text: str) -> tuple[str, bool]:
    """``+Name`` or ``Name`` switches on, ``-Name`` off. Raises ValueError when no name is left."""
    text = text.strip()
    name = text[1:].strip() if text[:1] in ("+", "-") else text
    if not name:
        raise ValueError("names no feature gate; write Name, +Name or -Name")
    return name, not text.startswith("-")
