# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A project of OpenStack in memory, for rules that do not need the services: what is broken off, and what is left.

It answers as the services do where tasks look; that they look rightly is shown on the services themselves.
"""

from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import AccessDenied, Missing
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import (
    access_rules,
    account,
    catalog,
    designate,
    facts,
    kinds,
    logins,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.cloud import (
    OpenStackCloud,
    place_of_login,
    project_of,
    types_of,
    user_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.kinds import Kind
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.volume import storage_zones
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.openstack_sealing import KEY_BITS, line_of
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

USER, AUTH_URL = "u1", "https://keystone.example.com/v3"
PROJECT, EXTERNAL, ZONE, IMAGE = "p1", "external", "nova", "debian-12"
FLAVOR, OTHER_FLAVOR = "medium", "large"
IMAGES, MISSING_IMAGES = (IMAGE, "debian-13"), ("debian-0",)
_RULES = [{"direction": "egress", "ethertype": family} for family in ("IPv4", "IPv6")]


@functools.lru_cache
def private_key() -> rsa.RSAPrivateKey:
    """The key that all servers of tests have."""
    return rsa.generate_private_key(65537, KEY_BITS)


def public_key() -> bytes:
    """Its public half, as servers say it on their consoles."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return private_key().public_key().public_bytes(serialization.Encoding.DER, form)


class Project:
    """What there is: collection -> id -> object. writes: what was asked for. fault: is called before and after each.

    console: what all servers say. zones: of Designate. tags_new_ports: whether ports are made with their tags.
    refusals: type of a service -> how often it still refuses a credential with rules, before it takes them.
    forbidden: the services that the user may not ask at all. silent: those that do not answer.
    types: of the services that there are.
    """

    def __init__(self) -> None:
        self.objects: dict[str, dict[str, dict[str, Any]]] = {}
        self.writes: list[str] = []
        self.zones: list[dict[str, Any]] = []
        self.tags_new_ports = False
        self.refusals: dict[str, float] = {}
        self.forbidden: set[str] = set()
        self.silent: set[str] = set()
        self.types = list(access_rules.TYPES)
        self.console = f"[    1.0] python3[9]: {line_of(public_key())}\n"
        self.fault: Callable[[str, int], None] = lambda moment, number: None
        self._numbers = itertools.count(1)
        outside = {"name": EXTERNAL, "router:external": True, "project_id": "cloud"}
        self.insert(kinds.NETWORK, outside)

    def client(self, cluster: str, store: str = "") -> MemoryCloud:
        """A client that knows nothing yet."""
        return MemoryCloud(self, cluster, store)

    def names(self) -> list[str]:
        """Of all objects, with their collections; rules by what they say."""
        return sorted(
            f"{collection} {each.get('name') or each.get('description') or sorted(map(str, each.items()))}"
            for collection, found in self.objects.items()
            for each in found.values()
        )

    def of(self, kind: Kind) -> dict[str, dict[str, Any]]:
        """Id -> object of a kind."""
        return self.objects.setdefault(kind.collection, {})

    def insert(self, kind: Kind, properties: dict[str, Any]) -> dict[str, Any]:
        """Make an object, with what its service fills in."""
        number = next(self._numbers)
        made = {"id": f"{kind.key or kind.word}-{number}", "project_id": PROJECT, **copy.deepcopy(properties)}
        if kind in (kinds.NETWORK, kinds.SUBNET, kinds.PORT):
            made.setdefault("tags", [])
        if kind is kinds.PORT:
            addresses = made.get("fixed_ips") or []
            made["fixed_ips"] = [{**each, "ip_address": f"10.0.0.{number}"} for each in addresses]
            made["mac_address"] = f"fa:16:3e:00:00:{number % 256:02x}"
            pairs = made.get("allowed_address_pairs") or []
            made["allowed_address_pairs"] = [{"mac_address": made["mac_address"], **each} for each in pairs]
        if kind is kinds.SECURITY_GROUP:
            made["security_group_rules"] = [self._rule({**each, "security_group_id": made["id"]}) for each in _RULES]
        if kind is kinds.FLOATING_IP:
            made["floating_ip_address"] = f"203.0.113.{number}"
        if kind is kinds.BALANCER:
            port = self.insert(kinds.PORT, {"name": "vip", "network_id": "", "security_groups": []})
            made.update(vip_port_id=port["id"], vip_address="10.0.0.9", provisioning_status="ACTIVE")
        if kind in (kinds.POOL, kinds.LISTENER):
            made["loadbalancers"] = [{"id": made["loadbalancer_id"]}]
        if kind is kinds.MONITOR:
            made["pools"] = [{"id": made["pool_id"]}]
        if kind is kinds.SERVER:
            made["status"] = "ACTIVE"
            port = self.of(kinds.PORT)[made["networks"][0]["port"]]
            port["device_id"] = made["id"]
            fixed = {"version": 4, "OS-EXT-IPS:type": "fixed"}
            made["addresses"] = {"net": [{"addr": each["ip_address"], **fixed} for each in port["fixed_ips"]]}
        if kind.key == "application_credential":
            made["secret"] = f"secret-{number}"
            made["access_rules"] = [self._access_rule(each) for each in made.get("access_rules", ())]
        if kind is kinds.VOLUME:
            made["status"] = "available"
        if kind is kinds.KEYPAIR:
            made["id"] = made["name"]
        self.of(kind)[made["id"]] = made
        return made

    def _access_rule(self, properties: dict[str, Any]) -> dict[str, Any]:
        """One of the user; the same for all credentials that ask for it."""
        kind = kinds.access_rule(USER)
        found = (each for each in self.of(kind).values() if properties.items() <= each.items())
        return next(found, None) or self.insert(kind, properties)

    def held_rules(self) -> set[str]:
        """The ids of access rules that credentials have."""
        credentials = self.of(kinds.application_credential(USER)).values()
        return {rule["id"] for each in credentials for rule in each["access_rules"]}

    def _rule(self, properties: dict[str, Any]) -> dict[str, Any]:
        empty = dict.fromkeys(("protocol", "port_range_min", "port_range_max", "remote_group_id", "remote_ip_prefix"))
        return {"id": f"rule-{next(self._numbers)}", **empty, **properties}

    def write(self, method: str, kind: Kind, path: str, body: Any) -> dict[str, Any]:
        """The answer to a request that writes. Raises Missing."""
        identifier, _slash, more = path.strip("/").partition("/")
        identifier = identifier.partition("?")[0]
        if method == "POST" and not path:
            if kind is kinds.SECURITY_GROUP_RULE:
                return {"security_group_rules": [self._add_rule(each) for each in body["security_group_rules"]]}
            if f"{kind.key}s" in body:
                kept = {} if self.tags_new_ports else {"tags": []}
                several = [self.insert(kind, {**each, **kept}) for each in body[f"{kind.key}s"]]
                return {f"{kind.key}s": copy.deepcopy(several)}
            made = copy.deepcopy(self.insert(kind, body[kind.key] if kind.key else body))
            return {kind.key: made} if kind.key else made
        if kind is kinds.SECURITY_GROUP_RULE:
            self._delete_rule(identifier)
            return {}
        found = self.of(kind).get(identifier)
        if found is None:
            if method == "DELETE":
                return {}
            raise Missing(f"there is no {kind.word} {identifier}")
        if more.startswith("tags/"):
            tag = more.removeprefix("tags/")
            found["tags"] = [each for each in found["tags"] if each != tag] + ([tag] if method == "PUT" else [])
        elif more == "tags":
            found["tags"] = list(body["tags"])
        elif more == "add_router_interface":
            interface = {"device_owner": "network:router_interface", "device_id": identifier, "fixed_ips": [body]}
            return {"port_id": self.insert(kinds.PORT, {"name": "", "network_id": "", **interface})["id"]}
        elif more == "remove_router_interface":
            del self.of(kinds.PORT)[body["port_id"]]
        elif more.startswith("members/"):
            (member,) = (each for each in found["members"] if each["id"] == more.removeprefix("members/"))
            member.update(body["member"])
        elif more == "members":
            member = {"id": f"member-{next(self._numbers)}", **body["member"]}
            found.setdefault("members", []).append(member)
            return {"member": member}
        elif more == "action":
            return {"output": self.console}
        elif more == "metadata":
            found["metadata"].update(body["metadata"])
        elif method == "DELETE":
            if kind.word == kinds.ACCESS_RULE and identifier in self.held_rules():
                raise AccessDenied("May not delete access rule in use")
            del self.of(kind)[identifier]
            if kind is kinds.BALANCER:
                self._forget_balancer(found)
        else:
            found.update(body[kind.key] if kind.key else body)
        return {}

    def _add_rule(self, properties: dict[str, Any]) -> dict[str, Any]:
        rule = self._rule(properties)
        self.of(kinds.SECURITY_GROUP)[rule["security_group_id"]]["security_group_rules"].append(rule)
        return rule

    def _delete_rule(self, identifier: str) -> None:
        for group in self.of(kinds.SECURITY_GROUP).values():
            group["security_group_rules"] = [each for each in group["security_group_rules"] if each["id"] != identifier]

    def _forget_balancer(self, balancer: dict[str, Any]) -> None:
        """With cascade."""
        self.of(kinds.PORT).pop(balancer["vip_port_id"])
        pools = {key for key, each in self.of(kinds.POOL).items() if each["loadbalancer_id"] == balancer["id"]}
        for kind, keep in (
            (kinds.LISTENER, lambda each: each["loadbalancer_id"] != balancer["id"]),
            (kinds.MONITOR, lambda each: each["pool_id"] not in pools),
            (kinds.POOL, lambda each: each["loadbalancer_id"] != balancer["id"]),
        ):
            found = self.of(kind)
            self.objects[kind.collection] = {key: each for key, each in found.items() if keep(each)}


@dataclass(frozen=True)
class MemoryLogin:
    """A login of the user, with the rules of an application credential if it is by one."""

    project: Project
    name: str
    rules: tuple[Mapping[str, Any], ...]

    def status(self, service: str, path: str) -> int:
        if service in self.project.silent:
            return logins.SILENCE
        if service in self.project.forbidden:
            return 403
        left = self.project.refusals.get(service, 0)
        if self.rules and left > 0:
            self.project.refusals[service] = left - 1
            return 401
        return 200


class MemoryCloud(OpenStackCloud):
    """A client of a project in memory."""

    def __init__(self, project: Project, cluster: str, store: str) -> None:
        super().__init__("", cluster, store)
        self._project = project
        self._learn()

    def forget_all(self) -> None:
        super().forget_all()
        self._learn()

    def _learn(self) -> None:
        """What is asked of the library itself."""
        self.know(PROJECT, project_of)
        self.know(USER, user_of)
        self.know((AUTH_URL, ""), place_of_login)
        self.know([ZONE], storage_zones)
        self.know(self._project.types, types_of)
        sizes = {FLAVOR: 2, OTHER_FLAVOR: 4}
        flavors = [
            {"id": each, "name": each, "vcpus": size, "ram": 2048 * size, "disk": 20} for each, size in sizes.items()
        ]
        self.know(flavors, catalog.flavors)
        for image in IMAGES:
            self.know([{"id": image, "created_at": "", "min_disk": 12}], catalog.images, image)
        for image in MISSING_IMAGES:
            self.know([], catalog.images, image)
        self.know([ZONE], facts._read_zones)
        self.know(self._project.zones, designate.zones)
        self.know(True, account._listeners_restrict)

    def logged_in(self, credential: Mapping[str, str]) -> MemoryLogin | None:
        found = self.get(kinds.application_credential(USER), credential["id"])
        if found is None or found["secret"] != credential["secret"]:
            return None
        return MemoryLogin(self._project, found["name"], tuple(found["access_rules"]))

    @property
    def own_login(self) -> MemoryLogin:
        return MemoryLogin(self._project, "", ())

    def read(self, kind: Kind, **query: str) -> list[dict[str, Any]]:
        for place in ("user", "zone"):
            query.pop(place, None)
        if kind.key == "member":
            return copy.deepcopy(self._project.of(kind)[query["pool"]].get("members", []))
        found = copy.deepcopy(list(self._project.of(kind).values()))
        return [each for each in found if all(each.get(key) == value for key, value in query.items())]

    def get(self, kind: Kind, identifier: str) -> dict[str, Any] | None:
        return copy.deepcopy(self._project.of(kind).get(identifier))

    def latest(self, kind: Kind, identifier: str, since: float = 0.0) -> dict[str, Any] | None:
        return self.get(kind, identifier)

    def question(self, kind: Kind, path: str, body: Any, doing: str) -> dict[str, Any]:
        # It can fail as writes can, and is none.
        self._project.fault("before", len(self._project.writes))
        return self._project.write("POST", kind, path, body)

    def ask(self, method: str, kind: Kind, path: str, body: Any, doing: str) -> dict[str, Any]:
        number = len(self._project.writes)
        self._project.fault("before", number)
        self._project.writes.append(doing)
        answer = self._project.write(method, kind, path, body)
        self._project.fault("after", number)
        return answer
