# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as messages and reports name and show them."""

from __future__ import annotations

from typing import Optional

from ..client import Object


def identity(obj: Object) -> tuple[str, str, str, str]:
    """API group, kind, namespace and name: they identify an object in all versions of its API."""
    metadata = obj["metadata"]
    group = obj["apiVersion"].rpartition("/")[0]
    return group, obj["kind"], metadata.get("namespace", ""), metadata["name"]


def title(obj: Object) -> str:
    """The object's name in messages and reports."""
    metadata = obj["metadata"]
    return f"{obj['kind']} {'/'.join(filter(None, (metadata.get('namespace'), metadata['name'])))}"


def shown(obj: Optional[Object]) -> Optional[Object]:
    """The object as reports show it: without the API server's own metadata and without secrets."""
    if obj is None:
        return None
    hidden = ("managedFields", "resourceVersion", "generation", "uid", "creationTimestamp")
    metadata = {name: value for name, value in obj["metadata"].items() if name not in hidden}
    shown = {**{name: value for name, value in obj.items() if name != "status"}, "metadata": metadata}
    if obj["kind"] == "Secret":
        shown.update({part: dict.fromkeys(obj[part], "(secret)") for part in ("data", "stringData") if obj.get(part)})
    return shown
