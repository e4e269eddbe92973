# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an instance is the node that its NodeConfig describes, and for how long: by its certificates."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from ...exchange.certificates import RENEWED_BEFORE
from .. import record
from ..keys import issue
from ..keys.secrets_document import certificates_of
from ..observe import observe
from ..system.machine import Machine
from .warm_pool import hashes


def first_end(machine: Machine, config: Mapping[str, Any], sha256: str) -> datetime.datetime | None:
    """When the first of the node's certificates ends; None if it is not complete, or a certificate or key is missing.

    sha256: of the NodeConfig; a node that was prepared for it in a warm pool is complete, too. Without certificates
    there is no end, which is the last moment that there is.
    """
    if record.load(machine.path(record.PATH)).config not in hashes(config, sha256):
        return None
    asked = [each.name for each in certificates_of(config)]
    present = observe(machine, config.get("certificates") or ())["certificates"] if asked else {}
    if any(name not in present for name in asked):
        return None
    ends = [issue.Parts.of(present[name]).not_after for name in asked]
    return min(ends, default=datetime.datetime.max.replace(tzinfo=datetime.timezone.utc))


def is_complete(machine: Machine, config: Mapping[str, Any], sha256: str) -> bool:
    """Whether the node has become that before, and none of its certificates ends soon."""
    end = first_end(machine, config, sha256)
    return end is not None and end - datetime.datetime.now(datetime.timezone.utc) > RENEWED_BEFORE
