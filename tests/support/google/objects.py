# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of Compute Engine: what they refer to, what is in use, fingerprints, and operations that take a while."""

from __future__ import annotations

import base64
import copy
import hashlib
import itertools
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from .documents import Refusal, document

LINK = "https://www.googleapis.com/compute/v1/projects/"
# Fields that say what an object is, or what uses it, and no reasons to keep another one.
_APART = ("selfLink", "id", "kind", "zone", "region", "users", "subnetworks", "metadata", "instanceGroup", "instances")
# What exists without being made.
_GIVEN = re.compile(
    r"[^/]+/(zones/[^/]+/(machineTypes|diskTypes|acceleratorTypes)/[^/]+|global/images/.+|(zones|regions)/[^/]+)"
)


class Objects:
    """All objects of all projects: path, with the project, -> object. seconds: that an operation takes."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, Any]] = {}
        self.lock = threading.RLock()
        self.seconds = 0.0
        # The next operations of these kinds fail: (operation type, collection) -> reason and message.
        self.failing: list[tuple[str, str, str, str]] = []
        self._operations: dict[str, tuple[float, dict[str, Any]]] = {}
        self._requests: dict[str, dict[str, Any]] = {}
        self._numbers = itertools.count(10**18)

    def need(self, path: str) -> dict[str, Any]:
        """An object. Raises Refusal if there is none."""
        if path not in self.found:
            raise Refusal(404, "notFound", f"The resource 'projects/{path}' was not found")
        return self.found[path]

    def insert(self, collection: str, kind: str, body: Mapping[str, Any], schema: str) -> dict[str, Any]:
        """Make an object in a collection, given as a path. Raises Refusal."""
        path = f"{collection}/{body['name']}"
        if path in self.found:
            raise Refusal(409, "alreadyExists", f"The resource 'projects/{path}' already exists")
        self.check_references(body)
        properties = document("compute")["schemas"][schema]["properties"]
        made = {**copy.deepcopy(dict(body)), "id": str(next(self._numbers)), "selfLink": LINK + path}
        made["kind"] = properties.get("kind", {}).get("default", f"compute#{kind}")
        made["creationTimestamp"] = time.strftime("%Y-%m-%dT%H:%M:%S.000-00:00", time.gmtime())
        project, scope, place = (*collection.split("/"), "")[:3]
        if scope in ("zones", "regions") and scope[:-1] in properties:
            made[scope[:-1]] = f"{LINK}{project}/{scope}/{place}"
        for name in ("fingerprint", "labelFingerprint"):
            if name in properties:
                made[name] = fingerprint(made)
        self.found[path] = made
        return made

    def delete(self, path: str) -> None:
        """Remove an object. Raises Refusal while another one refers to it."""
        self.need(path)
        for other, each in self.found.items():
            if other != path and path in references(each):
                of, _slash, name = path.rpartition("/")
                kind = of.rpartition("/")[2][:-1]
                message = f"The {kind} resource 'projects/{path}' is already being used by 'projects/{other}'"
                raise Refusal(400, "resourceInUseByAnotherResource", message)
        del self.found[path]

    def check_references(self, body: Mapping[str, Any]) -> None:
        """Whether all that a body refers to exists. Raises Refusal."""
        for path in references(body):
            if path not in self.found and not _GIVEN.fullmatch(path):
                raise Refusal(404, "notFound", f"The resource 'projects/{path}' was not found")

    def changed(self, found: dict[str, Any], body: Mapping[str, Any]) -> None:
        """Take over fields. Raises Refusal for a fingerprint that is not the present one."""
        if "fingerprint" in body and body["fingerprint"] != found.get("fingerprint"):
            raise Refusal(412, "conditionNotMet", "Supplied fingerprint does not match current metadata fingerprint.")
        self.check_references(body)
        found.update(copy.deepcopy(dict(body)))
        if "fingerprint" in found:
            found["fingerprint"] = fingerprint([found, next(self._numbers)])

    # -- operations -----------------------------------------------------------------------------------------------

    def known(self, request_id: str) -> dict[str, Any] | None:
        """The operation that a request with this id has begun before."""
        return self._requests.get(request_id)

    def operation(self, kind: str, target: str, request_id: str) -> dict[str, Any]:
        """A new operation on an object. It may fail, as a test wants it."""
        project, scope, place = (*target.split("/"), "")[:3]
        where = f"{project}/{scope}/{place}" if scope in ("zones", "regions") else f"{project}/global"
        name = f"operation-{next(self._numbers)}"
        path = f"{where}/operations/{name}"
        made = {
            "kind": "compute#operation",
            "name": name,
            "operationType": kind,
            "targetLink": LINK + target,
            "selfLink": LINK + path,
            "status": "DONE" if not self.seconds else "RUNNING",
            "progress": 100,
        }
        for each in self.failing:
            if each[0] == kind and f"/{each[1]}/" in f"/{target}":
                self.failing.remove(each)
                made["error"] = {"errors": [{"code": each[2], "message": each[3]}]}
                made["httpErrorStatusCode"] = 400
                break
        self._operations[path] = (time.monotonic() + self.seconds, made)
        if request_id:
            self._requests[request_id] = made
        return made

    def waited(self, path: str, *, wait: bool) -> dict[str, Any]:
        """An operation as it is now, or with wait when it is done. Raises Refusal."""
        if path not in self._operations:
            raise Refusal(404, "notFound", f"The resource 'projects/{path}' was not found")
        end, found = self._operations[path]
        if wait:
            time.sleep(max(0.0, min(end - time.monotonic(), 2.0)))
        if time.monotonic() >= end:
            found["status"] = "DONE"
        return found


def references(value: Any, apart: tuple[str, ...] = _APART) -> set[str]:
    """Paths of all objects that an object or a body refers to."""
    return set(_references(value, apart))


def _references(value: Any, apart: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, str):
        if value.startswith(LINK):
            yield value[len(LINK) :]
    elif isinstance(value, Mapping):
        for key, each in value.items():
            if key not in apart:
                yield from _references(each, apart)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each, apart)


def fingerprint(content: Any) -> str:
    """Another one for another content."""
    return base64.b64encode(hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()[:8]).decode()
