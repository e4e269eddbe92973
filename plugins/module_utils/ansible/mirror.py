# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of the modules that read or write registries and file repositories."""

from __future__ import annotations

from typing import Any

from ..base.errors import KopsError
from ..operations.mirror.publishers import ReadingOptions
from .module import Call

REGISTRIES: dict[str, Any] = {
    "plain_http_registries": {"type": "list", "elements": "str", "default": []},
    "registry_auth_file": {"type": "path"},
}
READING: dict[str, Any] = {
    "sources": {"type": "dict", "default": {}},
    "image_architectures": {"type": "str", "choices": ["all", "cluster"], "default": "all"},
}
ARCHITECTURES: dict[str, Any] = {
    "architectures": {"type": "list", "elements": "str", "choices": ["amd64", "arm64"], "default": []}
}


def reading_options(call: Call) -> ReadingOptions:
    """The options of a call. Raises KopsError for a source that is not a text."""
    sources = call.parameters.get("sources") or {}
    for name, place in sources.items():
        if not isinstance(place, str) or not place:
            raise KopsError(f"sources: {name}: must be the beginning of the names that are read instead")
    return ReadingOptions(
        sources=sources,
        plain_http=call.parameters["plain_http_registries"] or (),
        auth_file=call.text("registry_auth_file"),
        all_architectures=call.parameters.get("image_architectures") != "cluster",
    )
