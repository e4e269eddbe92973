# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers of a project of Hetzner Cloud, and the addresses that come and go with them."""

from __future__ import annotations

import re

from ..rest_server import Reply
from .networks import Networks
from .objects import Object, Objects, invalid, refusal

_HOSTNAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*", re.I)
_LONGEST_USER_DATA = 32 * 1024
_MOST_OF_GROUP = 10


class Servers:
    """Servers. user_data: of each, which the API never shows."""

    def __init__(self, objects: Objects, networks: Networks) -> None:
        self._objects, self._networks = objects, networks
        self.user_data: dict[int, str] = {}

    def create(self, asked: Object) -> Reply:
        objects = self._objects
        if not _HOSTNAME.fullmatch(str(asked.get("name") or "")):
            raise invalid("name", "must be a valid hostname")
        kind = objects.named("server_types", asked.get("server_type"), "server_type")
        place = objects.named("locations", asked.get("location", "fsn1"), "location")
        if place["name"] not in [each["name"] for each in kind["locations"]]:
            raise refusal(422, "invalid_input", f"unsupported location for server type {kind['name']}", "location")
        image = self._image(asked.get("image"), kind["architecture"])
        keys = [objects.named("ssh_keys", each, "ssh_keys") for each in asked.get("ssh_keys") or ()]
        if len(str(asked.get("user_data") or "")) > _LONGEST_USER_DATA:
            raise invalid("user_data", "longer than 32 KiB")
        group = self._group(asked.get("placement_group"))
        networks = [objects.one("networks", each) for each in asked.get("networks") or ()]
        for network in networks:
            self._networks.refuse_without_subnet(network, place)
        volumes = [objects.one("volumes", each) for each in asked.get("volumes") or ()]
        public = {"enable_ipv4": True, "enable_ipv6": True, **(asked.get("public_net") or {})}
        if not (networks or public["enable_ipv4"] or public["enable_ipv6"]):
            raise invalid("public_net", "a server needs a public or a private network")
        made = objects.add(
            "servers",
            asked,
            {
                "status": "initializing",
                "server_type": kind,
                "image": image,
                "location": place,
                "iso": None,
                "rescue_enabled": False,
                "locked": False,
                "backup_window": None,
                "outgoing_traffic": 0,
                "ingoing_traffic": 0,
                "included_traffic": 0,
                "protection": {"delete": False, "rebuild": False},
                "volumes": [],
                "private_net": [],
                "load_balancers": [],
                "primary_disk_size": kind["disk"],
                "placement_group": group,
            },
        )
        number = made["id"]
        if asked.get("user_data"):
            self.user_data[number] = asked["user_data"]
        made["public_net"] = {
            "ipv4": self._address(made, "ipv4") if public["enable_ipv4"] else None,
            "ipv6": self._address(made, "ipv6") if public["enable_ipv6"] else None,
            "floating_ips": [],
            "firewalls": [],
        }
        if group:
            group["servers"].append(number)
        for volume in volumes:
            volume.update(server=number)
            made["volumes"].append(volume["id"])
        run = asked.get("start_after_create", True)
        action = objects.act("create_server", ("servers", number), then=lambda: made.update(status="off"))
        more = [self._networks.attach("servers", made, network, "") for network in networks]
        if run:
            more.append(objects.act("start_server", ("servers", number), then=lambda: made.update(status="running")))
        password = None if keys else "secret-of-root"
        return Reply(201, {"server": made, "action": action, "next_actions": more, "root_password": password})

    def _image(self, reference: object, architecture: str) -> Object:
        for each in self._objects.all("images"):
            if reference in (each["id"], str(each["id"])) or (
                reference == each["name"] and each["architecture"] == architecture
            ):
                return each
        raise invalid("image", f"image {reference} not found")

    def _group(self, identifier: int | None) -> Object | None:
        if identifier is None:
            return None
        group = self._objects.one("placement_groups", identifier)
        if len(group["servers"]) >= _MOST_OF_GROUP:
            raise refusal(422, "placement_error", "the placement group is full")
        return group

    def _address(self, server: Object, family: str) -> Object:
        number = self._objects.number()
        ip = f"203.0.{number // 250 % 250}.{number % 250 + 1}" if family == "ipv4" else f"2001:db8:{number:x}::/64"
        self._objects.kinds["primary_ips"][number] = {
            "id": number,
            "name": f"primary_ip-{number}",
            "ip": ip,
            "type": family,
            "assignee_id": server["id"],
            "assignee_type": "server",
            "auto_delete": True,
            "blocked": False,
            "created": server["created"],
            "location": server["location"],
            "dns_ptr": [],
            "labels": {},
            "protection": {"delete": False},
        }
        return {"id": number, "ip": ip, "blocked": False, "dns_ptr": [] if family == "ipv6" else "host.example"}

    def delete(self, server: Object) -> Reply:
        """It goes when its action ends, with its addresses; volumes stay."""
        server["status"] = "deleting"
        action = self._objects.act("delete_server", ("servers", server["id"]), then=lambda: self._forget(server))
        return Reply(200, {"action": action})

    def _forget(self, server: Object) -> None:
        objects, number = self._objects, server["id"]
        objects.kinds["servers"].pop(number, None)
        for address in objects.all("primary_ips"):
            if address["assignee_id"] == number and address["auto_delete"]:
                del objects.kinds["primary_ips"][address["id"]]
        self._networks.forget("servers", number)
        for volume in objects.all("volumes"):
            if volume["server"] == number:
                volume["server"] = volume["linux_device"] = None
        for group in objects.all("placement_groups"):
            group["servers"] = [each for each in group["servers"] if each != number]
        for firewall in objects.all("firewalls"):
            firewall["applied_to"] = [each for each in firewall["applied_to"] if each.get("server") != {"id": number}]
        for balancer in objects.all("load_balancers"):
            balancer["targets"] = [each for each in balancer["targets"] if each.get("server") != {"id": number}]

    def act(self, server: Object, command: str, asked: Object) -> Reply:
        """Have something done with a server. Raises Refusal."""
        place = ("servers", server["id"])
        states = {"poweroff": "off", "shutdown": "off", "poweron": "running", "reboot": "running", "reset": "running"}
        if command in states:
            return self._done(command, place, server, states[command])
        if command in ("attach_to_network", "detach_from_network"):
            network = self._objects.one("networks", asked["network"])
            if command == "detach_from_network":
                return Reply(201, {"action": self._networks.detach("servers", server, network)})
            self._networks.refuse_without_subnet(network, server["location"])
            if any(each["network"] == network["id"] for each in server["private_net"]):
                raise refusal(409, "server_already_attached", "server is already attached to this network")
            return Reply(201, {"action": self._networks.attach("servers", server, network, asked.get("ip") or "")})
        if command == "change_protection":
            server["protection"].update(asked)
            return Reply(201, {"action": self._objects.act(command, place)})
        raise refusal(404, "not_found", f"there is no action {command}")

    def _done(self, command: str, place: tuple[str, int], server: Object, state: str) -> Reply:
        action = self._objects.act(f"{command}_server", place, then=lambda: server.update(status=state))
        return Reply(201, {"action": action})
