# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Task: a secret in the state store that is generated."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...engine.task import Task, internal
from ...statestore.secrets import ENCRYPTION_CONFIG, SERVER_KEY, Secrets, new_encryption_config, new_server_key
from ...statestore.vfs.open import open_path
from ..reads import Reads
from ._store import listed, want_listing

if TYPE_CHECKING:
    from ...engine.targets.terraform import TerraformTarget

_GENERATED = {ENCRYPTION_CONFIG: new_encryption_config, SERVER_KEY: new_server_key}


@dataclass(eq=False, repr=False)
class Secret(Task[Reads]):
    """The secret of the task's name. It is generated if it is missing, and never changed.

    base: URL of the store's directory of secrets.
    No field holds the value, so that no plan and no result can.
    """

    base: str | None = internal()

    def _base(self) -> str:
        return self.needed(self.base, "has no place in a store")

    @property
    def store_only(self) -> bool:
        """Always: secrets must never be in a Terraform state."""
        return True

    def prepare(self, cloud: Reads) -> None:
        want_listing(cloud, self._base())

    def find(self, cloud: Reads) -> Secret | None:
        return dataclasses.replace(self) if listed(cloud, self._base(), self.name) else None

    def create(self, cloud: Reads) -> None:
        Secrets(open_path(self._base())).store(self.name, _GENERATED[self.name](), new=True)

    def terraform(self, target: TerraformTarget) -> None:
        """Nothing: secrets do not belong into Terraform's state."""
