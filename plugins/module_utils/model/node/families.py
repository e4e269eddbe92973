# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between families of distributions within a text. Each gets a text of its own, under a condition: a fact
in its place would change the text of nodes that do not differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...exchange.distributions import FAMILIES, Family
from .draft import on


def families_by(*attributes: str) -> Iterator[tuple[Family, Mapping[str, list[str]]]]:
    """A family for each set of values of these attributes, and the condition of all families that have them.

    The most usual ones come first.
    """
    alike: dict[tuple[Any, ...], list[Family]] = {}
    for family in FAMILIES.values():
        alike.setdefault(tuple(getattr(family, name) for name in attributes), []).append(family)
    for families in alike.values():
        yield families[0], on(family=[family.name for family in families])
