# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""VPCs and load balancers."""

from __future__ import annotations

import ipaddress
import itertools
import re
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..rest_server import Call
from . import catalog
from .answers import missing, needed, page, refusal, unprocessable
from .pending import Pending
from .tags import Tags

if TYPE_CHECKING:
    from .droplets import Droplets

_NAME = re.compile(r"[A-Za-z0-9.-]+")
_LARGEST, _SMALLEST = 16, 28
_PRIVATE = [ipaddress.ip_network(each) for each in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")]


class Networks:
    """vpcs, balancers: id -> object."""

    droplets: Droplets

    def __init__(self, pending: Pending, tags: Tags) -> None:
        self._pending, self._tags = pending, tags
        self.vpcs: dict[str, dict[str, Any]] = {}
        self.balancers: dict[str, dict[str, Any]] = {}
        self._addresses = itertools.count(1)
        for number, region in enumerate(each for each in catalog.REGIONS if each["available"]):
            self._add_vpc(f"default-{region['slug']}", region["slug"], f"10.{100 + number}.0.0/20", "", True)

    def routes(self) -> dict[str, Callable[..., Any]]:
        """Those of networks."""
        return {
            "GET vpcs": lambda call: page(call, "vpcs", list(self.vpcs.values())),
            "POST vpcs": self._create_vpc,
            "GET vpcs/{identifier}": lambda call, identifier: {"vpc": self.vpc(identifier)},
            "PUT vpcs/{identifier}": self._change_vpc,
            "PATCH vpcs/{identifier}": self._change_vpc,
            "DELETE vpcs/{identifier}": self._delete_vpc,
            "GET vpcs/{identifier}/members": lambda call, identifier: page(call, "members", self._members(identifier)),
            "GET load_balancers": lambda call: page(call, "load_balancers", self.shown_balancers()),
            "POST load_balancers": self._create_balancer,
            "GET load_balancers/{identifier}": lambda call, identifier: {"load_balancer": self._balancer(identifier)},
            "PUT load_balancers/{identifier}": self._change_balancer,
            "DELETE load_balancers/{identifier}": self._delete_balancer,
        }

    # -- VPCs -----------------------------------------------------------------------------------------------------

    def vpc(self, identifier: str) -> dict[str, Any]:
        """A VPC. Raises Refusal."""
        if identifier not in self.vpcs:
            raise missing()
        return self.vpcs[identifier]

    def vpc_for(self, identifier: str | None, region: str) -> dict[str, Any]:
        """The VPC that a request names, or the default one of the region. Raises Refusal."""
        if not identifier:
            return next(each for each in self.vpcs.values() if each["default"] and each["region"] == region)
        found = self.vpcs.get(identifier)
        if found is None or found["region"] != region:
            raise unprocessable("vpc_uuid is invalid: there is no such VPC in the region")
        return found

    def _add_vpc(self, name: str, region: str, ip_range: str, description: str, default: bool) -> dict[str, Any]:
        vpc = {
            "id": str(uuid.uuid4()),
            "name": name,
            "region": region,
            "ip_range": ip_range,
            "description": description,
            "default": default,
            "created_at": "2026-01-01T00:00:00Z",
        }
        vpc["urn"] = f"do:vpc:{vpc['id']}"
        self.vpcs[str(vpc["id"])] = vpc
        return vpc

    def _create_vpc(self, call: Call) -> Any:
        needed(call.body, "name", "region")
        body = call.body
        region = catalog.region(body["region"])
        if region is None or not region["available"]:
            raise unprocessable(f"region {body['region']} is invalid")
        if not _NAME.fullmatch(body["name"]):
            raise unprocessable("name may only have alphanumeric characters, dashes, and periods")
        if any(each["name"] == body["name"] for each in self.vpcs.values()):
            raise unprocessable("name must be unique: there is a VPC that has it")
        wanted = self._checked_range(body.get("ip_range") or self._free_range())
        if len(body.get("description") or "") > 255:
            raise unprocessable("description is too long")
        return 201, {"vpc": self._add_vpc(body["name"], region["slug"], wanted, body.get("description") or "", False)}

    def _free_range(self) -> str:
        taken = [ipaddress.ip_network(each["ip_range"]) for each in self.vpcs.values()]
        blocks = ipaddress.ip_network("10.0.0.0/8").subnets(new_prefix=20)
        return str(next(each for each in blocks if not any(each.overlaps(other) for other in taken)))

    def _checked_range(self, text: str) -> str:
        try:
            wanted = ipaddress.ip_network(text)
        except ValueError:
            raise unprocessable(f"ip_range {text} is invalid") from None
        if not any(wanted.subnet_of(each) for each in _PRIVATE) or not _LARGEST <= wanted.prefixlen <= _SMALLEST:
            raise unprocessable("ip_range must be private, not smaller than /28 and not larger than /16")
        if any(wanted.overlaps(ipaddress.ip_network(each["ip_range"])) for each in self.vpcs.values()):
            raise unprocessable("This range/size overlaps with another VPC network in your account: choose another")
        return text

    def _change_vpc(self, call: Call, identifier: str) -> Any:
        found = self.vpc(identifier)
        found.update({key: call.body[key] for key in ("name", "description") if key in call.body})
        return {"vpc": found}

    def _delete_vpc(self, call: Call, identifier: str) -> None:
        if self.vpc(identifier)["default"]:
            raise refusal(403, "forbidden", "Can not delete default VPC")
        if self._members(identifier):
            raise refusal(403, "forbidden", "Can not delete VPC with members")
        del self.vpcs[identifier]

    def _members(self, identifier: str) -> list[dict[str, Any]]:
        self.vpc(identifier)
        found = [("droplet", each) for each in self.droplets.objects.values() if each["vpc_uuid"] == identifier]
        found += [("loadbalancer", each) for each in self.balancers.values() if each["vpc_uuid"] == identifier]
        return [
            {"urn": f"do:{word}:{each['id']}", "name": each["name"], "created_at": each["created_at"]}
            for word, each in found
        ]

    # -- load balancers -------------------------------------------------------------------------------------------

    def _balancer(self, identifier: str) -> dict[str, Any]:
        if identifier not in self.balancers:
            raise missing()
        found = self.balancers[identifier]
        if found["tag"]:
            found["droplet_ids"] = [
                each["id"]
                for each in self.droplets.objects.values()
                if found["tag"] in each["tags"] and each["vpc_uuid"] == found["vpc_uuid"]
            ]
        return found

    def shown_balancers(self) -> list[dict[str, Any]]:
        """All load balancers, with the droplets that have their tag."""
        return [self._balancer(each) for each in self.balancers]

    def _create_balancer(self, call: Call) -> Any:
        needed(call.body, "name", "region", "forwarding_rules")
        body = call.body
        self._check_balancer(body)
        region = catalog.region(body["region"])
        if region is None or not region["available"]:
            raise unprocessable(f"region {body['region']} is invalid")
        balancer = {
            "id": str(uuid.uuid4()),
            "ip": "",
            "status": "new",
            "created_at": "2026-01-01T00:00:00Z",
            "region": region,
            "vpc_uuid": self.vpc_for(body.get("vpc_uuid"), region["slug"])["id"],
            **_of_balancer(body),
        }
        if balancer["tag"]:
            (balancer["tag"],) = self._tags.use([balancer["tag"]])
        self.balancers[balancer["id"]] = balancer
        address = f"192.0.2.{next(self._addresses)}"
        self._pending.later(lambda: balancer.update(status="active", ip=address))
        return 202, {"load_balancer": self._balancer(balancer["id"])}

    def _change_balancer(self, call: Call, identifier: str) -> Any:
        found = self._balancer(identifier)
        needed(call.body, "name", "region", "forwarding_rules")
        self._check_balancer(call.body)
        if found["status"] != "active":
            raise refusal(403, "forbidden", "Load Balancer can't be updated while it processes previous actions")
        found.update(_of_balancer(call.body))
        return {"load_balancer": self._balancer(identifier)}

    @staticmethod
    def _check_balancer(body: dict[str, Any]) -> None:
        if body.get("tag") and body.get("droplet_ids"):
            raise unprocessable("droplet_ids and tag cannot be used together")
        entries = [(each["entry_protocol"] == "udp", each["entry_port"]) for each in body["forwarding_rules"]]
        if len(entries) != len(set(entries)):
            raise unprocessable("forwarding_rules: an entry port is used twice")
        for each in body["forwarding_rules"]:
            tls = each["entry_protocol"] in ("https", "http2")
            if tls and not (each.get("tls_passthrough") or each.get("certificate_id")):
                raise unprocessable("forwarding_rules: https needs a certificate or tls_passthrough")

    def _delete_balancer(self, call: Call, identifier: str) -> None:
        self._balancer(identifier)
        del self.balancers[identifier]


def _of_balancer(body: dict[str, Any]) -> dict[str, Any]:
    """What a request says of a load balancer, and what it is without it."""
    rules = [{"certificate_id": "", "tls_passthrough": False, **each} for each in body["forwarding_rules"]]
    asked = body.get("health_check") or {}
    check = {
        "protocol": "http",
        "port": 80,
        # Of what is not HTTP, nothing is asked by a path.
        "path": "" if asked.get("protocol") == "tcp" else "/",
        "check_interval_seconds": 10,
        "response_timeout_seconds": 5,
        "healthy_threshold": 5,
        "unhealthy_threshold": 3,
    }
    return {
        "name": body["name"],
        "forwarding_rules": rules,
        "algorithm": "round_robin",
        "health_check": {**check, **asked},
        "sticky_sessions": {"type": "none"},
        "redirect_http_to_https": False,
        "enable_proxy_protocol": bool(body.get("enable_proxy_protocol")),
        "tag": body.get("tag") or "",
        "droplet_ids": list(body.get("droplet_ids") or ()),
        "size_unit": body.get("size_unit") or 1,
        "firewall": body.get("firewall") or {"allow": [], "deny": []},
    }
