# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compute Engine in memory, as far as tasks of instances and load balancers see it, in the place of a session."""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Mapping
from typing import Any

import requests

BASE = "https://compute.googleapis.com/compute/v1/projects/"
LINK = "https://www.googleapis.com/compute/v1/projects/"
# What Google fills in for what a request leaves out.
_DEFAULTS: dict[str, dict[str, Any]] = {
    "instanceGroupManagers": {
        "listManagedInstancesResults": "PAGELESS",
        "updatePolicy": {"type": "OPPORTUNISTIC", "minimalAction": "REPLACE"},
    },
    "httpHealthChecks": {"port": 80, "requestPath": "/"},
    "addresses": {"addressType": "EXTERNAL"},
    "subnetworks": {"stackType": "IPV4_ONLY"},
}
# Objects whose labels Google ignores when they are made.
_LABELLED_LATER = {"forwardingRules"}
_WITH_LABELS = {"forwardingRules", "disks"}
_WITH_FINGERPRINT = {"backendServices", "instanceGroupManagers", "forwardingRules", "subnetworks"}


class Refusal(Exception):
    """An answer that is an error: HTTP status, and Google's reason."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status, self.reason = status, reason


class Compute:
    """The projects of a test, in the place of a session: one has the name `project`.

    assumed: collections whose objects are there, whatever their names.
    objects: path -> object. asked: every request as (method, path). lose: the answer to the next write is lost."""

    def __init__(self, project: str, assumed: Collection[str] = ()) -> None:
        self.project = project
        self._assumed = {"diskTypes", "images", *assumed}
        self.objects: dict[str, dict[str, Any]] = {}
        self.asked: list[tuple[str, str]] = []
        self.lose = False
        self._numbers = itertools.count(1)

    @property
    def writes(self) -> list[tuple[str, str]]:
        """The requests that change something, without the project."""
        return [(method, path.partition("/")[2]) for method, path in self.asked if method != "GET"]

    def forget(self) -> None:
        """Begin to count anew."""
        self.asked.clear()

    def put(self, path: str, **properties: Any) -> dict[str, Any]:
        """Make an object beside the tasks. path: without the project."""
        collection, _slash, name = path.rpartition("/")
        self._insert(f"{self.project}/{collection}", {"name": name, **properties})
        return self.objects[f"{self.project}/{path}"]

    def only(self, collection: str) -> dict[str, Any]:
        """The only object of a collection."""
        (found,) = [each for path, each in self.objects.items() if path.split("/")[-2] == collection]
        return found

    def start(self, manager: str, count: int = 1, **labels: str) -> None:
        """Let a managed group have instances of its present template. manager: path without the project."""
        found = self.objects[f"{self.project}/{manager}"]
        template = self.objects[found["instanceTemplate"].partition("/projects/")[2]]
        zone = manager.rpartition("/instanceGroupManagers/")[0]
        for _each in range(count):
            items = [
                *template["properties"]["metadata"]["items"],
                {"key": "created-by", "value": f"projects/1/{manager}"},
                {"key": "instance-template", "value": f"projects/1/global/instanceTemplates/{template['name']}"},
            ]
            self.put(
                f"{zone}/instances/{found['baseInstanceName']}-{next(self._numbers)}",
                metadata={"items": items},
                labels={"k8s-io-cluster-name": "demo-example-com", **labels},
                status="RUNNING",
            )

    # -- as a session -------------------------------------------------------------------------------------------------

    def request(self, method: str, url: str, params: Mapping[str, str], json: Any, timeout: Any) -> requests.Response:
        """As of a session of requests."""
        is_write = method != "GET" and not url.endswith(":getIamPolicy")
        self.asked.append((method, self.path_of(url)))
        try:
            status, content = 200, self.carry_out(method, url, params, json)
        except Refusal as error:
            reasons = [{"reason": error.reason}]
            status = error.status
            content = {"error": {"message": str(error), "errors": reasons, "status": error.reason}}
        if is_write and self.lose:
            self.lose = False
            raise requests.exceptions.ConnectionError("the answer was lost")
        return answer(status, content)

    def path_of(self, url: str) -> str:
        """How a request is written down."""
        return url.partition(BASE)[2]

    def carry_out(self, method: str, url: str, params: Mapping[str, str], body: Any) -> dict[str, Any]:
        """The answer to a request. Raises Refusal."""
        return self._carry_out(method, url.partition(BASE)[2], params, body)

    def _carry_out(self, method: str, path: str, params: Mapping[str, str], body: Any) -> dict[str, Any]:
        if method == "GET":
            return self._read(path)
        if not params.get("requestId"):
            raise Refusal(400, "required", "a write without a requestId")
        if method == "POST" and path not in self.objects and path.rpartition("/")[0] not in self.objects:
            self._insert(path, body)
        elif method == "POST":
            of, _slash, verb = path.rpartition("/")
            self._method(self._get(of), verb, body, params)
        elif method == "PATCH":
            self._patch(path, body)
        elif method == "PUT":
            self._replace(path, body)
        else:
            self._get(path)
            del self.objects[path]
        return {"status": "DONE"}

    def _get(self, path: str) -> dict[str, Any]:
        if path not in self.objects:
            raise Refusal(404, "notFound", f"The resource '{path}' was not found")
        return self.objects[path]

    def _read(self, path: str) -> dict[str, Any]:
        if path in self.objects:
            return json.loads(json.dumps(self.objects[path]))
        scope, _slash, collection = path.rpartition("/")
        if scope.endswith("/aggregated"):
            items: dict[str, Any] = {}
            for each, found in self.objects.items():
                _project, *place, kind, _name = each.split("/")
                if kind == collection:
                    items.setdefault("/".join(place), {}).setdefault(collection, []).append(found)
            return json.loads(json.dumps({"items": items}))
        if not (scope.endswith("/global") or scope.split("/")[-2] in ("regions", "zones")):
            raise Refusal(404, "notFound", f"The resource '{path}' was not found")
        found = [each for place, each in self.objects.items() if place.rpartition("/")[0] == path]
        return json.loads(json.dumps({"items": found} if found else {}))

    def _insert(self, path: str, body: Mapping[str, Any]) -> None:
        project, *scope, collection = path.split("/")
        whole = f"{path}/{body['name']}"
        if whole in self.objects:
            raise Refusal(409, "alreadyExists", f"The resource '{whole}' already exists")
        self._check_references(body)
        made = {**_DEFAULTS.get(collection, {}), **json.loads(json.dumps(body)), "selfLink": LINK + whole}
        made.setdefault("creationTimestamp", f"2026-01-31T09:00:{next(self._numbers):02}.000-08:00")
        if scope[0] in ("zones", "regions"):
            made[scope[0][:-1]] = f"{LINK}{project}/{'/'.join(scope)}"
        if collection in _LABELLED_LATER:
            made.pop("labels", None)
        if collection in _WITH_LABELS:
            made["labelFingerprint"] = self._fingerprint()
        if collection in _WITH_FINGERPRINT:
            made["fingerprint"] = self._fingerprint()
        if collection == "addresses":
            made.update(address=f"10.9.{next(self._numbers)}.2", status="RESERVED")
        if collection == "instanceGroupManagers":
            made["instanceGroup"] = made["selfLink"].replace("instanceGroupManagers", "instanceGroups")
            self.objects[whole.replace("instanceGroupManagers", "instanceGroups")] = {"name": body["name"]}
        self.objects[whole] = made

    def _check_references(self, value: Any) -> None:
        if isinstance(value, str) and value.startswith(LINK):
            path = value[len(LINK) :]
            if path not in self.objects and not self._assumed & set(path.split("/")):
                raise Refusal(404, "notFound", f"The resource '{path}' was not found")
        elif isinstance(value, Mapping):
            for each in value.values():
                self._check_references(each)
        elif isinstance(value, list):
            for each in value:
                self._check_references(each)

    def _method(self, found: dict[str, Any], verb: str, body: Mapping[str, Any], params: Mapping[str, str]) -> None:
        self._check_references(body)
        if verb == "setLabels":
            if body["labelFingerprint"] != found["labelFingerprint"]:
                raise Refusal(
                    412, "conditionNotMet", "Labels fingerprint either invalid or resource labels have changed"
                )
            found.update(labels=body["labels"], labelFingerprint=self._fingerprint())
        elif verb == "resize" and "size" in params:
            found["targetSize"] = int(params["size"])
        elif verb == "resize":
            if int(body["sizeGb"]) <= int(found["sizeGb"]):
                raise Refusal(400, "invalid", "a disk can only grow")
            found["sizeGb"] = body["sizeGb"]
        elif verb in ("setTargetPools", "setInstanceTemplate"):
            found.update(body)
        elif verb == "setTarget":
            found["target" if "target" in found else "backendService"] = body["target"]
        elif verb in ("addHealthCheck", "removeHealthCheck"):
            (check,) = (each["healthCheck"] for each in body["healthChecks"])
            kept = [each for each in found.get("healthChecks", ()) if each != check]
            found["healthChecks"] = [*kept, check] if verb == "addHealthCheck" else kept
            if len(found["healthChecks"]) > 1:
                raise Refusal(400, "invalid", "a pool has one health check at most")
        else:
            raise Refusal(404, "notFound", f"no method {verb}")

    def _patch(self, path: str, body: Mapping[str, Any]) -> None:
        found = self._get(path)
        self._check_references(body)
        if "fingerprint" in body and body["fingerprint"] != found["fingerprint"]:
            raise Refusal(412, "conditionNotMet", "Supplied fingerprint does not match current fingerprint.")
        found.update(json.loads(json.dumps(body)))
        if "fingerprint" in found:
            found["fingerprint"] = self._fingerprint()

    def _replace(self, path: str, body: Mapping[str, Any]) -> None:
        self._check_references(body)
        kept = {key: value for key, value in self._get(path).items() if key in ("selfLink", "creationTimestamp")}
        self.objects[path] = {**json.loads(json.dumps(body)), **kept}

    def _fingerprint(self) -> str:
        return f"fingerprint-{next(self._numbers)}"


def answer(status: int, content: Any) -> requests.Response:
    """An answer of an API."""
    answer = requests.Response()
    answer.status_code = status
    answer._content = json.dumps(content).encode()
    return answer
