# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Set what the user has left out, and nothing else."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from ..api.fields import rules_of
from ..api.scalars import Quantity


def fill(target: Any, **defaults: Any) -> None:
    """Set each attribute of the API object that is unset; False, 0 and "" are unset where the field is plain."""
    plain = _plain_attributes(target.__class__)
    for attribute, default in defaults.items():
        value = getattr(target, attribute)
        if value is None or (not value and (attribute in plain or isinstance(value, (list, dict)))):
            setattr(target, attribute, default)


def fill_quantities(target: Any, **defaults: str) -> None:
    """Set each Quantity of the API object that is unset or zero."""
    for attribute, default in defaults.items():
        value = getattr(target, attribute)
        if value is None or not Quantity.parse(value).value:
            setattr(target, attribute, Quantity(default))


@functools.cache
def _plain_attributes(cls: type) -> frozenset[str]:
    return frozenset(field.name for field in dataclasses.fields(cls) if rules_of(field).plain)
