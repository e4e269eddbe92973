# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The forwarding rules of a project as load balancers of the data centre."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.kubeops.kops.tests.lab.cloud.balancers import Balancer, Target
from ansible_collections.kubeops.kops.tests.lab.google.metadata import address_of
from ansible_collections.kubeops.kops.tests.support.google.compute import Compute
from ansible_collections.kubeops.kops.tests.support.google.objects import LINK, Objects


def balancers(compute: Compute) -> list[Balancer]:
    """All of them. What they forward arrives at the port that was asked for, as with Google."""
    found, objects = [], compute.objects
    for path, rule in sorted(objects.found.items()):
        if "/forwardingRules/" in path:
            addresses = dict(_addresses(compute, rule))
            listeners = {port: Target(port, "", dict(addresses)) for port in _ports(rule)}
            found.append(Balancer(rule["name"], "", [_own_address(objects, rule)], listeners))
    return found


def _own_address(objects: Objects, rule: Mapping[str, Any]) -> str:
    given = str(rule["IPAddress"])
    return str(objects.found[given[len(LINK) :]]["address"]) if given.startswith(LINK) else given


def _ports(rule: Mapping[str, Any]) -> list[int]:
    if rule.get("ports"):
        return [int(port) for port in rule["ports"]]
    first, _hyphen, last = str(rule["portRange"]).partition("-")
    return list(range(int(first), int(last or first) + 1))


def _addresses(compute: Compute, rule: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Instance -> its address, of those that a rule's connections may go to."""
    for url in _instances(compute, rule):
        instance = compute.objects.found.get(url[len(LINK) :])
        if instance is not None and instance["status"] == "RUNNING":
            yield instance["name"], address_of(instance)


def _instances(compute: Compute, rule: Mapping[str, Any]) -> Iterator[str]:
    objects = compute.objects
    if rule.get("target"):
        yield from objects.found[rule["target"][len(LINK) :]].get("instances", ())
        return
    service = objects.found[rule["backendService"][len(LINK) :]]
    groups = {each["group"] for each in service.get("backends", ())}
    for path, manager in objects.found.items():
        if "/instanceGroupManagers/" in path and manager["instanceGroup"] in groups:
            yield from (each["selfLink"] for each in compute.members(manager))
