# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Definitions of addons' kinds, which upstream's releases contain: none, or small ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from ansible_collections.kubeops.kops.plugins.module_utils.addons.upstream import UpstreamFile


def without_definitions(urls: Sequence[str]) -> dict[str, UpstreamFile]:
    """Every file, empty."""
    return {url: UpstreamFile(url, b"", ()) for url in urls}


def small_definition(url: str) -> bytes:
    """What a publisher's server could answer: one definition, of a name that only this file has."""
    name = hashlib.sha256(url.encode()).hexdigest()[:16]
    definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    return json.dumps({**definition, "metadata": {"name": f"{name}.example.com"}, "spec": {}}).encode()
