# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addons of a cluster as a file of its state store, from which control planes apply them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import KopsError

# Name of the file in the directory of addons.
OBJECTS = "objects.json"
SCHEMA = 1


@dataclass(frozen=True)
class StoredAddons:
    """The content. addons, retired: as apply_addons() takes them."""

    addons: Sequence[Mapping[str, Any]] = field(repr=False)
    retired: Sequence[str] = ()

    @classmethod
    def read(cls, content: bytes) -> StoredAddons:
        """Raises KopsError."""
        try:
            data = json.loads(content)
            schema = data["schema"]
            found = cls(data["addons"], data["retired"])
        except (ValueError, KeyError, TypeError) as error:
            raise KopsError(f"it holds no addons: {type(error).__name__} {error}") from error
        if schema != SCHEMA:
            raise KopsError(f"it has schema {schema}, and this program knows {SCHEMA}: replace this control plane")
        return found

    def without_objects(self) -> StoredAddons:
        """What is needed to know whether they are applied."""
        named = [{key: value for key, value in addon.items() if key != "objects"} for addon in self.addons]
        return StoredAddons(named, self.retired)
