# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects of a project are the cluster's: by tags and metadata where kops writes them, else by whole names.

Tags come after the object: what was made here says in its description whose it is, as long as it has none.

Stricter than kops (pkg/resources/openstack), which takes beginnings and ends of names, and all that lies in the
cluster's network. Two clusters whose names differ only in dots and hyphens share some names, so they must not share a
project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ....api.cloud_names import safe_cluster_name
from ...dns_names import is_own
from ...errors import AccessDenied
from .. import designate, names
from ..cloud import Described, OpenStackCloud
from ..kinds import (
    ACCESS_RULE,
    BALANCER,
    FLOATING_IP,
    KEYPAIR,
    NETWORK,
    POOL,
    PORT,
    ROUTER,
    SECURITY_GROUP,
    SERVER,
    SERVER_GROUP,
    SUBNET,
    VOLUME,
    Kind,
    access_rule,
    application_credential,
    record_set,
)
from ..tasks._openstack import described, members, refers
from ..tasks.application_credential import held, of_cluster, own_credentials, own_rules
from ..tasks.router_interface import INTERFACE_OWNERS

# What the cloud controller calls load balancers of Services.
_OF_SERVICE = "kube_service_{cluster}_"
_FINGERPRINT = r"(?:[0-9a-f]{2}_){15}[0-9a-f]{2}"


@dataclass(frozen=True)
class Found:
    """An object of the cluster. only_tag: it is another's, and has the cluster's tag."""

    kind: Kind
    described: Described
    only_tag: bool = False

    @property
    def id(self) -> str:
        """By which its service knows it."""
        return str(self.described["name"] if self.kind is KEYPAIR else self.described["id"])

    @property
    def name(self) -> str:
        """What a person calls it."""
        # The SDK calls a floating address by itself.
        name = "description" if self.kind is FLOATING_IP else "name"
        if self.kind.word == ACCESS_RULE:
            return f"{self.described['service']} {self.described['method']} {self.described['path']}"
        return str(self.described.get(name) or self.described.get("floating_ip_address") or self.id)


class Owned:
    """The objects of the cluster, each kind read once."""

    def __init__(self, cloud: OpenStackCloud) -> None:
        self.cloud, self.cluster = cloud, cloud.cluster_name

    def all(self) -> Iterator[Found]:
        """Each of them. Interfaces of the router are ports."""
        for kind, found in (
            (SERVER, self.servers()),
            (FLOATING_IP, self.floating_ips()),
            (BALANCER, self.balancers()),
            (PORT, [*self.ports(), *self.interfaces()]),
            (VOLUME, self.volumes()),
            (SECURITY_GROUP, self.security_groups()),
            (SERVER_GROUP, self.server_groups()),
            (KEYPAIR, self.key_pairs()),
            (application_credential(self.cloud.user), self.credentials()),
            (access_rule(self.cloud.user), self.access_rules()),
            (ROUTER, self.routers()),
        ):
            yield from (Found(kind, each) for each in found)
        for zone in self.zones():
            yield from (Found(record_set(zone), each) for each in self.records(zone))
        for kind in (SUBNET, NETWORK):
            for each in self._tagged(kind):
                yield Found(kind, each, only_tag=not self._is_own(kind, each))

    def servers(self) -> list[Described]:
        """By what they say of themselves."""
        return [each for each in self._each(SERVER) if metadata_of(each).get(names.OF_CLUSTER) == self.cluster]

    def ports(self) -> list[Described]:
        """Of servers: by their tag, or as they were made."""
        tag = names.cluster_tag(self.cluster)
        return [each for each in self._each(PORT) if tag in (each.get("tags") or ()) or self._is_marked(each)]

    def interfaces(self) -> list[Described]:
        """Of the router."""
        routers = {each["id"] for each in self.routers()}
        return [
            each
            for each in self._each(PORT)
            if each.get("device_owner") in INTERFACE_OWNERS and each.get("device_id") in routers
        ]

    def floating_ips(self) -> list[Described]:
        """Those of the cluster's ports and load balancers, and those that are described as theirs."""
        balancers = self.balancers()
        described_so = {names.floating_ip_of_port(str(each["name"])) for each in self.ports()}
        described_so |= {names.floating_ip(str(each["name"])) for each in balancers}
        described_so.add(names.floating_ip(names.api(self.cluster)))
        at = {each["id"] for each in self.ports()} | {each["vip_port_id"] for each in balancers}
        return [
            each
            for each in self._each(FLOATING_IP)
            if each.get("port_id") in at or (not each.get("port_id") and each.get("description") in described_so)
        ]

    def balancers(self) -> list[Described]:
        """The API's, whatever its public name; and those of Services."""
        return [*self.api_balancers(), *self.balancers_of_services()]

    def api_balancers(self) -> list[Described]:
        """That of the API."""
        of_services = self.balancers_of_services()
        return [
            each
            for each in self._each(BALANCER)
            if each not in of_services and (each["name"] == names.api(self.cluster) or self._serves(each))
        ]

    def balancers_of_services(self) -> list[Described]:
        """Those that the cloud controller has made."""
        prefix = _OF_SERVICE.format(cluster=self.cluster)
        return [each for each in self._each(BALANCER) if str(each["name"]).startswith(prefix)]

    def _serves(self, balancer: Described) -> bool:
        """Whether a load balancer of another name is the API's: others have theirs in a network that is lent."""
        subnets = {each["id"]: each for each in self._tagged(SUBNET)}
        subnet = subnets.get(balancer.get("vip_subnet_id"))
        pools = [
            each
            for each in self._each(POOL)
            if each["name"] == f"{balancer['name']}-https" and refers(each, "loadbalancers", str(balancer["id"]))
        ]
        if subnet is None or not pools:
            return False
        if self._is_own(SUBNET, subnet):
            return True
        addresses = {each["ip_address"] for port in self.ports() for each in port.get("fixed_ips") or ()}
        return any(each["address"] in addresses for pool in pools for each in self.cloud.once(members, str(pool["id"])))

    def volumes(self) -> list[Described]:
        """Etcd's. Those of claims stay."""
        return [
            each
            for each in self._each(VOLUME)
            if metadata_of(each).get(names.TAG_CLUSTER) == self.cluster
            and any(key.startswith(names.ETCD) for key in metadata_of(each))
        ]

    def security_groups(self) -> list[Described]:
        """By their names; that of the API by its load balancer's, too."""
        known = names.security_groups(self.cluster) | {str(each["name"]) for each in self.balancers()}
        return [each for each in self._each(SECURITY_GROUP) if each["name"] in known]

    def server_groups(self) -> list[Described]:
        """By the beginning of their names, if no server of others is in them."""
        own = {each["id"] for each in self.servers()}
        others = {each["id"] for each in self._each(SERVER)} - own
        return [
            each
            for each in self._each(SERVER_GROUP)
            if str(each["name"]).startswith(f"{self.cluster}-") and not others & set(each.get("members") or ())
        ]

    def key_pairs(self) -> list[Described]:
        """Those that are named after a fingerprint."""
        pattern = re.compile(f"kubernetes-{re.escape(safe_cluster_name(self.cluster))}-{_FINGERPRINT}")
        return [each for each in self._each(KEYPAIR) if pattern.fullmatch(str(each["name"]))]

    def credentials(self) -> list[Described]:
        """The application credential, among those of the login's user; and its successor, as long as there are two."""
        return of_cluster(self.cloud)

    def access_rules(self) -> list[Described]:
        """Those that no credential has any more, by their mark; others go with the credential."""
        kept = held(self.cloud.once(own_credentials))
        return [each for each in self.cloud.once(own_rules) if each["id"] not in kept]

    def zones(self) -> list[str]:
        """The ids of those that could hold the cluster's names; clusters without DNS need no rights to them."""
        try:
            found = self.cloud.once(designate.zones)
        except AccessDenied:
            return []
        return [str(each["id"]) for each in found if f".{self.cluster}.".endswith(f".{each['name']}")]

    def records(self, zone: str) -> list[Described]:
        """Those that control planes and updates write; that of a public name is told by its description."""
        return [
            each
            for each in self.cloud.once(designate.records, zone)
            if is_own(self.cluster, str(each["name"]), str(each["type"]))
            or each.get("description") == names.mark(self.cluster)
        ]

    def routers(self) -> list[Described]:
        """By its name, which is whole."""
        return [each for each in self._each(ROUTER) if each["name"] == names.router(self.cluster)]

    def _tagged(self, kind: Kind) -> list[Described]:
        return [
            each
            for each in self.cloud.once(described, kind)
            if self.cluster in (each.get("tags") or ()) or self._is_marked(each)
        ]

    def _is_marked(self, found: Described) -> bool:
        """Whether it was made for the cluster, with or without its tags."""
        return found.get("description") == names.mark(self.cluster) and found.get("project_id") == self.cloud.project

    def _is_own(self, kind: Kind, found: Described) -> bool:
        """Whether a tagged network or subnet was made by the cluster."""
        named = found["name"] == self.cluster if kind is NETWORK else str(found["name"]).endswith(f".{self.cluster}")
        return named and found.get("project_id") == self.cloud.project

    def _each(self, kind: Kind) -> list[Described]:
        return list(self.cloud.once(described, kind))


def metadata_of(found: Described) -> Described:
    """What servers and volumes say of themselves."""
    return found.get("metadata") or {}
