# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firewalls, volumes, SSH keys and placement groups of a project of Hetzner Cloud."""

from __future__ import annotations

import base64
import binascii
import hashlib
import ipaddress
from typing import Any

from ..rest_server import Reply
from .objects import Object, Objects, invalid, refusal

_SMALLEST, _LARGEST = 10, 10240
_MOST_RULES = 50


class Firewalls:
    """Firewalls, applied to servers or by labels."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def create(self, asked: Object) -> Reply:
        self._objects.check("firewalls", asked)
        rules = _rules(asked.get("rules") or ())
        made = self._objects.add("firewalls", asked, {"rules": rules, "applied_to": []})
        self._apply(made, asked.get("apply_to") or ())
        actions = [self._objects.act("set_firewall_rules", ("firewalls", made["id"]))]
        return Reply(201, {"firewall": self.shown(made), "actions": actions})

    def shown(self, firewall: Object) -> Object:
        """A firewall as the API describes it: with the servers of its label selectors."""
        return {**firewall, "applied_to": [self._shown(each) for each in firewall["applied_to"]]}

    def _shown(self, resource: Object) -> Object:
        if resource["type"] == "server":
            return resource
        servers = self._objects.chosen("servers", resource["label_selector"]["selector"])
        inner = [{"type": "server", "server": {"id": each["id"]}} for each in servers]
        return {**resource, "applied_to_resources": inner}

    def _apply(self, firewall: Object, resources: Any) -> None:
        for each in resources:
            if each["type"] == "label_selector":
                self._objects.chosen("servers", each["label_selector"]["selector"])
            else:
                self._objects.one("servers", each["server"]["id"])
            if each in firewall["applied_to"]:
                raise refusal(409, "firewall_already_applied", "the firewall is already applied to it")
            firewall["applied_to"].append(each)

    def delete(self, firewall: Object) -> Reply:
        if firewall["applied_to"]:
            raise refusal(422, "resource_in_use", f"firewall with ID '{firewall['id']}' is still in use")
        del self._objects.kinds["firewalls"][firewall["id"]]
        return Reply(204)

    def act(self, firewall: Object, command: str, asked: Object) -> Reply:
        """Have something done with a firewall. Raises Refusal."""
        if command == "set_rules":
            firewall["rules"] = _rules(asked["rules"])
        elif command == "apply_to_resources":
            self._apply(firewall, asked["apply_to"])
        elif command == "remove_from_resources":
            for each in asked["remove_from"]:
                if each not in firewall["applied_to"]:
                    raise refusal(422, "firewall_resource_not_found", "the firewall is not applied to it")
                firewall["applied_to"].remove(each)
        else:
            raise refusal(404, "not_found", f"there is no action {command}")
        return Reply(201, {"actions": [self._objects.act(command, ("firewalls", firewall["id"]))]})


def _rules(asked: Any) -> list[Object]:
    if len(asked) > _MOST_RULES:
        raise invalid("rules", "too many rules")
    for index, rule in enumerate(asked):
        field = f"rules.{index}"
        if (rule["protocol"] in ("tcp", "udp")) != bool(rule.get("port")):
            raise invalid(field, "a port is needed with tcp and udp, and is for no other protocol")
        networks = rule.get("source_ips" if rule["direction"] == "in" else "destination_ips") or ()
        if not networks:
            raise invalid(field, "no networks are given")
        for each in networks:
            try:
                ipaddress.ip_network(each)
            except ValueError as error:
                raise invalid(field, str(error)) from error
    empty = {"source_ips": [], "destination_ips": [], "port": None, "description": None}
    return [{**empty, **rule} for rule in asked]


class Volumes:
    """Volumes, attached to a server of their location at most."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def create(self, asked: Object) -> Reply:
        if not _SMALLEST <= int(asked.get("size") or 0) <= _LARGEST:
            raise invalid("size", f"must be between {_SMALLEST} and {_LARGEST}")
        server = self._objects.one("servers", asked["server"]) if asked.get("server") else None
        place = server["location"] if server else self._objects.named("locations", asked.get("location"), "location")
        made = self._objects.add(
            "volumes",
            asked,
            {
                "size": asked["size"],
                "location": place,
                "server": None,
                "linux_device": None,
                "format": asked.get("format"),
                "status": "creating",
                "protection": {"delete": False},
            },
        )
        lock = ("volumes", made["id"])
        action = self._objects.act("create_volume", lock, then=lambda: made.update(status="available"))
        more = [self._attach(made, server)] if server else []
        return Reply(201, {"volume": made, "action": action, "next_actions": more})

    def _attach(self, volume: Object, server: Object) -> Object:
        volume["server"] = server["id"]
        volume["linux_device"] = f"/dev/disk/by-id/scsi-0HC_Volume_{volume['id']}"
        server["volumes"].append(volume["id"])
        return self._objects.act("attach_volume", ("volumes", volume["id"]), ("servers", server["id"]))

    def delete(self, volume: Object) -> Reply:
        if volume["server"]:
            raise refusal(422, "resource_in_use", f"volume with ID '{volume['id']}' is still attached")
        del self._objects.kinds["volumes"][volume["id"]]
        return Reply(204)

    def act(self, volume: Object, command: str, asked: Object) -> Reply:
        """Have something done with a volume. Raises Refusal."""
        lock = ("volumes", volume["id"])
        if command == "attach":
            if volume["server"]:
                raise refusal(422, "volume_already_attached", "the volume is already attached")
            server = self._objects.one("servers", asked["server"])
            self._objects.refuse_locked("servers", server["id"])
            if server["location"] is not volume["location"]:
                raise invalid("server", "the server is in another location")
            return Reply(201, {"action": self._attach(volume, server)})
        if command == "detach":
            for server in self._objects.all("servers"):
                server["volumes"] = [each for each in server["volumes"] if each != volume["id"]]
            volume["server"] = volume["linux_device"] = None
        elif command == "resize":
            if asked["size"] <= volume["size"]:
                raise invalid("size", "a volume cannot become smaller")
            volume["size"] = asked["size"]
        elif command == "change_protection":
            volume["protection"].update(asked)
        else:
            raise refusal(404, "not_found", f"there is no action {command}")
        return Reply(201, {"action": self._objects.act(f"{command}_volume", lock)})


class Keys:
    """SSH keys: a project has each of them once."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def create(self, asked: Object) -> Reply:
        try:
            blob = base64.b64decode(str(asked.get("public_key") or "").split()[1], validate=True)
        except (IndexError, binascii.Error) as error:
            raise invalid("public_key", "invalid SSH public key") from error
        digest = hashlib.md5(blob, usedforsecurity=False).hexdigest()
        fingerprint = ":".join(digest[at : at + 2] for at in range(0, len(digest), 2))
        if any(each["fingerprint"] == fingerprint for each in self._objects.all("ssh_keys")):
            raise refusal(409, "uniqueness_error", "SSH key not unique", "public_key")
        properties = {"public_key": asked["public_key"], "fingerprint": fingerprint}
        return Reply(201, {"ssh_key": self._objects.add("ssh_keys", asked, properties)})

    def delete(self, key: Object) -> Reply:
        del self._objects.kinds["ssh_keys"][key["id"]]
        return Reply(204)

    def act(self, _key: Object, command: str, _asked: Object) -> Reply:
        """There are none. Raises Refusal."""
        raise refusal(404, "not_found", f"there is no action {command}")


class Groups:
    """Placement groups."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def create(self, asked: Object) -> Reply:
        if asked.get("type") != "spread":
            raise invalid("type", "unknown type")
        made = self._objects.add("placement_groups", asked, {"type": "spread", "servers": []})
        return Reply(201, {"placement_group": made, "action": None})

    def delete(self, group: Object) -> Reply:
        if group["servers"]:
            raise refusal(422, "resource_in_use", "the placement group is in use")
        del self._objects.kinds["placement_groups"][group["id"]]
        return Reply(204)

    def act(self, _group: Object, command: str, _asked: Object) -> Reply:
        """There are none. Raises Refusal."""
        raise refusal(404, "not_found", f"there is no action {command}")
