# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an object is as it was applied, found out without asking the API server to apply it again.

Its managedFields say which fields we have applied, and lose those that somebody else changes. So nothing has to be
recorded, and changes by hand are noticed. In case of doubt the answer is no, and the API server decides: values that
it writes in another way, lists to which others have added items.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Optional

from ...base.errors import KopsError
from ..client import MANAGER, KubernetesClient, Object
from ..parallel import in_parallel
from .object_names import identity
from .pruned import MANAGER_LABEL, NAME_LABEL

Identity = tuple[str, str, str, str]
# They identify the object, or are not applied.
_NOT_APPLIED = ("apiVersion", "kind", "status")
_NOT_APPLIED_METADATA = ("name", "namespace", "resourceVersion")


def read_present(client: KubernetesClient, objects: Iterable[Object]) -> dict[Identity, Object]:
    """What there is of the objects, as far as lists of addons' objects tell: one request for each kind.

    Objects that are wanted twice are left out: what the first one changes, the second one would not know.
    """
    objects = list(objects)
    times = Counter(map(identity, objects))
    ours = [obj for obj in objects if _labels(obj).get(MANAGER_LABEL) == "kops" and NAME_LABEL in _labels(obj)]
    kinds = {(obj["apiVersion"], obj["kind"]) for obj in ours}
    names = ",".join(sorted({_labels(obj)[NAME_LABEL] for obj in ours}))

    def found(kind: tuple[str, str]) -> list[Object]:
        try:
            return list(
                client.list(client.kind(*kind).path(), labelSelector=f"{MANAGER_LABEL}=kops,{NAME_LABEL} in ({names})")
            )
        except KopsError:
            # Not defined yet, for example; each object is looked at by itself then.
            return []

    present = (obj for listed in in_parallel(found, sorted(kinds)) for obj in listed)
    return {identity(obj): obj for obj in present if times[identity(obj)] == 1}


def is_as_applied(present: Optional[Object], wanted: Object) -> bool:
    """Whether it has all fields that are wanted, we own them, and we own no others."""
    if present is None or present.get("apiVersion") != wanted["apiVersion"]:
        return False
    metadata = {name: value for name, value in wanted["metadata"].items() if name not in _NOT_APPLIED_METADATA}
    applied = {**{name: value for name, value in wanted.items() if name not in _NOT_APPLIED}, "metadata": metadata}
    owned = [
        entry.get("fieldsV1") or {}
        for entry in present["metadata"].get("managedFields") or ()
        if (entry.get("manager"), entry.get("operation"), entry.get("subresource", "")) == (MANAGER, "Apply", "")
        and entry.get("apiVersion") == wanted["apiVersion"]
    ]
    return len(owned) == 1 and _is_in(applied, present) and _is_owned(applied, owned[0])


def _labels(obj: Object) -> Mapping[str, str]:
    return obj["metadata"].get("labels") or {}


def _is_in(wanted: Any, present: Any) -> bool:
    """Whether a value has all of the wanted one. Mappings may have more, lists may not."""
    if isinstance(wanted, dict):
        return isinstance(present, dict) and all(
            name in present and _is_in(value, present[name]) for name, value in wanted.items() if value is not None
        )
    if isinstance(wanted, list):
        return isinstance(present, list) and len(wanted) == len(present) and all(map(_is_in, wanted, present))
    return type(wanted) is type(present) and bool(wanted == present)


def _is_owned(wanted: Any, fields: Mapping[str, Any]) -> bool:
    """Whether we own exactly the wanted fields. Without anything below it, a field is owned as a whole."""
    below = {name: inner for name, inner in fields.items() if name != "."}
    if not below:
        return True
    if isinstance(wanted, dict):
        named = {f"f:{name}": value for name, value in wanted.items()}
        # Without a value, some fields are owned and some are not.
        needed = {name for name, value in named.items() if value is not None}
        return needed <= below.keys() <= named.keys() and all(_is_owned(named[each], below[each]) for each in below)
    if isinstance(wanted, list):
        return len(wanted) == len(below) and all(_is_item(wanted, name, inner) for name, inner in below.items())
    return False


def _is_item(wanted: list[Any], name: str, inner: Mapping[str, Any]) -> bool:
    """Whether one of the items is meant, by its keys (k:) or by its value (v:), and owned."""
    kind, _colon, text = name.partition(":")
    identified = json.loads(text)
    if kind == "v":
        return identified in wanted
    # The API server fills in keys that are not given.
    items = [
        item
        for item in wanted
        if isinstance(item, dict) and all(item.get(key, value) == value for key, value in identified.items())
    ]
    given = {key: value for key, value in identified.items() if f"f:{key}" in inner}
    return len(items) == 1 and _is_owned({**items[0], **given}, inner)
