# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS task: iam oidc provider."""

from __future__ import annotations

from dataclasses import dataclass

from ....engine.task import Task


@dataclass(eq=False)
class IAMOIDCProvider(Task):
    """TODO."""

    client_ids: list[str] | None = None
    thumbprints: list[str] | None = None
    url: str | None = None
    tags: dict[str, str] | None = None
