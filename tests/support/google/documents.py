# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Google's own descriptions of its APIs: which methods there are, and what their bodies may hold.

The discovery documents come with google-api-python-client. What a method does is our reading of Google's documentation.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# API -> its document, and what its paths begin with here.
APIS = {
    "compute": ("compute.v1", "/compute/v1/"),
    "dns": ("dns.v1", "/"),
    "iam": ("iam.v1", "/iam/"),
    "cloudresourcemanager": ("cloudresourcemanager.v1", "/crm/"),
    "storage": ("storage.v1", "/storage/v1/"),
}


class Refusal(Exception):
    """An answer that is an error: HTTP status, Google's reason, and its message."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status, self.reason = status, reason


@dataclass(frozen=True)
class Method:
    """A method. collection: "networks", or the last part of a nested one. verb: "insert"."""

    api: str
    collection: str
    verb: str
    http: str
    pattern: re.Pattern[str]
    request: str


@functools.cache
def document(api: str) -> dict[str, Any]:
    """The discovery document of an API."""
    place = importlib.resources.files("googleapiclient") / "discovery_cache" / "documents" / f"{APIS[api][0]}.json"
    found: dict[str, Any] = json.loads(place.read_text())
    return found


@functools.cache
def methods() -> tuple[Method, ...]:
    """All methods of the APIs."""
    found: list[Method] = []
    for api, (_name, prefix) in APIS.items():
        _collect(api, prefix, document(api)["resources"], found)
    return tuple(found)


def _collect(api: str, prefix: str, resources: Mapping[str, Any], found: list[Method]) -> None:
    for collection, content in resources.items():
        for verb, method in content.get("methods", {}).items():
            path = method.get("flatPath") or method["path"]
            pattern = re.escape(prefix + path).replace(r"\{", "{").replace(r"\}", "}")
            pattern = re.sub(r"\{\\?\+?(\w+)\}", r"(?P<\1>[^/:]+)", pattern)
            request = method.get("request", {}).get("$ref", "")
            found.append(Method(api, collection, verb, method["httpMethod"], re.compile(pattern), request))
        _collect(api, prefix, content.get("resources", {}), found)


def method_of(http: str, path: str) -> tuple[Method, dict[str, str]]:
    """The method that a request calls, and the parameters in its path. Raises Refusal."""
    # The beta is asked for what v1 has as well.
    path = path.replace("/compute/beta/", "/compute/v1/", 1)
    for method in methods():
        found = method.pattern.fullmatch(path) if method.http == http else None
        if found:
            return method, found.groupdict()
    raise Refusal(404, "notFound", f"The requested URL {path} was not found on this server.")


def check(api: str, schema: str, body: Any, method_id: str) -> None:
    """Whether a body is one of a schema. Raises Refusal in Google's words."""
    _object(document(api)["schemas"], schema, body, method_id, "")


def without_output(api: str, schema: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """A body without what only Google writes, which it passes over."""
    properties = document(api)["schemas"][schema].get("properties", {})
    said = {name: str(each.get("description", "")) for name, each in properties.items()}
    return {
        name: value
        for name, value in body.items()
        if not properties.get(name, {}).get("readOnly") and not said.get(name, "").startswith("[Output Only]")
    }


def _object(schemas: Mapping[str, Any], name: str, body: Any, method_id: str, path: str) -> None:
    properties = schemas[name].get("properties", {})
    if not isinstance(body, Mapping):
        raise Refusal(400, "invalid", f"Invalid value at '{path or 'resource'}'")
    for key, value in body.items():
        if key not in properties:
            where = path or "resource"
            raise Refusal(
                400,
                "invalid",
                f"Invalid JSON payload received. Unknown name \"{key}\" at '{where}': Cannot find field.",
            )
        _value(schemas, properties[key], value, method_id, f"{path}.{key}" if path else key)
    for key, declared in properties.items():
        if method_id in declared.get("annotations", {}).get("required", ()) and key not in body:
            raise Refusal(400, "required", f"Required field 'resource.{path + '.' if path else ''}{key}' not specified")


def _value(schemas: Mapping[str, Any], declared: Mapping[str, Any], value: Any, method_id: str, path: str) -> None:
    if "$ref" in declared:
        _object(schemas, declared["$ref"], value, method_id, path)
        return
    kind = declared.get("type")
    if kind == "array":
        if not isinstance(value, list):
            raise Refusal(400, "invalid", f"Invalid value at '{path}'")
        for number, each in enumerate(value):
            _value(schemas, declared["items"], each, method_id, f"{path}[{number}]")
    elif kind == "string":
        _text(declared, value, path)
    elif kind == "boolean" and not isinstance(value, bool):
        raise Refusal(400, "invalid", f"Invalid value at '{path}' (TYPE_BOOL), \"{value}\"")
    elif kind == "integer" and (isinstance(value, bool) or not str(value).lstrip("-").isdigit()):
        raise Refusal(400, "invalid", f"Invalid value at '{path}' (TYPE_INT32), \"{value}\"")
    elif kind == "object" and "additionalProperties" in declared:
        for key, each in value.items():
            if path.rpartition(".")[2] == "labels":
                _label(path, key, each)
            _value(schemas, declared["additionalProperties"], each, method_id, f"{path}.{key}")


def _label(path: str, key: str, value: Any) -> None:
    for what, text, pattern in (("key", key, r"(?!\d)[\w-]{1,63}"), ("value", str(value), r"[\w-]{0,63}")):
        if not re.fullmatch(pattern, text) or text != text.lower():
            message = f"Label {what} '{text}' violates format constraints."
            raise Refusal(400, "invalid", f"Invalid value for field 'resource.{path}': ''. {message}")


def _text(declared: Mapping[str, Any], value: Any, path: str) -> None:
    if isinstance(value, (dict, list, bool)):
        raise Refusal(400, "invalid", f"Invalid value at '{path}' (TYPE_STRING)")
    pattern = declared.get("pattern")
    if pattern and not re.fullmatch(pattern, str(value)):
        message = f"Invalid value for field 'resource.{path}': '{value}'. Must be a match of regex '{pattern}'"
        raise Refusal(400, "invalid", message)
    if "enum" in declared and value not in declared["enum"]:
        raise Refusal(400, "invalid", f"Invalid value for field 'resource.{path}': '{value}'.")
