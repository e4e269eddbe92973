# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The EncryptionConfiguration by which the API server encrypts what it stores, as the API server reads it.

It reads strictly: no API server starts with an unknown key or a key of another length (apiserver's encryptionconfig and
its validation). Problems never contain a key, since the document is a secret.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Mapping
from typing import Any

from ..suggest import did_you_mean
from .problems import Problems, duplicate, forbidden, invalid, required
from .syntax import validate_duration

API_VERSION, KIND = "apiserver.config.k8s.io/v1", "EncryptionConfiguration"
_KEYS = ("apiVersion", "kind", "resources")
_RESOURCE_KEYS = ("resources", "providers")
# Provider -> lengths of its keys in bytes; None for those without keys.
PROVIDERS: dict[str, tuple[int, ...] | None] = {
    "aescbc": (16, 24, 32),
    "aesgcm": (16, 24, 32),
    "secretbox": (32,),
    "identity": None,
    "kms": None,
}
_KMS_KEYS = ("apiVersion", "name", "cachesize", "endpoint", "timeout")
_KMS_VERSIONS = ("v1", "v2")
_RESOURCE = re.compile(r"\*\.\*|[a-z0-9*]+(\.[a-z0-9.-]+)?|\*\.[a-z0-9.-]*")


def validate_encryption_config(data: Any) -> Problems:
    """The document as plain data."""
    if not isinstance(data, Mapping):
        return [invalid("", None, "must be a mapping")]
    found = _unknown(data, _KEYS, "")
    for key, wanted in (("apiVersion", API_VERSION), ("kind", KIND)):
        if data.get(key) != wanted:
            found.append(invalid(key, None, f"must be {wanted}"))
    entries = data.get("resources")
    if not isinstance(entries, list) or not entries:
        return [*found, required("resources", "must be a list of what is encrypted, with at least one entry")]
    for index, entry in enumerate(entries):
        found += _validate_entry(entry, f"resources[{index}]")
    return found


def _unknown(data: Mapping[str, Any], keys: Collection[str], path: str) -> Problems:
    allowed = list(keys)
    these = f"these are {', '.join(allowed)}" if allowed else "it has none"
    return [
        invalid(path, None, f"{_shown(key)} is unknown here; {these}{did_you_mean(str(key), allowed)}")
        for key in data
        if key not in keys
    ]


def _shown(key: Any) -> str:
    """A key of a mapping for a message; what might be a secret in the wrong place is not shown."""
    return f"{key}" if re.fullmatch(r"[A-Za-z]{1,20}", str(key)) else "a key"


def _validate_entry(entry: Any, path: str) -> Problems:
    if not isinstance(entry, Mapping):
        return [invalid(path, None, "must be a mapping")]
    found = _unknown(entry, _RESOURCE_KEYS, path)
    names, providers = entry.get("resources"), entry.get("providers")
    if not isinstance(names, list) or not names:
        found.append(required(f"{path}.resources", "must be a list of resources, for example secrets"))
    else:
        found += [
            invalid(f"{path}.resources[{index}]", None, "must be a resource, for example secrets or configmaps")
            for index, name in enumerate(names)
            if not (isinstance(name, str) and _RESOURCE.fullmatch(name))
        ]
    if not isinstance(providers, list) or not providers:
        return [*found, required(f"{path}.providers", f"must be a list of {', '.join(PROVIDERS)}")]
    seen: set[str] = set()
    for index, provider in enumerate(providers):
        found += _validate_provider(provider, f"{path}.providers[{index}]", seen)
    return found


def _validate_provider(provider: Any, path: str, seen: set[str]) -> Problems:
    if not isinstance(provider, Mapping) or len(provider) != 1:
        return [invalid(path, None, f"must have exactly one of {', '.join(PROVIDERS)}")]
    kind, settings = next(iter(provider.items()))
    if kind not in PROVIDERS:
        return _unknown(provider, PROVIDERS, path)
    at = f"{path}.{kind}"
    if not isinstance(settings, Mapping):
        return [invalid(at, None, "must be a mapping, for identity an empty one: {}")]
    if kind == "identity":
        return _unknown(settings, (), at) if settings else []
    if kind == "kms":
        return _validate_kms(settings, at, seen)
    return _validate_keys(settings, at, PROVIDERS[kind] or ())


def _validate_keys(settings: Mapping[str, Any], path: str, lengths: tuple[int, ...]) -> Problems:
    found = _unknown(settings, ("keys",), path)
    keys = settings.get("keys")
    if not isinstance(keys, list) or not keys:
        return [*found, required(f"{path}.keys", "needs at least one key, with name and secret")]
    names: list[str] = []
    for index, key in enumerate(keys):
        at = f"{path}.keys[{index}]"
        if not isinstance(key, Mapping):
            found.append(invalid(at, None, "must be a mapping with name and secret"))
            continue
        found += _unknown(key, ("name", "secret"), at)
        name = key.get("name")
        if not isinstance(name, str) or not name:
            found.append(required(f"{at}.name", "a key needs a name, as text"))
        elif ":" in name:
            found.append(invalid(f"{at}.name", None, "cannot have a ':'"))
        elif name in names:
            found.append(duplicate(f"{at}.name", None))
        names.append(str(name))
        found += _validate_secret(key.get("secret"), f"{at}.secret", lengths)
    return found


def _validate_secret(secret: Any, path: str, lengths: tuple[int, ...]) -> Problems:
    allowed = " or ".join(map(str, lengths))
    if not isinstance(secret, str) or not secret:
        return [required(path, f"a key of {allowed} bytes is needed, as base64")]
    try:
        size = len(base64.b64decode(secret, validate=True))
    except ValueError:
        return [invalid(path, None, f"is not base64; it must be a key of {allowed} bytes, as base64")]
    return [] if size in lengths else [invalid(path, None, f"is a key of {size} bytes; it must be of {allowed}")]


def _validate_kms(settings: Mapping[str, Any], path: str, seen: set[str]) -> Problems:
    found = _unknown(settings, _KMS_KEYS, path)
    version = settings.get("apiVersion", "v1")
    if version not in _KMS_VERSIONS:
        found.append(invalid(f"{path}.apiVersion", None, f"must be {' or '.join(_KMS_VERSIONS)}"))
    name = settings.get("name")
    if not isinstance(name, str) or not name:
        found.append(required(f"{path}.name", "a KMS plugin needs a name"))
    elif ":" in name:
        found.append(invalid(f"{path}.name", None, "cannot have a ':'"))
    elif name in seen:
        found.append(duplicate(f"{path}.name", None))
    seen.add(str(name))
    endpoint = settings.get("endpoint")
    if not isinstance(endpoint, str) or not endpoint.startswith("unix://"):
        found.append(invalid(f"{path}.endpoint", None, "must be a socket, unix:///path"))
    if settings.get("timeout") is not None:
        found += validate_duration(str(settings["timeout"]), f"{path}.timeout")
    size = settings.get("cachesize")
    if size is not None and version == "v2":
        found.append(forbidden(f"{path}.cachesize", "KMS v2 has no cachesize; remove it"))
    elif size is not None and (not isinstance(size, int) or isinstance(size, bool) or size == 0):
        found.append(invalid(f"{path}.cachesize", None, "must be a number other than 0"))
    return found
