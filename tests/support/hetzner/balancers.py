# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load balancers of a project of Hetzner Cloud: services, targets, and whether these answer."""

from __future__ import annotations

from collections.abc import Callable

from ..rest_server import Reply
from .networks import Networks
from .objects import Object, Objects, invalid, refusal


def of_status(server: Object, _port: int) -> str:
    """What a health check finds, as far as the state of a server tells it."""
    return "healthy" if server["status"] == "running" else "unhealthy"


class Balancers:
    """Load balancers. health: what the check of a server's port finds: healthy, unhealthy or unknown."""

    def __init__(self, objects: Objects, networks: Networks) -> None:
        self._objects, self._networks = objects, networks
        self.health: Callable[[Object, int], str] = of_status

    def create(self, asked: Object) -> Reply:
        objects = self._objects
        kind = objects.named("load_balancer_types", asked.get("load_balancer_type"), "load_balancer_type")
        place = objects.named("locations", asked.get("location"), "location")
        network = objects.one("networks", asked["network"]) if asked.get("network") else None
        if network:
            self._networks.refuse_without_subnet(network, place)
        objects.check("load_balancers", asked)
        found: Object = {"services": [], "targets": [], "load_balancer_type": kind, "private_net": []}
        for service in asked.get("services") or ():
            self._add_service(found, service)
        for target in asked.get("targets") or ():
            self._add_target(found, target, network is not None)
        number = objects.number()
        made = objects.add(
            "load_balancers",
            asked,
            {
                **found,
                "location": place,
                "algorithm": asked.get("algorithm") or {"type": "round_robin"},
                "protection": {"delete": False},
                "public_net": {
                    "enabled": True,
                    "ipv4": {"ip": f"198.51.100.{number % 250 + 1}", "dns_ptr": "lb.example"},
                    "ipv6": {"ip": f"2001:db8:{number:x}::1", "dns_ptr": "lb.example"},
                },
                "outgoing_traffic": 0,
                "ingoing_traffic": 0,
                "included_traffic": 0,
            },
        )
        action = objects.act("create_load_balancer", ("load_balancers", made["id"]))
        if network:
            self._networks.attach("load_balancers", made, network, "")
        return Reply(201, {"load_balancer": self.shown(made), "action": action})

    def shown(self, balancer: Object) -> Object:
        """A load balancer as the API describes it: with the servers of label selectors, and their health."""
        return {**balancer, "targets": [self._shown_target(balancer, each) for each in balancer["targets"]]}

    def _shown_target(self, balancer: Object, target: Object) -> Object:
        if target["type"] == "server":
            server = self._objects.one("servers", target["server"]["id"])
            return {**target, "health_status": self._health(balancer, server)}
        servers = self._objects.chosen("servers", target["label_selector"]["selector"])
        inner = [
            {
                "type": "server",
                "server": {"id": each["id"]},
                "use_private_ip": target["use_private_ip"],
                "health_status": self._health(balancer, each),
            }
            for each in servers
        ]
        return {**target, "targets": inner}

    def _health(self, balancer: Object, server: Object) -> list[Object]:
        ports = [each["listen_port"] for each in balancer["services"]]
        return [{"listen_port": port, "status": self.health(server, port)} for port in ports]

    def _add_service(self, balancer: Object, asked: Object) -> None:
        if any(each["listen_port"] == asked["listen_port"] for each in balancer["services"]):
            raise refusal(409, "source_port_already_used", "the port is used by another service")
        if len(balancer["services"]) >= balancer["load_balancer_type"]["max_services"]:
            raise refusal(403, "resource_limit_exceeded", "the load balancer has too many services")
        check = {"protocol": "tcp", "port": asked["destination_port"], "interval": 15, "timeout": 10, "retries": 3}
        options = {"proxyprotocol": False, "http": None, "health_check": {**check, "http": None}}
        balancer["services"].append({**options, **asked})

    def _add_target(self, balancer: Object, asked: Object, in_network: bool) -> None:
        if asked.get("use_private_ip") and not in_network:
            raise refusal(422, "load_balancer_not_attached_to_network", "the load balancer is in no network")
        if any(_same(each, asked) for each in balancer["targets"]):
            raise refusal(409, "target_already_defined", "the target is already defined")
        if asked["type"] == "label_selector":
            self._objects.chosen("servers", asked["label_selector"]["selector"])
        balancer["targets"].append({"use_private_ip": False, **asked})

    def delete(self, balancer: Object) -> Reply:
        """It goes when its action ends."""
        place = ("load_balancers", balancer["id"])
        return Reply(
            200, {"action": self._objects.act("delete_load_balancer", place, then=lambda: self._forget(balancer))}
        )

    def _forget(self, balancer: Object) -> None:
        self._objects.kinds["load_balancers"].pop(balancer["id"], None)
        self._networks.forget("load_balancers", balancer["id"])

    def act(self, balancer: Object, command: str, asked: Object) -> Reply:
        """Have something done with a load balancer. Raises Refusal."""
        place = ("load_balancers", balancer["id"])
        if command == "attach_to_network":
            network = self._objects.one("networks", asked["network"])
            self._networks.refuse_without_subnet(network, balancer["location"])
            if balancer["private_net"]:
                raise refusal(409, "load_balancer_already_attached", "load balancer is already attached to a network")
            action = self._networks.attach("load_balancers", balancer, network, asked.get("ip") or "")
            return Reply(201, {"action": action})
        if command == "detach_from_network":
            network = self._objects.one("networks", asked["network"])
            return Reply(201, {"action": self._networks.detach("load_balancers", balancer, network)})
        self._change(balancer, command, asked)
        return Reply(201, {"action": self._objects.act(command, place)})

    def _change(self, balancer: Object, command: str, asked: Object) -> None:
        if command == "add_service":
            self._add_service(balancer, asked)
        elif command in ("update_service", "delete_service"):
            port = asked["listen_port"]
            found = next((each for each in balancer["services"] if each["listen_port"] == port), None)
            if found is None:
                raise refusal(404, "not_found", f"there is no service at port {port}")
            if command == "update_service":
                found.update(asked)
            else:
                balancer["services"].remove(found)
        elif command == "add_target":
            self._add_target(balancer, asked, bool(balancer["private_net"]))
        elif command == "remove_target":
            balancer["targets"] = [each for each in balancer["targets"] if not _same(each, asked)]
        elif command in ("enable_public_interface", "disable_public_interface"):
            balancer["public_net"]["enabled"] = command == "enable_public_interface"
        elif command == "change_protection":
            balancer["protection"].update(asked)
        else:
            raise invalid("action", f"there is no action {command}")


def _same(one: Object, other: Object) -> bool:
    keys = ("type", "server", "label_selector", "ip")
    return all(one.get(key) == other.get(key) for key in keys)
