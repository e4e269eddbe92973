# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of the Kubernetes API without what is secret in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .patterns import SECRET_NAME

Object = dict[str, Any]
_HIDDEN = "(hidden)"
# It repeats the object, a Secret's data too.
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def without_secrets(obj: Object, hidden: Callable[[str, int], None]) -> Object:
    """The object without the values of a Secret, without variables and settings whose names say that they are secret,
    and without managedFields. hidden: is called with the reason and the number of values.
    """
    metadata = {name: value for name, value in (obj.get("metadata") or {}).items() if name != "managedFields"}
    annotations = dict(metadata.get("annotations") or {})
    if annotations.pop(_LAST_APPLIED, None) is not None:
        metadata["annotations"] = annotations
    obj = {**obj, "metadata": metadata}
    if obj.get("kind") == "Secret":
        for part in ("data", "stringData"):
            if obj.get(part):
                hidden("value of a Secret", len(obj[part]))
                obj[part] = dict.fromkeys(obj[part], _HIDDEN)
        return obj
    count = 0

    def clean(value: Any) -> Any:
        nonlocal count
        if isinstance(value, list):
            return [clean(each) for each in value]
        if not isinstance(value, dict):
            return value
        # A variable of a container.
        name, given = value.get("name"), value.get("value")
        if isinstance(name, str) and isinstance(given, str) and given and SECRET_NAME.search(name):
            count += 1
            return {**value, "value": _HIDDEN}
        return {name: clean(each) for name, each in value.items()}

    obj = clean(obj)
    if obj.get("kind") == "ConfigMap":
        for name, value in (obj.get("data") or {}).items():
            if SECRET_NAME.search(name) and value:
                obj["data"][name], count = _HIDDEN, count + 1
    if count:
        hidden("setting with a secret name", count)
    return obj
