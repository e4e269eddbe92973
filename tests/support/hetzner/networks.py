# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks of a project of Hetzner Cloud, and which servers and load balancers are in them."""

from __future__ import annotations

import ipaddress

from ..rest_server import Reply
from .objects import Object, Objects, invalid, refusal
from .offers import ZONES


class Networks:
    """Networks and their subnets. kept: addresses that nobody gets who does not ask for them."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self.kept: set[str] = set()

    def create(self, asked: Object) -> Reply:
        try:
            ipaddress.ip_network(asked.get("ip_range") or "")
        except ValueError as error:
            raise invalid("ip_range", str(error)) from error
        self._objects.check("networks", asked)
        made = {"ip_range": asked["ip_range"], "subnets": [], "routes": asked.get("routes") or []}
        for subnet in asked.get("subnets") or ():
            made["subnets"].append(self._subnet(made, subnet))
        members = {"servers": [], "load_balancers": []}
        options = {"protection": {"delete": False}, "expose_routes_to_vswitch": False}
        return Reply(201, {"network": self._objects.add("networks", asked, {**made, **members, **options})})

    def _subnet(self, network: Object, asked: Object) -> Object:
        try:
            wanted = ipaddress.ip_network(asked.get("ip_range") or "")
        except ValueError as error:
            raise invalid("ip_range", str(error)) from error
        if not wanted.subnet_of(ipaddress.ip_network(network["ip_range"])):
            raise invalid("ip_range", "ip_range must be a part of the network's")
        if any(wanted.overlaps(ipaddress.ip_network(each["ip_range"])) for each in network["subnets"]):
            raise invalid("ip_range", "ip_range overlaps with an existing subnet")
        if asked.get("network_zone") not in ZONES.values():
            raise invalid("network_zone", "unknown network zone")
        return {
            "type": asked["type"],
            "ip_range": str(wanted),
            "network_zone": asked["network_zone"],
            "gateway": str(next(iter(ipaddress.ip_network(network["ip_range"]).hosts()))),
            "vswitch_id": None,
        }

    def delete(self, network: Object) -> Reply:
        """What is attached is taken out of it."""
        for kind in ("servers", "load_balancers"):
            for each in self._objects.all(kind):
                each["private_net"] = [net for net in each["private_net"] if net["network"] != network["id"]]
        del self._objects.kinds["networks"][network["id"]]
        return Reply(204)

    def act(self, network: Object, command: str, asked: Object) -> Reply:
        """Have something done with a network. Raises Refusal."""
        place = ("networks", network["id"])
        if command == "add_subnet":
            network["subnets"].append(self._subnet(network, asked))
        elif command == "delete_subnet":
            left = [each for each in network["subnets"] if each["ip_range"] != asked["ip_range"]]
            if left == network["subnets"]:
                raise refusal(404, "not_found", "subnet not found")
            if network["servers"] or network["load_balancers"]:
                raise refusal(422, "resource_in_use", "subnet has attached resources")
            network["subnets"] = left
        elif command == "change_protection":
            network["protection"].update(asked)
        else:
            raise refusal(404, "not_found", f"there is no action {command}")
        return Reply(201, {"action": self._objects.act(command, place)})

    def refuse_without_subnet(self, network: Object, place: Object) -> None:
        """Raise Refusal if nothing of a location can be in a network."""
        if not any(each["network_zone"] == place["network_zone"] for each in network["subnets"]):
            raise refusal(422, "no_subnet_available", f"network {network['id']} has no free IP available")

    def attach(self, kind: str, found: Object, network: Object, ip: str) -> Object:
        """Begin to bring a server or load balancer into a network: its address comes with the end of the action."""
        return self._objects.act(
            "attach_to_network", (kind, found["id"]), then=lambda: self._enter(kind, found, network, ip)
        )

    def _enter(self, kind: str, found: Object, network: Object, ip: str) -> None:
        zone = found["location"]["network_zone"]
        subnet = next(each for each in network["subnets"] if each["network_zone"] == zone)
        taken = {each["ip"] for other in self._all() for each in other["private_net"]}
        taken |= {subnet["gateway"], *self.kept}
        hosts = (str(each) for each in ipaddress.ip_network(subnet["ip_range"]).hosts())
        address = ip or next(each for each in hosts if each not in taken)
        more = {"alias_ips": [], "mac_address": f"86:00:00:{found['id'] % 256:02x}:00:01"} if kind == "servers" else {}
        found["private_net"].append({"network": network["id"], "ip": address, **more})
        network[kind].append(found["id"])

    def detach(self, kind: str, found: Object, network: Object) -> Object:
        """Begin to take a server or load balancer out of a network."""

        def leave() -> None:
            found["private_net"] = [each for each in found["private_net"] if each["network"] != network["id"]]
            self.forget(kind, found["id"])

        return self._objects.act("detach_from_network", (kind, found["id"]), then=leave)

    def forget(self, kind: str, identifier: int) -> None:
        """Of a server or load balancer that is gone."""
        for network in self._objects.all("networks"):
            network[kind] = [each for each in network[kind] if each != identifier]

    def _all(self) -> list[Object]:
        return [*self._objects.all("servers"), *self._objects.all("load_balancers")]
