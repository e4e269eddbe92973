# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Google's APIs in the place of a session: the same as the server's, without a network, for tests of many clusters."""

from __future__ import annotations

import itertools
import json
import urllib.parse
from collections.abc import Mapping
from typing import Any

import requests

from .cloud_dns import CloudDNS
from .compute import Compute
from .documents import Refusal, check, method_of
from .identity import Identity
from .objects import LINK, Objects, fingerprint

# Hosts of APIs whose paths begin with their names on the server.
_PREFIXES = {"iam.googleapis.com": "/iam", "cloudresourcemanager.googleapis.com": "/crm"}
_COMPUTE = "/compute/v1/projects/"


class Project:
    """A project. asked: every request as (method, path); of Compute Engine, the path is below the project.

    lose: the answer to the next write is lost.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.identity, self.dns = Identity(), CloudDNS()
        self._stored = Objects()
        self._compute = Compute(self._stored)
        self.asked: list[tuple[str, str]] = []
        self.lose = False
        self._numbers = itertools.count(1)

    @property
    def objects(self) -> dict[str, dict[str, Any]]:
        """Path, with the project, -> object."""
        return self._stored.found

    @property
    def accounts(self) -> dict[str, dict[str, Any]]:
        """Email -> service account."""
        return self.identity.accounts

    @property
    def writes(self) -> list[tuple[str, str]]:
        """The requests that change something."""
        return [each for each in self.asked if _is_write(*each)]

    def forget(self) -> None:
        """Begin to count anew."""
        self.asked.clear()

    def drop(self, *collections: str) -> None:
        """Remove all objects of collections beside the tasks."""
        for path in [each for each in self.objects if each.split("/")[-2] in collections]:
            del self.objects[path]

    def put(self, path: str, **properties: Any) -> dict[str, Any]:
        """Make an object beside the tasks, whatever it refers to. path: below the project."""
        scope, place, *_kind, name = path.split("/")
        whole = f"{self.name}/{path}"
        made = {"name": name, "selfLink": LINK + whole, "fingerprint": "a", "labelFingerprint": fingerprint(path)}
        if scope in ("zones", "regions"):
            made[scope[:-1]] = f"{LINK}{self.name}/{scope}/{place}"
        self.objects[whole] = {**made, **properties}
        return self.objects[whole]

    def only(self, collection: str) -> dict[str, Any]:
        """The only object of a collection."""
        (found,) = [each for path, each in self.objects.items() if path.split("/")[-2] == collection]
        return found

    def start(self, manager: str, **labels: str) -> None:
        """Add an instance to a managed group, of its present template. manager: its path below the project."""
        found = self.objects[f"{self.name}/{manager}"]
        template = self.objects[found["instanceTemplate"][len(LINK) :]]
        items = [
            *template["properties"]["metadata"]["items"],
            {"key": "created-by", "value": f"projects/1/{manager}"},
            {"key": "instance-template", "value": f"projects/1/global/instanceTemplates/{template['name']}"},
        ]
        self.put(
            f"{manager.partition('/instanceGroupManagers/')[0]}/instances/more-{next(self._numbers)}",
            metadata={"items": items},
            labels={**template["properties"]["labels"], **labels},
            status="RUNNING",
        )

    def request(self, method: str, url: str, params: Mapping[str, str], json: Any, timeout: Any) -> requests.Response:
        """As of a session of requests."""
        place = urllib.parse.urlsplit(url)
        path = _PREFIXES.get(place.netloc, "") + place.path
        shown = path.removeprefix(f"{_COMPUTE}{self.name}/")
        self.asked.append((method, shown))
        try:
            status, content = 200, self.carry_out(method, path, dict(params), json)
        except Refusal as error:
            status = error.status
            content = {"error": {"message": str(error), "errors": [{"reason": error.reason}]}}
        if self.lose and _is_write(method, shown):
            self.lose = False
            raise requests.exceptions.ConnectionError("the answer was lost")
        return _answer(status, content)

    def carry_out(self, method: str, path: str, query: dict[str, str], body: Any) -> Any:
        """The answer to a request. Raises Refusal."""
        called, named = method_of(method, path)
        if called.api != "compute":
            answers = self.dns if called.api == "dns" else self.identity
            return answers.answer(called, named, query, body or {})
        if called.request:
            check(called.api, called.request, body or {}, f"{called.api}.{called.collection}.{called.verb}")
        return self._compute.answer(called, named, query, body)


def _is_write(method: str, path: str) -> bool:
    return method != "GET" and not path.endswith((":getIamPolicy", "/getHealth", "/wait"))


def _answer(status: int, content: Any) -> requests.Response:
    made = requests.Response()
    made.status_code = status
    made._content = json.dumps(content).encode()
    return made
