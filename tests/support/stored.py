# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A state store that holds what a test gives."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.model.stored import NothingStored

NAMES = {name for name in vars(NothingStored) if not name.startswith("_")}


class Given(NothingStored):
    """Nothing, but for these answers: methods and attributes of NothingStored by name."""

    def __init__(self, **answers: Any) -> None:
        assert answers.keys() <= NAMES
        vars(self).update(answers)
