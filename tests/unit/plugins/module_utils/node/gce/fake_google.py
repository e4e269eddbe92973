# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""As much of Compute Engine and Cloud DNS as instances ask, on loopback: what is there is a table of paths."""

from __future__ import annotations

import contextlib
import http.server
import itertools
import json
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from ansible_collections.kubeops.kops.tests.support.google_metadata import CLUSTER, INSTANCE, PROJECT, ZONE

ACCOUNT = f"node-demo-example-com@{PROJECT}.iam.gserviceaccount.com"
TEMPLATE, MANAGER = "nodes-a-demo-example-com-1", "a-nodes-a-demo-example-com"
_URL = "https://www.googleapis.com/compute/v1/"
_PAGE = 2

Object = dict[str, Any]


class Refusal(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, reason: str, message: str = "") -> None:
        self.status, self.reason, self.message = status, reason, message or reason


class FakeGoogle:
    """objects: path below the project -> what it is. tokens: those that are accepted. asked, queries: of all requests.

    statuses: of the next answers, whatever is asked for. lost: parts of paths, whose next requests are carried out, and
    not answered. running: how often operations are asked for until they are done. late: the error of operations.
    """

    def __init__(self) -> None:
        self.objects: dict[str, Object] = {}
        self.tokens: set[str] = set()
        self.asked: list[str] = []
        self.queries: list[dict[str, str]] = []
        self.statuses: list[int] = []
        self.lost: list[str] = []
        self.running = 0
        self.late: Object | None = None
        self.members: dict[str, list[Object]] = {}
        self.zones: dict[str, dict[tuple[str, str], Object]] = {}
        self._requests: dict[str, Object] = {}
        self._numbers = itertools.count(1000)
        self.lock = threading.Lock()

    # -- what users and time do -----------------------------------------------------------------------------------

    def instance(self, name: str = INSTANCE, zone: str = ZONE, **more: Any) -> Object:
        """An instance of a managed group."""
        made: Object = {
            "id": str(next(self._numbers)),
            "name": name,
            "zone": f"{_URL}projects/{PROJECT}/zones/{zone}",
            "status": "RUNNING",
            "labels": {"k8s-io-cluster-name": CLUSTER.replace(".", "-"), "k8s-io-role-node": "node"},
            "metadata": metadata(cluster_name=CLUSTER, kops_k8s_io_instance_group_name="nodes-a"),
            "networkInterfaces": [{"networkIP": f"10.0.0.{len(self.objects) + 10}"}],
            "serviceAccounts": [{"email": ACCOUNT}],
            "disks": [
                {"source": f"{_URL}projects/{PROJECT}/zones/{zone}/disks/{name}", "deviceName": "persistent-disk-0"}
            ],
            **more,
        }
        self.objects[f"zones/{zone}/instances/{name}"] = made
        return made

    def managed(self, name: str = INSTANCE, zone: str = ZONE, group: str = "nodes-a", **more: Any) -> Object:
        """An instance that a managed group has made from a template of the cluster."""
        template, manager = f"{group}-demo-example-com-1", f"a-{group}-demo-example-com"
        metadata_of_it = metadata(cluster_name=CLUSTER, kops_k8s_io_instance_group_name=group)
        self.objects.setdefault(
            f"global/instanceTemplates/{template}", {"name": template, "properties": {"metadata": metadata_of_it}}
        )
        made = self.instance(name, zone, **{"metadata": self.created_by(manager, zone, group), **more})
        member = {
            "id": made["id"],
            "version": {"instanceTemplate": f"{_URL}projects/{PROJECT}/global/instanceTemplates/{template}"},
        }
        self.members.setdefault(f"zones/{zone}/instanceGroupManagers/{manager}", []).append(member)
        return made

    @staticmethod
    def created_by(manager: str, zone: str = ZONE, group: str = "nodes-a", cluster: str = CLUSTER) -> Object:
        """The metadata of an instance of a managed group."""
        place = f"projects/123456789012/zones/{zone}/instanceGroupManagers/{manager}"
        return metadata(cluster_name=cluster, kops_k8s_io_instance_group_name=group, created_by=place)

    def disk(self, name: str, zone: str = ZONE, cluster: str = CLUSTER, **labels: str) -> str:
        """A disk with labels; underscores in their names are hyphens."""
        own = {
            "k8s-io-cluster-name": cluster.replace(".", "-"),
            **{key.replace("_", "-"): value for key, value in labels.items()},
        }
        place = f"zones/{zone}/disks/{name}"
        zone_url = f"{_URL}projects/{PROJECT}/zones/{zone}"
        self.objects[place] = {"name": name, "zone": zone_url, "status": "READY", "labels": own, "users": []}
        return name

    def delete_instance(self, name: str, zone: str = ZONE) -> None:
        """Its disks become free."""
        gone = self.objects.pop(f"zones/{zone}/instances/{name}")
        for each in gone["disks"]:
            found = self.objects.get(each["source"].partition(f"{PROJECT}/")[2])
            if found is not None:
                found["users"] = []

    # -- answers --------------------------------------------------------------------------------------------------

    def answer(self, method: str, service: str, path: str, query: dict[str, str], body: Object) -> Object:
        """What a request is answered. path: below the project."""
        if service == "dns":
            return self._dns(method, path, query, body)
        if path.startswith("aggregated/"):
            return self._aggregated(path.partition("/")[2], query)
        if path.endswith("/listManagedInstances"):
            return self._members(path.rpartition("/")[0], query)
        if path.endswith("/attachDisk"):
            return self._once(query, lambda: self._attach(path.rpartition("/")[0], body))
        if "/operations/" in path:
            return self._operation(path)
        if path not in self.objects:
            raise Refusal(404, "notFound", f"The resource 'projects/{PROJECT}/{path}' was not found")
        return self.objects[path]

    def _aggregated(self, kind: str, query: dict[str, str]) -> Object:
        found = [
            (path.rpartition(f"/{kind}/")[0], each)
            for path, each in sorted(self.objects.items())
            if f"/{kind}/" in path and path.count("/") == 3 and matches(each, query.get("filter", ""))
        ]
        page, token = _page(found, query)
        items: dict[str, Object] = {"zones/us-test1-z": {"warning": {"code": "NO_RESULTS_ON_PAGE"}}}
        for scope, each in page:
            items.setdefault(scope, {kind: []})[kind].append(each)
        return {"items": items, **token}

    def _members(self, manager: str, query: dict[str, str]) -> Object:
        if manager not in self.members:
            raise Refusal(404, "notFound", f"The resource '{manager}' was not found")
        page, token = _page(self.members[manager], query)
        return {"managedInstances": page, **token}

    def _attach(self, place: str, body: Object) -> Object:
        source = body["source"].partition(f"{PROJECT}/")[2]
        disk, instance = self.objects[source], self.objects[place]
        if disk["users"]:
            raise Refusal(
                400, "resourceInUseByAnotherResource", f"'{source}' is already being used by '{disk['users'][0]}'"
            )
        if disk["status"] != "READY":
            raise Refusal(400, "resourceNotReady", f"The resource '{source}' is not ready")
        zone = place.split("/")[1]
        operation = {"name": f"operation-{next(self._numbers)}", "status": "RUNNING", "left": self.running}
        if self.late is None:
            disk["users"] = [f"{_URL}projects/{PROJECT}/{place}"]
            instance["disks"].append({"source": f"{_URL}projects/{PROJECT}/{source}", "deviceName": body["deviceName"]})
        self.objects[f"zones/{zone}/operations/{operation['name']}"] = operation
        return dict(operation)

    def _operation(self, path: str) -> Object:
        found = self.objects[path]
        found["left"] -= 1
        if found["left"] < 0:
            found["status"] = "DONE"
            if self.late is not None:
                found.update({"httpErrorStatusCode": 400, "error": {"errors": [self.late]}})
        return found

    def _once(self, query: dict[str, str], act: Callable[[], Object]) -> Object:
        """A request that is known by its id is not carried out again."""
        key = query["requestId"]
        if key not in self._requests:
            self._requests[key] = act()
        return self._requests[key]

    def _dns(self, method: str, path: str, query: dict[str, str], body: Object) -> Object:
        if path == "managedZones":
            zones = [each for each in self.objects.values() if each.get("dnsName") == query["dnsName"]]
            page, token = _page(zones, query)
            return {"managedZones": page, **token}
        _zones, name, what = path.split("/")
        if name not in self.zones:
            raise Refusal(404, "notFound", f"The 'parameters.managedZone' resource named '{name}' does not exist.")
        sets = self.zones[name]
        if (method, what) == ("GET", "rrsets"):
            found = sets.get((query["name"], query["type"]))
            return {"rrsets": [found] if found else []}
        for each in body.get("deletions") or ():
            if sets.get((each["name"], each["type"])) != each:
                raise Refusal(412, "conditionNotMet", "Precondition not met for 'entity.change.deletions[0]'")
        for each in body.get("deletions") or ():
            del sets[each["name"], each["type"]]
        for each in body["additions"]:
            if (each["name"], each["type"]) in sets:
                raise Refusal(409, "alreadyExists", "The resource 'entity.change.additions[0]' already exists")
            sets[each["name"], each["type"]] = each
        return {"status": "pending"}


def metadata(**items: str) -> Object:
    """Metadata; underscores in names are hyphens."""
    return {"items": [{"key": key.replace("_", "-"), "value": value} for key, value in items.items()]}


def matches(each: Object, search: str) -> bool:
    """Whether an object passes a filter: LABEL=VALUE or name=VALUE, in brackets besides each other, or with OR."""
    terms = re.findall(r"\(([^()]+)\)", search) or [search] if search else []
    found = []
    for term in terms:
        field, value = term.split("=")
        named = each["name"] if field == "name" else (each.get("labels") or {}).get(field.partition(".")[2])
        found.append(named == value)
    return any(found) if " OR " in search else all(found)


def _page(found: list[Any], query: dict[str, str]) -> tuple[list[Any], Object]:
    start = int(query.get("pageToken") or 0)
    end = start + _PAGE
    return found[start:end], {"nextPageToken": str(end)} if end < len(found) else {}


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: FakeGoogle

    def _serve(self) -> None:
        place = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(place.query).items()}
        service, path = place.path.split("/")[1], unquote(place.path.partition(f"/v1/projects/{PROJECT}/")[2])
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with self.fake.lock:
            self.fake.asked.append(f"{self.command} {path}")
            self.fake.queries.append(query)
            try:
                if self.headers.get("Authorization", "").partition("Bearer ")[2] not in self.fake.tokens:
                    raise Refusal(401, "authError", "Invalid Credentials")
                if self.fake.statuses:
                    raise Refusal(self.fake.statuses.pop(0), "backendError")
                status, answer = 200, self.fake.answer(self.command, service, path, query, json.loads(content or b"{}"))
            except Refusal as refusal:
                errors = [{"reason": refusal.reason, "message": refusal.message}]
                status, answer = (
                    refusal.status,
                    {"error": {"code": refusal.status, "message": refusal.message, "errors": errors}},
                )
            text = json.dumps(answer).encode()
            if any(part in path for part in self.fake.lost):
                self.fake.lost.pop()
                self.close_connection = True
                return
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = _serve

    def log_message(self, *_arguments: object) -> None:
        """Nothing: requests are looked at in tests."""


@contextlib.contextmanager
def serving() -> Iterator[tuple[str, FakeGoogle]]:
    """Its URL, and what it has."""
    fake = FakeGoogle()
    handler = type("Handler", (_Handler,), {"fake": fake})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", fake
        finally:
            server.shutdown()
