# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Definitions of addons' kinds, which upstream's releases contain: none, or small ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from ansible_collections.kubeops.kops.plugins.module_utils.addons.channels.document import parse_channel
from ansible_collections.kubeops.kops.plugins.module_utils.addons.upstream import (
    NONE,
    Parse,
    UpstreamFile,
    parse,
)


def without_definitions(
    urls: Sequence[str], parse: Parse = parse, hashes: Mapping[str, str] = NONE
) -> dict[str, UpstreamFile]:
    """Every file, empty."""
    return {url: UpstreamFile(url, b"", ()) for url in urls}


def with_objects(
    urls: Sequence[str], parse: Parse = parse, hashes: Mapping[str, str] = NONE
) -> dict[str, UpstreamFile]:
    """Every file of definitions, empty; every channel as if it were the manifest of a namespace."""
    if parse is not parse_channel:
        return without_definitions(urls, parse, hashes)
    namespace = {"apiVersion": "v1", "kind": "Namespace"}
    return {url: UpstreamFile(url, b"", [{**namespace, "metadata": {"name": _name(url)}}]) for url in urls}


def small_definition(url: str) -> bytes:
    """What a publisher's server could answer: one definition, of a name that only this file has."""
    definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    return json.dumps({**definition, "metadata": {"name": f"{_name(url)}.example.com"}, "spec": {}}).encode()


def _name(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()[:16]
