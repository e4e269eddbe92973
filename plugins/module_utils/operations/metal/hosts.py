# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hosts of an inventory, and which instance group each belongs to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...api.addresses import parse_address
from ...api.instance_group import InstanceGroup
from ...api.validation.syntax import SUBDOMAIN_RULE, is_dns_subdomain, is_label_value
from ...base.errors import KopsError
from ...model.node.build import Present

_NOT_IN_VARIABLES = re.compile(r"[^A-Za-z0-9_]")


@dataclass(frozen=True)
class Host:
    """A host as the inventory and the module node_info describe it.

    name: in the inventory; it becomes the name of the node. groups: the inventory's, of the host.
    instance_group: as a variable of the host gives it, "" if none does. address: by which the others reach it.
    wrong_address: what its variable gives instead of an address.
    said: the result of node_info; nothing, with an error, for a host that could not be asked.
    """

    name: str
    groups: tuple[str, ...] = ()
    instance_group: str = ""
    address: str = ""
    wrong_address: str = ""
    said: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""

    @property
    def node_name(self) -> str:
        """Name of its node: Kubernetes has them in lower case."""
        return self.name.lower()

    @property
    def cluster(self) -> str:
        """The cluster that it is of already, "" for none."""
        return str(self.said.get("cluster", ""))

    @property
    def is_done(self) -> bool:
        """Whether the host has been a healthy node once."""
        return bool(self.said.get("hash"))

    @property
    def present(self) -> Present:
        """Its certificates and kubeconfigs."""
        return Present(self.said.get("certificates") or {}, self.said.get("kubeconfigs") or {})

    @property
    def architecture(self) -> str:
        """amd64, arm64, or whatever its kernel says."""
        return str(self.said.get("architecture", ""))


class HostProblems(KopsError):
    """Everything that is wrong with the hosts of an inventory. problems: a sentence each."""

    def __init__(self, name: str, problems: Sequence[str]) -> None:
        super().__init__(
            f"no host was changed: {len(problems)} problem{'s' if len(problems) > 1 else ''} with the hosts of cluster"
            f" {name}:\n" + "\n".join(f"- {problem}" for problem in problems)
        )
        self.problems = list(problems)


# Instance groups with their hosts, by the name of the group.
Assigned = dict[str, tuple[InstanceGroup, list[Host]]]


def read_hosts(inventory: Mapping[str, Mapping[str, Any]]) -> list[Host]:
    """Hosts by what a playbook knows of each: groups, instance_group, address and observed (node_info's result).

    An address that is none (a name, or an alias of SSH) gives way to the one that the host itself has found. Others get
    their usual spelling.
    """
    hosts = []
    for name, known in sorted(inventory.items()):
        said = known.get("observed") or {}
        address = parse_address(str(known.get("address") or ""))
        hosts.append(
            Host(
                name=name,
                groups=tuple(known.get("groups") or ()),
                instance_group=str(known.get("instance_group") or ""),
                address=str(address or said.get("facts", {}).get("INTERNAL_IP", "")),
                wrong_address=str(known.get("wrong_address") or ""),
                said=said if "facts" in said else {},
                error="" if "facts" in said else _error(said),
            )
        )
    return hosts


def assign(hosts: Sequence[Host], groups: Sequence[InstanceGroup], problems: list[str]) -> Assigned:
    """The hosts of each instance group, by its name, which a variable or an inventory group of the host names.

    Ansible would rather have groups of an inventory with underscores, so these stand for every other character.
    problems: gets hosts whose name no node can have, hosts without a group or with several, and groups without hosts.
    """
    problems += [
        f"{host.name}: cannot be the name of a node; that {SUBDOMAIN_RULE}, and as it is also a label, at most 63 there"
        for host in hosts
        if not (is_dns_subdomain(host.node_name) and is_label_value(host.node_name))
    ]
    found: Assigned = {str(group.metadata.name): (group, []) for group in groups}
    known = ", ".join(found)
    spelled = {spelling: name for name in found for spelling in (name, _NOT_IN_VARIABLES.sub("_", name))}
    for host in hosts:
        named = [host.instance_group] if host.instance_group else [name for name in host.groups if name in spelled]
        names = list(dict.fromkeys(spelled.get(name, name) for name in named))
        if len(names) == 1 and names[0] in found:
            found[names[0]][1].append(host)
        elif host.instance_group:
            problems.append(f"{host.name}: there is no instance group {host.instance_group}; there are {known}")
        elif names:
            problems.append(f"{host.name}: is in several instance groups ({', '.join(names)}); it can be in one only")
        else:
            problems.append(
                f"{host.name}: is in no instance group; put it into one of the inventory groups {known},"
                " or set its variable kops_instance_group"
            )
    for name, (group, members) in found.items():
        if not members and group.spec.min_size != 0:
            problems.append(f"instance group {name} has no hosts: put hosts into an inventory group of that name")
    return found


def in_url(host: str) -> str:
    """A name or an address as URLs have it."""
    address = parse_address(host)
    return f"[{host}]" if address is not None and address.version == 6 else host


def _error(said: Mapping[str, Any]) -> str:
    message = " ".join(str(said.get("msg") or "").split())
    if said.get("unreachable"):
        return f"cannot be reached: {message}"
    return message or "did not answer"
