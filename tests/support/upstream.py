# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons without the definitions of their kinds, which upstream's releases contain."""

from __future__ import annotations

from collections.abc import Sequence

from ansible_collections.kubeops.kops.plugins.module_utils.addons.upstream import UpstreamFile


def without_definitions(urls: Sequence[str]) -> dict[str, UpstreamFile]:
    """Every file, empty."""
    return {url: UpstreamFile(url, b"", ()) for url in urls}
