# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IAM permissions that Google asks for before it carries out a request.

The permission of a method has its name, but for the words below. What an object refers to must be usable, too. Source:
the reference of each method, and the roles that others publish for what they make in Google Cloud.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .server import Call

# Words of methods -> words of permissions.
_WORDS = {
    "aggregatedList": "list",
    "getHealth": "get",
    "insert": "create",
    "listErrors": "get",
    "listManagedInstances": "get",
    "patch": "update",
    "wait": "get",
}
# Methods of managed groups that change them.
OF_MANAGERS = ("deleteInstances", "resize", "setInstanceTemplate", "setTargetPools")
# What changes the policy of a network: who may reach whom in it, and how.
_IN_A_NETWORK = ("firewalls", "routers", "routes", "subnetworks")
# Field of an object -> what is asked of the object that it names.
_USED = {
    "backendService": ("regionBackendServices.use",),
    "backends": ("instanceGroups.use",),
    "healthChecks": ("regionHealthChecks.useReadOnly",),
    "instanceTemplate": ("instanceTemplates.useReadOnly",),
    "network": ("networks.use",),
    "nextHopInstance": ("instances.use",),
    "subnetwork": ("subnetworks.use",),
    "target": ("targetPools.use",),
    "targetPools": ("targetPools.use",),
}
# Places of objects, in which Google tells what has become of a write.
_SCOPES = ("global", "region", "zone")
# Of whoever has instances made: their disks, images, labels, tags, addresses and accounts.
_OF_INSTANCES = (
    "compute.disks.create",
    "compute.images.useReadOnly",
    "compute.instances.create",
    "compute.instances.setLabels",
    "compute.instances.setMetadata",
    "compute.instances.setServiceAccount",
    "compute.instances.setTags",
    "compute.subnetworks.use",
    "compute.subnetworks.useExternalIp",
    "iam.serviceAccounts.actAs",
)


def of_call(call: Call) -> set[str]:
    """The permissions for a call of Compute Engine, Cloud DNS, IAM or Resource Manager, or for a bucket's policy."""
    api, collection, verb = call.method.split(".")
    if api == "compute":
        waiting = {f"compute.{scope}Operations.get" for scope in _SCOPES if f"/{scope}" in call.path and call.writes}
        return waiting.union(_of_compute(collection, verb, call.body or {}))
    if api == "dns":
        return set(_of_dns(collection, verb, call.body or {}))
    if api == "iam":
        return {f"iam.serviceAccounts.{_WORDS.get(verb, verb)}"}
    where = "storage.buckets" if api == "storage" else "resourcemanager.projects"
    return {f"{where}.{verb}"}


def _of_compute(collection: str, verb: str, body: Mapping[str, Any]) -> Iterator[str]:
    if collection == "instanceGroupManagers" and verb in OF_MANAGERS:
        yield "compute.instanceGroupManagers.update"
    else:
        yield f"compute.{collection}.{_WORDS.get(verb, verb)}"
    if verb.startswith(("get", "list")) or verb in ("aggregatedList", "wait"):
        return
    if collection in _IN_A_NETWORK:
        yield "compute.networks.updatePolicy"
    if collection == "instanceGroupManagers":
        yield from _beside_managers(verb)
    if collection == "instanceTemplates" and verb == "insert":
        yield from _OF_INSTANCES
    if collection == "addresses":
        yield from _of_addresses(verb, body)
    if verb == "insert" and body.get("labels"):
        yield f"compute.{collection}.setLabels"
    if verb == "addHealthCheck" or (collection == "targetPools" and body.get("healthChecks")):
        yield "compute.httpHealthChecks.useReadOnly"
        return
    if verb == "removeInstance":
        yield "compute.instances.use"
    for field, permissions in _USED.items():
        if body.get(field):
            yield from (f"compute.{permission}" for permission in permissions)
    if body.get("IPAddress"):
        internal = body.get("loadBalancingScheme") == "INTERNAL"
        yield "compute.addresses.useInternal" if internal else "compute.addresses.use"


def _beside_managers(verb: str) -> Iterator[str]:
    if verb in ("insert", "delete"):
        yield f"compute.instanceGroups.{_WORDS.get(verb, verb)}"
    if verb in ("insert", "resize"):
        yield from _OF_INSTANCES
    if verb in ("delete", "deleteInstances", "resize"):
        yield "compute.instances.delete"


def _of_addresses(verb: str, body: Mapping[str, Any]) -> Iterator[str]:
    if verb == "delete":
        yield "compute.addresses.deleteInternal"
    elif verb == "insert" and body.get("addressType") == "INTERNAL":
        yield "compute.addresses.createInternal"


def _of_dns(collection: str, verb: str, body: Mapping[str, Any]) -> Iterator[str]:
    yield f"dns.{collection}.{verb}"
    if collection == "changes":
        yield from ("dns.resourceRecordSets.create" for _each in body.get("additions", ())[:1])
        yield from ("dns.resourceRecordSets.delete" for _each in body.get("deletions", ())[:1])
