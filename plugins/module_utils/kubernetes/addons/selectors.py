# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What selectors of labels find, by matchLabels and matchExpressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..client import Object


def matches(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a selector finds what has these labels; that of a node's affinity (a term) as well."""
    if any(labels.get(name) != value for name, value in (selector.get("matchLabels") or {}).items()):
        return False
    return all(_holds(expression, labels) for expression in selector.get("matchExpressions") or ())


def selects(workload: Object, pod: Object) -> bool:
    """Whether a pod is one of a workload's, by namespace and labels."""
    here, there = (each["metadata"].get("namespace", "default") for each in (workload, pod))
    return here == there and matches(workload["spec"]["selector"], pod["metadata"].get("labels") or {})


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value, operator = labels.get(expression["key"]), expression["operator"]
    values: Sequence[str] = expression.get("values") or ()
    if operator in ("Exists", "DoesNotExist"):
        return (value is not None) is (operator == "Exists")
    if operator in ("In", "NotIn"):
        return (value in values) is (operator == "In")
    try:
        number, limit = int(str(value)), int(values[0])
    except (ValueError, IndexError):
        return False
    return number > limit if operator == "Gt" else number < limit
