# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compute Engine: what its methods do to objects. Managed groups keep their number of instances."""

from __future__ import annotations

import copy
import ipaddress
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .documents import Method, Refusal, without_output
from .objects import LINK, Objects, fingerprint

REGION, _ZONES = "us-test1", "bcd"
_SCHEMAS = {"addresses": "Address", "routes": "Route"}
# A URL of the same object, as whoever was told another endpoint writes it.
_HERE = re.compile(r"https?://[^/\"]+/compute/(?:v1|beta)/projects/")
_TERM = re.compile(r"\(((?:\"[^\"]*\"|[^()\"])*)\)")
_FILTER = re.compile(r"([\w.-]+)\s*(=|eq|:|!=|ne)\s*\"?([^\"]*?)\"?")
# What is made without labels, which a method of its own sets.
_LABELLED_LATER = ("forwardingRules", "addresses")
# Methods, beside those of all kinds, that only read.
_SEEN = ("getHealth", "getSerialPortOutput", "getShieldedInstanceIdentity", "listErrors", "listManagedInstances")
# What Google fills in where a request says nothing.
DEFAULTS: dict[str, dict[str, Any]] = {
    "networks": {"autoCreateSubnetworks": True},
    "subnetworks": {"stackType": "IPV4_ONLY", "purpose": "PRIVATE", "privateIpGoogleAccess": False},
    "addresses": {"addressType": "EXTERNAL", "status": "RESERVED", "ipVersion": "IPV4"},
    "firewalls": {"direction": "INGRESS", "disabled": False, "priority": 1000},
    "instanceGroupManagers": {
        "listManagedInstancesResults": "PAGELESS",
        "updatePolicy": {"type": "OPPORTUNISTIC", "minimalAction": "REPLACE", "replacementMethod": "SUBSTITUTE"},
    },
    "httpHealthChecks": {"port": 80, "requestPath": "/", "checkIntervalSec": 5, "timeoutSec": 5},
    "healthChecks": {"checkIntervalSec": 5, "timeoutSec": 5},
    "disks": {"status": "READY", "users": []},
    "instances": {"status": "RUNNING"},
}


class Compute:
    """The methods. started, ended: are told of instances that managed groups make and end.

    shielded: what getShieldedInstanceIdentity says of an instance. console: what it has printed.
    outside: how addresses of the internet begin; here nothing answers there.
    """

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self.started: Callable[[dict[str, Any]], None] = lambda instance: None
        self.ended: Callable[[dict[str, Any]], None] = lambda instance: None
        self.console: Callable[[dict[str, Any]], str] = lambda instance: ""
        self.outside = "127.51"
        self.shielded: Callable[[dict[str, Any]], dict[str, Any]] = lambda instance: {}
        self._numbers = itertools.count(1)

    def answer(self, method: Method, named: dict[str, str], query: Mapping[str, str], body: Any) -> Any:
        """The answer to a request. Raises Refusal."""
        with self.objects.lock:
            return self._answer(method, named, query, body)

    def _answer(self, method: Method, named: dict[str, str], query: Mapping[str, str], body: Any) -> Any:
        path = self._path(method, named)
        if "perations" in method.collection:
            return self.objects.waited(path.removesuffix("/wait"), wait=method.verb == "wait")
        if method.verb == "get":
            return self._get(path, named)
        if method.verb == "list":
            return self._listed(path, query)
        if method.verb == "aggregatedList":
            return self._aggregated(named["project"], method.collection, query)
        if method.verb in _SEEN:
            return self._seen(method.verb, path, body or {})
        known = self.objects.known(query.get("requestId", ""))
        if known is not None:
            return known
        target = self._write(method, path, query, json.loads(_HERE.sub(LINK, json.dumps(body or {}))))
        return self.objects.operation(method.verb, target, query.get("requestId", ""))

    @staticmethod
    def _path(method: Method, named: Mapping[str, str]) -> str:
        path = method.pattern.pattern.partition("/projects/")[2].replace("\\", "")
        return re.sub(r"\(\?P<(\w+)>[^)]*\)", lambda found: named[found[1]], path)

    # -- reads ------------------------------------------------------------------------------------------------------

    def _get(self, path: str, named: Mapping[str, str]) -> Any:
        if re.fullmatch(r"[^/]+/regions/[^/]+", path):
            region = named["region"]
            zones = [f"{LINK}{named['project']}/zones/{region}-{letter}" for letter in _ZONES]
            return {"name": region, "zones": zones, "selfLink": LINK + path}
        if "/machineTypes/" in path:
            return {"name": path.rpartition("/")[2], "guestCpus": 2, "memoryMb": 4096, "architecture": "X86_64"}
        if "/images/" in path:
            return {"name": path.rpartition("/")[2], "status": "READY", "architecture": "X86_64", "diskSizeGb": "10"}
        return copy.deepcopy(self.objects.need(path))

    def _listed(self, path: str, query: Mapping[str, str]) -> Any:
        if path.endswith("/zones"):
            return {"items": list(filter(_filtered(query.get("filter", "")), _zones(path)))}
        items = [each for place, each in self.objects.found.items() if place.rpartition("/")[0] == path]
        items = sorted(filter(_filtered(query.get("filter", "")), items), key=lambda each: str(each["name"]))
        first, count = int(query.get("pageToken") or 0), int(query.get("maxResults") or 500)
        page = {"items": copy.deepcopy(items[first : first + count]), "selfLink": LINK + path}
        return {**page, **({"nextPageToken": str(first + count)} if first + count < len(items) else {})}

    def _aggregated(self, project: str, collection: str, query: Mapping[str, str]) -> Any:
        keep, items = _filtered(query.get("filter", "")), {}
        for place, each in sorted(self.objects.found.items()):
            owner, _slash, rest = place.partition("/")
            scope, _slash, kind = rest.rpartition("/")[0].rpartition("/")
            if (owner, kind) == (project, collection) and keep(each):
                items.setdefault(scope, {}).setdefault(collection, []).append(copy.deepcopy(each))
        return {"items": items}

    def _seen(self, verb: str, path: str, body: Mapping[str, Any]) -> Any:
        found = self.objects.need(path.rpartition("/")[0])
        if verb == "getHealth":
            asked = list(self._behind(found, body))
            return {"healthStatus": [{"instance": each, "healthState": "HEALTHY"} for each in asked]}
        if verb == "getShieldedInstanceIdentity":
            return self.shielded(found)
        if verb == "listErrors":
            return {"items": copy.deepcopy(found.get("_errors", []))}
        if verb == "getSerialPortOutput":
            return {"contents": found.get("_console", "") or self.console(found), "next": "0"}
        return {"managedInstances": [_managed(found, each) for each in self.members(found)]}

    def _behind(self, found: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[str]:
        """Those of a target pool or backend service that are asked about: one instance, or those of a group."""
        here = json.loads(_HERE.sub(LINK, json.dumps(dict(asked))))
        if "instance" in here:
            yield from (each for each in found.get("instances", ()) if each == here["instance"])
        elif here.get("group") in {each["group"] for each in found.get("backends", ())}:
            for path, manager in self.objects.found.items():
                if "/instanceGroupManagers/" in path and manager["instanceGroup"] == here["group"]:
                    yield from (each["selfLink"] for each in self.members(manager))

    # -- writes -----------------------------------------------------------------------------------------------------

    def _write(self, method: Method, path: str, query: Mapping[str, str], body: dict[str, Any]) -> str:
        """Carry a method out. Returns the path of the object that it was about."""
        if method.verb == "insert":
            return self._insert(method, path, body)
        if method.verb == "delete":
            self._delete(path)
            return path
        if method.verb in ("patch", "update"):
            found = self.objects.need(path)
            wanted = without_output("compute", method.request, body)
            wanted.update({name: body[name] for name in ("fingerprint",) if name in body})
            if method.http == "PUT":
                kept = ("id", "kind", "selfLink", "creationTimestamp", "fingerprint", "region", "zone")
                for name in [each for each in found if each not in kept]:
                    del found[name]
                found.update(DEFAULTS.get(method.collection, {}))
            self.objects.changed(found, wanted)
            self._follow(path, found)
            return path
        target, _slash, verb = path.rpartition("/")
        self._call(verb, target, self.objects.need(target), query, body)
        return target

    def _insert(self, method: Method, path: str, body: dict[str, Any]) -> str:
        wanted = {
            **copy.deepcopy(DEFAULTS.get(method.collection, {})),
            **without_output("compute", method.request, body),
        }
        if method.collection in _LABELLED_LATER:
            wanted.pop("labels", None)
        place = f"{path}/{body['name']}"
        if method.collection == "subnetworks":
            self._check_range(wanted)
        if str(wanted.get("nextHopInstance", LINK)).startswith("zones/"):
            # Google says the whole URL of what is given as its end.
            wanted["nextHopInstance"] = f"{LINK}{path.partition('/')[0]}/{wanted['nextHopInstance']}"
        made = self.objects.insert(path, method.collection[:-1], wanted, method.request)
        if method.collection == "addresses":
            made["address"] = wanted.get("address") or self._free_address(wanted)
        if method.collection == "forwardingRules":
            made.setdefault("IPAddress", self._free_address({}))
        if method.collection in ("disks", "forwardingRules", "instances"):
            made["labelFingerprint"] = fingerprint(made.get("labels"))
        if method.collection == "instanceGroupManagers":
            made["instanceGroup"] = made["selfLink"].replace("instanceGroupManagers", "instanceGroups")
            group = place.replace("instanceGroupManagers", "instanceGroups")
            self.objects.found[group] = {"name": body["name"], "selfLink": LINK + group}
            self._follow(place, made)
        return place

    def _delete(self, path: str) -> None:
        found = self.objects.need(path)
        kind = path.split("/")[-2]
        if kind == "instanceGroupManagers":
            group = path.replace("instanceGroupManagers", "instanceGroups")
            held = self.objects.found.pop(group, None)
            members = self.members(found)
            try:
                self._check_unused(group)
                self.objects.delete(path)
            except Refusal:
                if held is not None:
                    self.objects.found[group] = held
                raise
            for each in members:
                self._end(each)
            return
        if kind == "instances":
            manager = self._manager_of(found)
            self._end(found)
            if manager is not None:
                self._start(_path_of(manager), manager, found["name"])
            return
        if kind == "disks" and found.get("users"):
            raise Refusal(
                400, "resourceInUseByAnotherResource", f"The disk resource 'projects/{path}' is already in use"
            )
        self.objects.delete(path)

    def _check_unused(self, path: str) -> None:
        self.objects.found[path] = {"name": path}
        try:
            self.objects.delete(path)
        finally:
            self.objects.found.pop(path, None)

    def _call(self, verb: str, target: str, found: dict[str, Any], query: Mapping[str, str], body: Any) -> None:
        """The methods that objects have besides."""
        self.objects.check_references({key: each for key, each in body.items() if key != "instances"})
        names = [str(each).rpartition("/")[2] for each in body.get("instances", ()) if isinstance(each, str)]
        if verb == "setLabels":
            if body.get("labelFingerprint") != found.get("labelFingerprint"):
                raise Refusal(
                    412, "conditionNotMet", "Labels fingerprint either invalid or resource labels have changed"
                )
            found.update(labels=body["labels"], labelFingerprint=fingerprint([body["labels"], next(self._numbers)]))
        elif verb == "resize" and "size" in query:
            found["targetSize"] = int(query["size"])
            self._follow(target, found)
        elif verb == "resize":
            found["sizeGb"] = str(body["sizeGb"])
        elif verb in ("deleteInstances", "recreateInstances", "abandonInstances"):
            zone = target.rpartition("/instanceGroupManagers/")[0]
            for name in names:
                instance = self.objects.need(f"{zone}/instances/{name}")
                if verb == "abandonInstances":
                    _set_metadata(instance, "created-by", None)
                    continue
                self._end(instance)
                if verb == "recreateInstances":
                    self._start(target, found, name)
            if verb != "recreateInstances":
                found["targetSize"] = int(found["targetSize"]) - len(names)
            self._follow(target, found)
        elif verb in ("setTargetPools", "setInstanceTemplate"):
            self.objects.changed(found, body)
        elif verb == "setTarget":
            found["target" if "target" in found else "backendService"] = body["target"]
        elif verb in ("addInstance", "removeInstance"):
            urls = {each["instance"] for each in body["instances"]}
            present = set(found.get("instances", ()))
            found["instances"] = sorted(present | urls if verb == "addInstance" else present - urls)
        elif verb in ("addHealthCheck", "removeHealthCheck"):
            (check,) = (each["healthCheck"] for each in body["healthChecks"])
            kept = [each for each in found.get("healthChecks", ()) if each != check]
            found["healthChecks"] = [*kept, check] if verb == "addHealthCheck" else kept
        elif verb == "attachDisk":
            self._attach(found, body)
        elif verb == "detachDisk":
            self._detach(found, query.get("deviceName", ""))
        else:
            raise Refusal(501, "notImplemented", f"{verb} has no semantics here")

    def _attach(self, instance: dict[str, Any], body: Mapping[str, Any]) -> None:
        # A whole URL, or the path in it.
        disk = self.objects.need(str(body["source"]).removeprefix(LINK).removeprefix("projects/"))
        if disk.get("users"):
            raise Refusal(
                400, "resourceInUseByAnotherResource", f"The disk resource '{body['source']}' is already in use"
            )
        disk["users"] = [instance["selfLink"]]
        disks = instance.setdefault("disks", [])
        disks.append({**body, "source": disk["selfLink"], "index": len(disks)})

    def _detach(self, instance: dict[str, Any], device: str) -> None:
        for each in [each for each in instance.get("disks", ()) if each.get("deviceName") == device]:
            instance["disks"].remove(each)
            self.objects.need(str(each["source"])[len(LINK) :])["users"] = []

    # -- managed groups -----------------------------------------------------------------------------------------------

    def members(self, manager: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The instances of a managed group."""
        return [
            each
            for path, each in self.objects.found.items()
            if "/instances/" in path and self._manager_of(each) is manager
        ]

    def _manager_of(self, instance: Mapping[str, Any]) -> dict[str, Any] | None:
        items = {each["key"]: each["value"] for each in instance.get("metadata", {}).get("items", ())}
        made_by = str(items.get("created-by", "")).partition("projects/")[2]
        if not made_by:
            return None
        project = str(instance["selfLink"])[len(LINK) :].partition("/")[0]
        return self.objects.found.get(f"{project}/{made_by.partition('/')[2]}")

    def _follow(self, path: str, manager: dict[str, Any]) -> None:
        """Let a managed group have as many instances as it wants."""
        if "/instanceGroupManagers/" not in path:
            return
        present = self.members(manager)
        for _missing in range(int(manager.get("targetSize") or 0) - len(present)):
            self._start(path, manager)
        for each in present[int(manager.get("targetSize") or 0) :]:
            self._end(each)

    def _start(self, path: str, manager: dict[str, Any], name: str = "") -> None:
        """Make an instance. name: of one that somebody else has deleted, which its group makes again."""
        versions = manager.get("versions") or [manager]
        template = self.objects.need(versions[0]["instanceTemplate"][len(LINK) :])
        properties = copy.deepcopy(template["properties"])
        scope, number = path.rpartition("/instanceGroupManagers/")[0], next(self._numbers)
        name = name or f"{manager['baseInstanceName']}-{number:04x}"
        place = f"1/{path.partition('/')[2]}"
        zone = scope.rpartition("/")[2]
        properties["machineType"] = f"{LINK}{scope}/machineTypes/{properties.get('machineType', 'e2-medium')}"
        for interface in properties.get("networkInterfaces", ()):
            self._give_addresses(interface, number)
            for access in interface.get("accessConfigs", ()):
                access["natIP"] = f"203.0.{113 + number // 250}.{number % 250 + 4}"
        for disk in properties.get("disks", ()):
            disk.pop("initializeParams", None)
        instance = self.objects.insert(f"{scope}/instances", "instance", {**properties, "name": name}, "Instance")
        instance.update(status="RUNNING", labelFingerprint=fingerprint(properties.get("labels")), zone=f"{LINK}{scope}")
        tags = instance.get("tags") or {}
        instance["tags"] = {**tags, "fingerprint": fingerprint(tags)} if isinstance(tags, dict) else tags
        _set_metadata(instance, "created-by", f"projects/{place}")
        _set_metadata(instance, "instance-template", f"projects/1/global/instanceTemplates/{template['name']}")
        for pool in manager.get("targetPools") or ():
            found = self.objects.need(pool[len(LINK) :])
            found.setdefault("instances", []).append(instance["selfLink"])
        assert zone
        self.started(instance)

    def _give_addresses(self, interface: dict[str, Any], number: int) -> None:
        """Give an interface an address of its subnet, which Google keeps four addresses of, and ranges of pods."""
        subnet = self.objects.found.get(str(interface.get("subnetwork", ""))[len(LINK) :])
        if subnet is None or "ipCidrRange" not in subnet:
            interface["networkIP"] = f"10.0.{number // 250}.{number % 250 + 4}"
            return
        others = [
            each["networkInterfaces"][0]
            for path, each in self.objects.found.items()
            if "/instances/" in path and each.get("networkInterfaces")
        ]
        addresses = [each["address"] for path, each in self.objects.found.items() if "/addresses/" in path]
        taken = {str(each.get("networkIP")) for each in others} | set(addresses)
        hosts = ipaddress.ip_network(subnet["ipCidrRange"]).hosts()
        interface["networkIP"] = next(each for each in map(str, itertools.islice(hosts, 1, None)) if each not in taken)
        ranges = {each["rangeName"]: each["ipCidrRange"] for each in subnet.get("secondaryIpRanges", ())}
        used = {alias["ipCidrRange"] for each in others for alias in each.get("aliasIpRanges", ())}
        for alias in interface.get("aliasIpRanges", ()):
            size = int(str(alias["ipCidrRange"]).lstrip("/"))
            whole = ipaddress.ip_network(ranges[alias["subnetworkRangeName"]])
            alias["ipCidrRange"] = next(each for each in map(str, whole.subnets(new_prefix=size)) if each not in used)

    def _end(self, instance: dict[str, Any]) -> None:
        path = _path_of(instance)
        for each in self.objects.found.values():
            if instance["selfLink"] in each.get("users", ()):
                each["users"] = []
            if instance["selfLink"] in each.get("instances", ()):
                each["instances"].remove(instance["selfLink"])
        self.objects.found.pop(path, None)
        self.ended(instance)

    # -- networks -----------------------------------------------------------------------------------------------------

    def _check_range(self, wanted: Mapping[str, Any]) -> None:
        ranges = [wanted.get("ipCidrRange"), *(each["ipCidrRange"] for each in wanted.get("secondaryIpRanges", ()))]
        taken = [
            cidr
            for path, each in self.objects.found.items()
            if "/subnetworks/" in path and each.get("network") == wanted.get("network")
            for cidr in (each["ipCidrRange"], *(more["ipCidrRange"] for more in each.get("secondaryIpRanges", ())))
        ]
        for cidr in ranges:
            if not cidr:
                raise Refusal(400, "required", "Required field 'resource.ipCidrRange' not specified")
            try:
                network = ipaddress.ip_network(cidr)
            except ValueError:
                raise Refusal(400, "invalid", f"Invalid value for field 'resource.ipCidrRange': '{cidr}'.") from None
            for other in taken:
                if network.overlaps(ipaddress.ip_network(other)):
                    message = f"Invalid IPCidrRange: {cidr} conflicts with existing subnetwork in region"
                    raise Refusal(400, "invalid", message)

    def _free_address(self, wanted: Mapping[str, Any]) -> str:
        number = next(self._numbers)
        subnet = wanted.get("subnetwork")
        if wanted.get("addressType") == "INTERNAL" and subnet:
            network = ipaddress.ip_network(self.objects.need(subnet[len(LINK) :])["ipCidrRange"])
            return str(network[100 + number % 100])
        return f"{self.outside}.{100 + number // 250}.{number % 250 + 1}"


def _zones(path: str) -> list[dict[str, Any]]:
    """Those of the one region that there is when nobody names one."""
    region = path.replace("/zones", f"/regions/{REGION}")
    names = [f"{REGION}-{letter}" for letter in _ZONES]
    return [{"name": name, "region": LINK + region, "selfLink": f"{LINK}{path}/{name}"} for name in names]


def _managed(manager: Mapping[str, Any], instance: Mapping[str, Any]) -> dict[str, Any]:
    """An instance as its managed group describes it."""
    versions = manager.get("versions") or [manager]
    version = {"instanceTemplate": versions[0]["instanceTemplate"]}
    described = {"instance": instance["selfLink"], "id": instance["id"], "instanceStatus": instance["status"]}
    return {**described, "currentAction": "NONE", "version": version}


def _set_metadata(instance: dict[str, Any], key: str, value: str | None) -> None:
    metadata = instance.setdefault("metadata", {})
    items = [each for each in metadata.get("items", ()) if each["key"] != key]
    metadata["items"] = [*items, *([{"key": key, "value": value}] if value is not None else [])]


def _path_of(described: Mapping[str, Any]) -> str:
    return str(described["selfLink"])[len(LINK) :]


def _filtered(text: str) -> Callable[[Mapping[str, Any]], bool]:
    """A filter of Google's grammar: comparisons in brackets, which all hold, or one of which does. Raises Refusal."""
    text = _HERE.sub(LINK, text)
    terms = _TERM.findall(text) if text.lstrip().startswith("(") else [text.strip()] if text.strip() else []
    others = _TERM.sub("", text).split() if text.lstrip().startswith("(") else []
    compared = [_compared(term, text) for term in terms]
    if not set(others) <= {"AND", "OR"}:
        raise Refusal(400, "invalid", f"Invalid value for field 'filter': '{text}'.")
    combined = any if "OR" in others else all
    return lambda each: combined(holds(each) for holds in compared)


def _compared(term: str, text: str) -> Callable[[Mapping[str, Any]], bool]:
    found = _FILTER.fullmatch(term.strip())
    if found is None:
        raise Refusal(400, "invalid", f"Invalid value for field 'filter': '{text}'.")
    names, operator, wanted = found[1].split("."), found[2], found[3]

    def keeps(each: Mapping[str, Any]) -> bool:
        value: Any = each
        for name in names:
            value = value.get(name) if isinstance(value, Mapping) else None
        if operator in ("eq", "ne"):
            same = value is not None and re.fullmatch(wanted, str(value)) is not None
        else:
            same = (
                str(value) == wanted if operator != ":" else wanted == "*" and value is not None or wanted in str(value)
            )
        return same != (operator in ("!=", "ne"))

    return keeps
