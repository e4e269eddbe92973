# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""By what the bootstrap servers of a cluster know its workers: the stub says it itself."""

from __future__ import annotations

from ..context import ModelContext


def proved_by(context: ModelContext) -> dict[str, object]:
    """Nothing more than the cluster's name is needed."""
    return {}
