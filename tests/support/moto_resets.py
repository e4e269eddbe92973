# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resets of moto that take a tenth of a second, rather than two: a reset comes before most tests."""

from __future__ import annotations

import copy
from typing import Any


def read_managed_policies_once() -> None:
    """AWS' own policies: moto reads 1400 documents, and writes them as JSON, at a reset and after it."""
    from moto.iam.models import IAMBackend

    known, made = IAMBackend._init_aws_policies, dict[tuple[str, str], list[Any]]()

    def init_from_those_made(self: Any) -> list[Any]:
        key = (self.account_id, self.region_name)
        if key not in made:
            made[key] = known(self)
        return [_own(policy) for policy in made[key]]

    backend: Any = IAMBackend
    backend._init_aws_policies = init_from_those_made


def make_nothing_that_is_dropped() -> None:
    """At a reset moto makes everything of an account anew, its images for example, and then drops it all."""
    from moto.core.base_backend import BaseBackend

    backend: Any = BaseBackend
    backend.reset = lambda self: None


def _own(policy: Any) -> Any:
    """A copy that can be attached, tagged and given versions."""
    own = copy.copy(policy)
    own.versions, own.tags = [*policy.versions], {**policy.tags}
    return own
