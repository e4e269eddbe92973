# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops on a real OpenStack: what it asked the services for, object by object, beside what we would ask for.

References are by name, as the cases write them: <network:NAME>. What servers are told (user data) is not compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import catalog, names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.account import Account
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.cloud import OpenStackCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.balancer_parts import PoolMember
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.floating_ip import FloatingIP
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.load_balancer import LoadBalancer
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.network import Network
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.port import Port
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.record_set import RecordSet
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.router_interface import RouterInterface
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.security_group_rule import (
    EGRESS,
    SecurityGroupRule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.server import Server
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.server_template import ServerTemplate
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.volume import storage_zones
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import parse_feature_flags
from ansible_collections.kubeops.kops.plugins.module_utils.model import ports
from ansible_collections.kubeops.kops.plugins.module_utils.model.context import ModelContext
from ansible_collections.kubeops.kops.plugins.module_utils.model.openstack import builders, records

from . import completed
from .results import DIFFERING, MATCHED, MISSING, Result, case_directories, differences

REQUESTS, OBJECTS, KEY = "requests.jsonl", "objects.json", "ssh.pub"
# The one zone of volumes that the cases' cloud has.
_STORAGE_ZONES = ["nova"]
# Of its images, in GiB.
_LEAST_DISK = 12
# Path of a request -> word in references.
_KINDS = {
    "networks": "network",
    "subnets": "subnet",
    "routers": "router",
    "security-groups": "security-group",
    "security-group-rules": "security-group-rule",
    "ports": "port",
    "os-keypairs": "keypair",
    "os-server-groups": "server-group",
    "servers": "server",
    "volumes": "volume",
    "loadbalancers": "loadbalancer",
    "pools": "pool",
    "listeners": "listener",
    "healthmonitors": "monitor",
    "recordsets": "record",
}
_RANDOM = re.compile(r"[0-9a-f]{6}$")
_ADDED = re.compile(r"/(networks|subnets|ports)/<[\w-]+:(.+)>/tags/(.+)")
_INTERFACE, _MEMBERS = (
    re.compile(r"/routers/<router:(.+)>/add_router_interface"),
    re.compile(r"/pools/<pool:(.+)>/members"),
)
# Floating addresses are compared by the objects, since kops makes them before their ports.
_LEFT_OUT = "floatingips"


@dataclass(frozen=True)
class Case:
    """A directory of openstack."""

    directory: Path

    @property
    def name(self) -> str:
        return self.directory.name


def cases(directory: Path) -> list[Case]:
    """Every case below a directory of golden cases, by name."""
    return [Case(path) for path in case_directories(directory, "openstack") if (path / REQUESTS).is_file()]


def compare(case: Case) -> list[Result]:
    """Every object of a case: matched, differing, or missing (kops makes it, we do not)."""
    try:
        actual = dict(_ours(case))
    except KopsError as error:
        return [Result(case.name, "objects", DIFFERING, f"refused: {error}")]
    expected = dict(_of_kops(case.directory))
    return [_compared(case, name, expected, actual) for name in sorted(expected.keys() | actual.keys())]


def _compared(case: Case, name: str, expected: dict[str, Any], actual: dict[str, Any]) -> Result:
    if name not in actual:
        return Result(case.name, name, MISSING)
    if name not in expected:
        return Result(case.name, name, DIFFERING, "additional")
    detail = "\n".join(differences(expected[name], actual[name]))
    return Result(case.name, name, DIFFERING if detail else MATCHED, detail)


# -- of kops --------------------------------------------------------------------------------------------------------


def _of_kops(directory: Path) -> Iterator[tuple[str, Any]]:
    tags: dict[str, list[str]] = {}
    for line in (directory / REQUESTS).read_text().splitlines():
        request = json.loads(line)
        # What was refused was asked for again.
        if request["status"] >= 400:
            continue
        path, body = request["path"], request.get("body")
        if found := _ADDED.search(path):
            tags.setdefault(f"{_KINDS[found[1]]} {found[2]}", []).append(found[3])
        elif found := _INTERFACE.search(path):
            yield f"interface {found[1]} {body['subnet_id']}", body
        elif _MEMBERS.search(path):
            yield f"member {body['member']['address']}", body["member"]
        elif path.rpartition("/")[2] != _LEFT_OUT and request["method"] == "POST":
            kind = _KINDS[path.rpartition("/")[2]]
            if kind == "server":
                properties = {**body["server"], "hints": body.get("os:scheduler_hints")}
                properties.pop("user_data", None)
            elif kind == "record":
                properties = body
            else:
                (properties,) = body.values()
            yield _name(kind, properties), properties
    for name, found_tags in tags.items():
        yield f"tags of {name}", sorted(found_tags)
    for each in json.loads((directory / OBJECTS).read_text()).get("floating_ips", ()):
        yield f"floating-ip {each['description']}", {"network": each["floating_network"], "port": each["port"]}


def _name(kind: str, properties: dict[str, Any]) -> str:
    """What an object is known by: its name, or what it says."""
    if kind == "server":
        return f"{kind} {properties['metadata']['KopsName']}"
    if kind == "security-group-rule":
        return " ".join([kind, *(f"{key}={value}" for key, value in sorted(properties.items()))])
    return f"{kind} {properties['name']}"


# -- ours -----------------------------------------------------------------------------------------------------------


def _ours(case: Case) -> Iterator[tuple[str, Any]]:
    tasks, record_sets = _tasks(case)
    cloud = OpenStackCloud("", "")
    cloud.know(_STORAGE_ZONES, storage_zones)
    flavors: list[dict[str, Any]] = []
    for task in tasks:
        task.id = f"<{_word(task)}:{task.name}>" if not task.name.startswith("<") else task.name
        if isinstance(task, LoadBalancer):
            task.port = f"<port:octavia-lb-{task.id}>"
        if isinstance(task, Port):
            task.fixed_ip = f"<fixed-ip of port:{task.name}>"
        if isinstance(task, Server):
            image, flavor = task.made_from.image, task.made_from.flavor
            found = {"id": f"<image:{image}>", "created_at": "", "min_disk": _LEAST_DISK}
            cloud.know([found], catalog.images, image)
            flavors.append({"id": f"<flavor:{flavor}>", "name": flavor})
        if isinstance(task, Network):
            task.title = str(task.id).strip("<>").partition(":")[2]
    cloud.know(flavors, catalog.flavors)
    for task in tasks:
        yield from _described(task, cloud)
    for record in record_sets:
        # Names that lead to a load balancer are left to the user by kops.
        if record.leads_to is None:
            request = record.request(cloud)
            del request["description"]
            yield _name("record", request), request


def _word(task: Any) -> str:
    collection = task.of.collection.rpartition("/")[2]
    return _KINDS.get(collection, collection)


def _described(task: Any, cloud: OpenStackCloud) -> Iterator[tuple[str, Any]]:
    tags = list(filter(None, [getattr(task, "tag", None), *(getattr(task, "tags", None) or ())]))
    if tags:
        name = task.id.strip("<>").partition(":")[2]
        yield f"tags of {_word(task)} {name}", sorted(tags)
    if _is_found(task):
        return
    properties = {key: value for key, value in task.request(cloud).items() if value is not None}
    # Beside kops' properties, ours say whose they are.
    if properties.get("description") == names.mark(""):
        del properties["description"]
    # Compared above: kops gives a port each tag by a request of its own.
    properties.pop("tags", None)
    if isinstance(task, FloatingIP):
        port = {"network": properties["floating_network_id"], "port": properties["port_id"]}
        yield f"floating-ip {task.name}", port
    elif isinstance(task, RouterInterface):
        yield f"interface {task.router.name if task.router else ''} {properties['subnet_id']}", properties
    elif isinstance(task, Server):
        named = _RANDOM.sub("<6 random chars>", properties["name"])
        group = {"group": task.made_from.server_group.id} if task.made_from.server_group else None
        for added in (names.STORE, names.MADE_FROM):
            properties["metadata"].pop(added)
        yield _name("server", properties), {**properties, "name": named, "hints": group}
    elif isinstance(task, PoolMember):
        yield f"member {properties['address']}", properties
    else:
        yield _name(_word(task), properties), properties


def _is_found(task: Any) -> bool:
    """Whether it is not asked for by kops: it is there before, Neutron makes the rules that let everything out."""
    is_rule = isinstance(task, SecurityGroupRule)
    lets_out = is_rule and task.direction == EGRESS
    # Workers prove who they are otherwise: kops' have the address of their requests only.
    is_challenge = is_rule and task.first == ports.NODE_CHALLENGE
    return lets_out or is_challenge or any(getattr(task, name, False) for name in ("given", "external", "of_cloud"))


def _tasks(case: Case) -> tuple[list[Any], list[RecordSet]]:
    """Of objects that Neutron and others have, and of records."""
    source = completed.Case(case.directory, case.directory / "in-v1alpha2.yaml", parse_feature_flags("-ImageDigest"))
    done = completed.complete(source)
    context = ModelContext(
        cluster=done.cluster,
        groups=done.groups,
        facts=done.facts,
        account=Account(),
        ssh_public_keys=[(case.directory.parent / KEY).read_text()],
    )
    for build in (*builders.INFRASTRUCTURE, records.build):
        build(context)
    # What servers are made from is no object of OpenStack.
    made = [each for each in context.tasks.values() if not isinstance(each, ServerTemplate)]
    record_sets = [each for each in made if isinstance(each, RecordSet)]
    return [each for each in made if each not in record_sets], record_sets
